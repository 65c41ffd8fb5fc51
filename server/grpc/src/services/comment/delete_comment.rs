//! DeleteComment.

use riposte_core::Caller;
use riposte_core::verbs::{DeleteActor, DeleteComment};
use riposte_sdk::v1;

use crate::error_metadata::under;
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::DeleteCommentRequest,
) -> Result<v1::DeleteCommentResponse, RpcError> {
    let mut v = Violations::default();
    let target = v.comment(&services.comments, &caller, "id", request.id).await?;
    let member = v.take(parse::member("member_id", &request.member_id));
    let role = v.take(parse::acting_as(request.acting_as));
    let request_id = v.take(parse::request_id(&request.request_id));
    let ((target, _), member, role, request_id) = v.all((target, member, role, request_id))?;
    let actor = match role {
        v1::ActingAs::Unspecified | v1::ActingAs::Author => DeleteActor::Author(member.clone()),
        v1::ActingAs::SubjectOwner => DeleteActor::Owner(member.clone()),
    };
    let write_context = services.write_context(caller, &member, request_id, target.subject.object_type())?;
    let delete = DeleteComment { actor, etag: request.etag };
    let written = services.mutations.submit(&write_context, &target, delete).await.map_err(under(&target.subject))?;
    let comment = convert::comment(written.value.seen_by(Some(&member)));
    Ok(v1::DeleteCommentResponse { comment: Some(comment), subject_revision: written.revision })
}
