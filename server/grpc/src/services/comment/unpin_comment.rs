//! UnpinComment.

use riposte_core::Caller;
use riposte_sdk::v1;

use super::pin_comment::{PinFields, set_pin};
use crate::rpc_error::RpcError;
use crate::{Services, convert};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::UnpinCommentRequest,
) -> Result<v1::UnpinCommentResponse, RpcError> {
    let v1::UnpinCommentRequest { id, member_id, request_id } = request;
    let written = set_pin(services, caller, PinFields { id, member_id, request_id, pinned: false }).await?;
    let comment = Some(convert::comment(written.value));
    Ok(v1::UnpinCommentResponse { comment, subject_revision: written.revision })
}
