//! PinComment of AdminService: an action of a named moderator.

use riposte_core::Caller;
use riposte_sdk::v1;

use crate::moderation::set_pin;
use crate::rpc_error::RpcError;
use crate::{Services, convert};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::AdminServicePinCommentRequest,
) -> Result<v1::AdminServicePinCommentResponse, RpcError> {
    let v1::AdminServicePinCommentRequest { id, moderator_id, request_id } = &request;
    let written = set_pin(services, caller, (*id, moderator_id, request_id), true).await?;
    let comment = Some(convert::comment(written.value));
    Ok(v1::AdminServicePinCommentResponse { comment, subject_revision: written.revision })
}
