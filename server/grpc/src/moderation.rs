//! The common part of a moderator's actions on one comment.

use riposte_core::Caller;
use riposte_core::location::CommentLocation;
use riposte_core::submit::WriteContext;
use riposte_core::verbs::Ruling;

use crate::Services;
use crate::parse::{self, Violations};
use crate::rpc_error::RpcError;

/// The longest reason, in code points.
const MAX_REASON: usize = 512;

/// A moderation request: the comment, the moderator and the reason.
pub(crate) struct ModerationOrder<'a> {
    pub(crate) id: i64,
    pub(crate) moderator_id: &'a str,
    pub(crate) reason: &'a str,
    pub(crate) request_id: &'a str,
}

impl ModerationOrder<'_> {
    /// Returns the context of the write, the comment, and the order with its reason.
    pub(crate) async fn parse(
        &self,
        services: &Services,
        caller: Caller,
    ) -> Result<(WriteContext, CommentLocation, Ruling), RpcError> {
        let mut v = Violations::default();
        let target = v.comment(&services.comments, &caller, "id", self.id).await?;
        let moderator = v.take(parse::member("moderator_id", self.moderator_id));
        let request_id = v.take(parse::request_id(self.request_id));
        let reason = v.take(parse::bounded("reason", self.reason, MAX_REASON));
        let ((target, _), moderator, request_id, ()) = v.all((target, moderator, request_id, reason))?;
        let ruling = Ruling::noted(moderator.clone(), self.reason.to_owned());
        Ok((WriteContext { caller, member: Some(moderator), request_id }, target, ruling))
    }
}
