//! CreateReply.

use riposte_core::Caller;
use riposte_core::verbs::CreateReply;
use riposte_sdk::v1;

use crate::error_metadata::under;
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::CreateReplyRequest,
) -> Result<v1::CreateReplyResponse, RpcError> {
    let mut v = Violations::default();
    let parent = v.comment(&services.comments, &caller, "parent_id", request.parent_id).await?;
    let member = v.take(parse::member("member_id", &request.member_id));
    let content = parse::content(&mut v, parent.as_ref().map(|(_, policy)| *policy), request.content);
    let client = v.take(parse::client(request.client));
    let request_id = v.take(parse::request_id(&request.request_id));
    let ((parent, _), member, content, client, request_id) = v.all((parent, member, content, client, request_id))?;
    let write_context = services.write_context(caller, &member, request_id, parent.subject.object_type())?;
    let new = CreateReply { member: member.clone(), content, client };
    let written = services.mutations.submit(&write_context, &parent, new).await.map_err(under(&parent.subject))?;
    // A repeated request receives the reply in its current state, which may differ from the
    // state after the first request.
    let reply = convert::comment(written.value.seen_by(Some(&member)));
    let ack = v1::Ack::Committed.into();
    Ok(v1::CreateReplyResponse { reply: Some(reply), subject_revision: written.revision, ack })
}
