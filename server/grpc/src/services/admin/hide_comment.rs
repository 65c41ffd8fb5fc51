//! HideComment: an action of a named moderator.

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
    request: v1::HideCommentRequest,
) -> Result<v1::HideCommentResponse, RpcError> {
    let v1::HideCommentRequest { id, moderator_id, reason, request_id, etag } = &request;
    let order = ModerationOrder { id: *id, moderator_id, reason, request_id, etag };
    let (write_context, target, ruling) = order.parse(services, caller).await?;
    let written = services.mutations.submit(&write_context, &target, HideComment { hidden: true, ruling }).await?;
    count_order(services, CommentAct::Hide, &written);
    Ok(v1::HideCommentResponse { comment: Some(convert::comment(written.value)), subject_revision: written.revision })
}
