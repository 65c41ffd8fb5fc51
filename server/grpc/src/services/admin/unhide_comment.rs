//! UnhideComment: an action of a named moderator.

use riposte_core::Caller;
use riposte_core::act::CommentAct;
use riposte_core::verbs::HideComment;
use riposte_sdk::v1;

use crate::moderation::{ModerationOrder, count_order};
use crate::rpc_error::RpcError;
use crate::{Services, convert};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::UnhideCommentRequest,
) -> Result<v1::UnhideCommentResponse, RpcError> {
    let v1::UnhideCommentRequest { id, moderator_id, reason, request_id, etag } = &request;
    let order = ModerationOrder { id: *id, moderator_id, reason, request_id, etag };
    let (write_context, target, ruling) = order.parse(services, caller).await?;
    let written = services.mutations.submit(&write_context, &target, HideComment { hidden: false, ruling }).await?;
    count_order(services, CommentAct::Unhide, &written);
    Ok(v1::UnhideCommentResponse { comment: Some(convert::comment(written.value)), subject_revision: written.revision })
}
