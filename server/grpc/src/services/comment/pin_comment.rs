//! PinComment, and the part that it shares with UnpinComment.

use riposte_core::verbs::{PinComment, WriteOutput};
use riposte_core::{Caller, CommentView};
use riposte_sdk::v1;

use crate::error_metadata::under;
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::PinCommentRequest,
) -> Result<v1::PinCommentResponse, RpcError> {
    let v1::PinCommentRequest { id, member_id, request_id } = request;
    let written = set_pin(services, caller, PinFields { id, member_id, request_id, pinned: true }).await?;
    let comment = Some(convert::comment(written.value));
    Ok(v1::PinCommentResponse { comment, subject_revision: written.revision })
}

pub(super) async fn set_pin(
    services: &Services,
    caller: Caller,
    pin: PinFields,
) -> Result<WriteOutput<CommentView>, RpcError> {
    let mut v = Violations::default();
    let target = v.comment(&services.comments, &caller, "id", pin.id).await?;
    let member = v.take(parse::member("member_id", &pin.member_id));
    let request_id = v.take(parse::request_id(&pin.request_id));
    let ((target, _), member, request_id) = v.all((target, member, request_id))?;
    let write_context = services.write_context(caller, &member, request_id, target.subject.object_type())?;
    let request = PinComment { member: member.clone(), pinned: pin.pinned };
    let written = services.mutations.submit(&write_context, &target, request).await;
    let WriteOutput { value, revision, replayed } = written.map_err(under(&target.subject))?;
    Ok(WriteOutput { value: value.seen_by(Some(&member)), revision, replayed })
}

/// The fields of a request to pin or to unpin a comment.
pub(super) struct PinFields {
    pub(super) id: i64,
    pub(super) member_id: String,
    pub(super) request_id: String,
    pub(super) pinned: bool,
}
