//! CreateComment.

use riposte_core::Caller;
use riposte_core::verbs::CreateRoot;
use riposte_sdk::v1;

use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::CreateCommentRequest,
) -> Result<v1::CreateCommentResponse, RpcError> {
    let mut v = Violations::default();
    let subject = v.subject(&services.comments, &caller, "subject", request.subject.as_ref())?;
    let member = v.take(parse::member("member_id", &request.member_id));
    let content = parse::content(&mut v, subject.as_ref().map(|(_, policy)| *policy), request.content);
    let client = v.take(parse::client(request.client));
    let request_id = v.take(parse::request_id(&request.request_id));
    let ((subject, _), member, content, client, request_id) = v.all((subject, member, content, client, request_id))?;
    let write_context = services.write_context(caller, &member, request_id, subject.object_type())?;
    let new = CreateRoot { member: member.clone(), content, client };
    let written = services.mutations.submit(&write_context, &subject, new).await?;
    // A repeated request receives the comment in its current state, which may differ from the
    // state after the first request.
    let comment = convert::comment(written.value.seen_by(Some(&member)));
    let ack = v1::Ack::Committed.into();
    Ok(v1::CreateCommentResponse { comment: Some(comment), subject_revision: written.revision, ack })
}
