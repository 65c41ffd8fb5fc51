//! HideComment, UnhideComment and DeleteComment: actions of a named moderator on one comment.

use riposte_core::Caller;
use riposte_core::comments::WriteContext;
use riposte_core::page::LocatedComment;
use riposte_core::verbs::DeleteActor;
use riposte_sdk::v1;

use crate::rpc::Services;
use crate::rpc::convert;
use crate::rpc::parse::{self, Violations};
use crate::rpc::rpc_error::RpcError;

/// A moderation request: the comment, the moderator and the reason.
struct Order<'a> {
    id: i64,
    moderator_id: &'a str,
    reason: &'a str,
    request_id: &'a str,
}

/// The longest reason, in code points.
const MAX_REASON: usize = 512;

pub(super) async fn hide(
    services: Services,
    caller: Caller,
    request: v1::HideCommentRequest,
) -> Result<v1::HideCommentResponse, RpcError> {
    let v1::HideCommentRequest { id, moderator_id, reason, request_id } = &request;
    let order = Order { id: *id, moderator_id, reason, request_id };
    let (asked, at) = parsed(&services, caller, &order).await?;
    let hidden = services.comments.hide(&asked, &at, true).await?;
    Ok(v1::HideCommentResponse { comment: Some(convert::comment(hidden.value)), subject_revision: hidden.revision })
}

pub(super) async fn unhide(
    services: Services,
    caller: Caller,
    request: v1::UnhideCommentRequest,
) -> Result<v1::UnhideCommentResponse, RpcError> {
    let v1::UnhideCommentRequest { id, moderator_id, reason, request_id } = &request;
    let order = Order { id: *id, moderator_id, reason, request_id };
    let (asked, at) = parsed(&services, caller, &order).await?;
    let shown = services.comments.hide(&asked, &at, false).await?;
    Ok(v1::UnhideCommentResponse { comment: Some(convert::comment(shown.value)), subject_revision: shown.revision })
}

pub(super) async fn delete(
    services: Services,
    caller: Caller,
    request: v1::AdminServiceDeleteCommentRequest,
) -> Result<v1::AdminServiceDeleteCommentResponse, RpcError> {
    let v1::AdminServiceDeleteCommentRequest { id, moderator_id, reason, request_id } = &request;
    let order = Order { id: *id, moderator_id, reason, request_id };
    let (asked, at) = parsed(&services, caller, &order).await?;
    let gone = services.comments.delete(&asked, &at, DeleteActor::Moderator, String::new()).await?;
    let comment = Some(convert::comment(gone.value));
    Ok(v1::AdminServiceDeleteCommentResponse { comment, subject_revision: gone.revision })
}

async fn parsed(
    services: &Services,
    caller: Caller,
    order: &Order<'_>,
) -> Result<(WriteContext, LocatedComment), RpcError> {
    let mut v = Violations::default();
    let at = v.comment(&services.comments, &caller, "id", order.id).await?;
    let moderator = v.take(parse::member("moderator_id", order.moderator_id));
    let request_id = v.take(parse::request_id(order.request_id));
    let reason = v.take(parse::bounded("reason", order.reason, MAX_REASON));
    let ((at, _), moderator, request_id, ()) = v.all((at, moderator, request_id, reason))?;
    Ok((WriteContext { caller, member: Some(moderator), request_id }, at))
}
