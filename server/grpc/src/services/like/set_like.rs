//! SetLike.

use riposte_core::Caller;
use riposte_core::verbs::SetLikeRequest;
use riposte_sdk::v1;

use crate::error_metadata::under;
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::SetLikeRequest,
) -> Result<v1::SetLikeResponse, RpcError> {
    let mut v = Violations::default();
    let target = v.comment(&services.comments, &caller, "comment_id", request.comment_id).await?;
    let member = v.take(parse::member("member_id", &request.member_id));
    let value = v.take(parse::like_value(request.value));
    let request_id = v.take(parse::request_id(&request.request_id));
    let ((target, _), member, value, request_id) = v.all((target, member, value, request_id))?;
    let write_context = services.write_context(caller, &member, request_id, target.subject.object_type())?;
    let result = services.mutations.submit(&write_context, &target, SetLikeRequest { member, value }).await;
    let like = result.map_err(under(&target.subject))?.value;
    Ok(v1::SetLikeResponse {
        value: convert::like_value(like.value).into(),
        like_count: like.like_count,
        dislike_count: like.dislike_count,
        changed: like.changed,
        comment_revision: like.comment_revision,
    })
}
