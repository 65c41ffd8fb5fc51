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
    let ((at, _), member, value, request_id) = v.all((target, member, value, request_id))?;
    let write_context = services.write_context(caller, &member, request_id, at.subject.object_type())?;
    let set = services.mutations.submit(&write_context, &at, SetLikeRequest { member, value }).await;
    let set = set.map_err(under(&at.subject))?.value;
    Ok(v1::SetLikeResponse {
        value: convert::like_value(set.value).into(),
        like_count: set.like_count,
        dislike_count: set.dislike_count,
        changed: set.changed,
        comment_revision: set.comment_revision,
    })
}
