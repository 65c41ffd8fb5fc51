//! UnpinComment of AdminService: an action of a named moderator.

use riposte_core::Caller;
use riposte_sdk::v1;

use crate::moderation::set_pin;
use crate::rpc_error::RpcError;
use crate::{Services, convert};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::AdminServiceUnpinCommentRequest,
) -> Result<v1::AdminServiceUnpinCommentResponse, RpcError> {
    let v1::AdminServiceUnpinCommentRequest { id, moderator_id, request_id } = &request;
    let written = set_pin(services, caller, (*id, moderator_id, request_id), false).await?;
    let comment = Some(convert::comment(written.value));
    Ok(v1::AdminServiceUnpinCommentResponse { comment, subject_revision: written.revision })
}
