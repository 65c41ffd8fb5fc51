//! DeleteComment of AdminService: an action of a named moderator.

use riposte_core::Caller;
use riposte_core::act::CommentAct;
use riposte_core::verbs::{DeleteActor, DeleteComment};
use riposte_sdk::v1;

use crate::moderation::{ModerationOrder, count_order};
use crate::rpc_error::RpcError;
use crate::{Services, convert};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::AdminServiceDeleteCommentRequest,
) -> Result<v1::AdminServiceDeleteCommentResponse, RpcError> {
    let v1::AdminServiceDeleteCommentRequest { id, moderator_id, reason, request_id, etag } = &request;
    let order = ModerationOrder { id: *id, moderator_id, reason, request_id, etag };
    let (write_context, target, ruling) = order.parse(services, caller).await?;
    let request = DeleteComment { actor: DeleteActor::Moderator(Box::new(ruling)), etag: String::new() };
    let written = services.mutations.submit(&write_context, &target, request).await?;
    count_order(services, CommentAct::Delete, &written);
    let comment = Some(convert::comment(written.value));
    Ok(v1::AdminServiceDeleteCommentResponse { comment, subject_revision: written.revision })
}
