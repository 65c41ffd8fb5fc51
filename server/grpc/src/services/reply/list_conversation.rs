//! ListConversation: the comments above one comment.

use riposte_core::Caller;
use riposte_sdk::v1;

use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::ListConversationRequest,
) -> Result<v1::ListConversationResponse, RpcError> {
    let mut v = Violations::default();
    let id = v.take(parse::comment_id("comment_id", request.comment_id));
    let min_revision = v.take(parse::min_revision(request.min_revision));
    let (id, min_revision) = v.all((id, min_revision))?;
    let comments = services.reads(request.fresh);
    let (found, truncated) = comments.conversation(&caller, id, min_revision).await?;
    let mut comments = found.comments.into_iter().map(convert::comment);
    Ok(v1::ListConversationResponse {
        comment: comments.next(),
        ancestors: comments.collect(),
        truncated,
        degraded: services.degraded(),
        subject_revision: found.subject.revision,
    })
}
