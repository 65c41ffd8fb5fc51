//! GetComment.

use riposte_core::Caller;
use riposte_sdk::v1;

use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::GetCommentRequest,
) -> Result<v1::GetCommentResponse, RpcError> {
    let mut v = Violations::default();
    let id = v.take(parse::comment_id("id", request.id));
    let viewer = v.take(parse::optional_member("viewer_member_id", &request.viewer_member_id));
    let min_revision = v.take(parse::min_revision(request.min_revision));
    let (id, viewer, min_revision) = v.all((id, viewer, min_revision))?;
    let reads = services.reads(request.fresh);
    let view = reads.comment(&caller, id, viewer.as_ref(), min_revision).await?;
    let proposed_edit = reads.own_proposal(&view, viewer.as_ref()).await?.map(convert::proposed_edit);
    Ok(v1::GetCommentResponse { comment: Some(convert::comment(view)), degraded: services.degraded(), proposed_edit })
}
