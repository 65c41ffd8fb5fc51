//! UpdateComment.

use riposte_core::verbs::EditComment;
use riposte_core::{Caller, EditOutput, EditedProposal};
use riposte_sdk::v1;

use crate::error_metadata::under;
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::UpdateCommentRequest,
) -> Result<v1::UpdateCommentResponse, RpcError> {
    let mut v = Violations::default();
    let target = v.comment(&services.comments, &caller, "id", request.id).await?;
    let member = v.take(parse::member("member_id", &request.member_id));
    let content = parse::content(&mut v, target.as_ref().map(|(_, policy)| *policy), request.content);
    let request_id = v.take(parse::request_id(&request.request_id));
    let ((target, _), member, content, request_id) = v.all((target, member, content, request_id))?;
    let write_context = services.write_context(caller, &member, request_id, target.subject.object_type())?;
    let edit = EditComment { member: member.clone(), content: content.clone(), etag: request.etag };
    let written = services.mutations.submit(&write_context, &target, edit).await.map_err(under(&target.subject))?;
    let EditOutput { view, proposal } = written.value;
    let proposal = match proposal {
        EditedProposal::None => None,
        EditedProposal::Made(proposal) => Some(*proposal),
        EditedProposal::Stored => services.comments.repeated_proposal(&view, &member, &content).await?,
    };
    Ok(v1::UpdateCommentResponse {
        comment: Some(convert::comment(view.seen_by(Some(&member)))),
        subject_revision: written.revision,
        proposed_edit: proposal.map(convert::proposed_edit),
    })
}
