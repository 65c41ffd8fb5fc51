//! The common parts of the actions of moderators.

use riposte_core::act::CommentAct;
use riposte_core::decision::Automation;
use riposte_core::location::CommentLocation;
use riposte_core::submit::WriteContext;
use riposte_core::verbs::{PinComment, Ruling, WriteOutput};
use riposte_core::{Caller, CommentView, MemberId};
use riposte_sdk::v1;

use crate::Services;
use crate::parse::{self, Violations};
use crate::rpc_error::RpcError;

/// The longest reason, in code points.
pub(crate) const MAX_REASON: usize = 512;

/// A moderation request: the comment, the moderator and the reason.
pub(crate) struct ModerationOrder<'a> {
    pub(crate) id: i64,
    pub(crate) moderator_id: &'a str,
    pub(crate) reason: &'a str,
    pub(crate) request_id: &'a str,
    /// The etag of the review that the moderator read; an empty one matches any.
    pub(crate) etag: &'a str,
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
        let moderator = v.take(parse::moderator("moderator_id", self.moderator_id));
        let request_id = v.take(parse::request_id(self.request_id));
        let reason = v.take(parse::bounded("reason", self.reason, MAX_REASON));
        let ((target, _), moderator, request_id, ()) = v.all((target, moderator, request_id, reason))?;
        let etag = self.etag.to_owned();
        let ruling = Ruling { etag, ..Ruling::noted(moderator.clone(), self.reason.to_owned()) };
        Ok((WriteContext { caller, member: Some(moderator), request_id }, target, ruling))
    }
}

/// Pins or unpins a root as a moderator.
pub(crate) async fn set_pin(
    services: &Services,
    caller: Caller,
    (id, moderator_id, request_id): (i64, &str, &str),
    pinned: bool,
) -> Result<WriteOutput<CommentView>, RpcError> {
    let mut v = Violations::default();
    let target = v.comment(&services.comments, &caller, "id", id).await?;
    let moderator = v.take(parse::moderator("moderator_id", moderator_id));
    let request_id = v.take(parse::request_id(request_id));
    let ((target, _), moderator, request_id) = v.all((target, moderator, request_id))?;
    let context = WriteContext { caller, member: Some(moderator), request_id };
    let request = PinComment { member: MemberId::stored(String::new()), pinned };
    Ok(services.mutations.submit(&context, &target, request).await?)
}

/// Counts the decision of an order in the metrics, unless the request is a repeat.
pub(crate) fn count_order(services: &Services, act: CommentAct, written: &WriteOutput<CommentView>) {
    if !written.replayed {
        count_decision(services, act, Automation::None);
    }
}

/// Counts a decision in the metrics.
pub(crate) fn count_decision(services: &Services, act: CommentAct, by_machine: Automation) {
    services.metrics.decided(action(act), automation(by_machine));
}

/// Returns the name of an act in the metrics.
fn action(act: CommentAct) -> &'static str {
    let action = act.number().and_then(|number| v1::ModerationAction::try_from(i32::from(number)).ok());
    match action.unwrap_or_default() {
        v1::ModerationAction::Approve => "approve",
        v1::ModerationAction::Reject => "reject",
        v1::ModerationAction::Hide => "hide",
        v1::ModerationAction::Unhide => "unhide",
        v1::ModerationAction::Delete => "delete",
        v1::ModerationAction::Withhold => "withhold",
        v1::ModerationAction::Keep => "keep",
        v1::ModerationAction::Hold => "hold",
        v1::ModerationAction::Flag => "flag",
        v1::ModerationAction::Mask => "mask",
        v1::ModerationAction::Appeal | v1::ModerationAction::Restore | v1::ModerationAction::Unspecified => "none",
    }
}

/// Returns the name of a part of machines in the metrics.
const fn automation(automation: Automation) -> &'static str {
    match automation {
        Automation::None => "none",
        Automation::Partial => "partial",
        Automation::Full => "full",
    }
}
