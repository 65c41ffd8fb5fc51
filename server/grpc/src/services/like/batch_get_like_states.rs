//! BatchGetLikeStates.

use riposte_core::Caller;
use riposte_sdk::v1;

use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::BatchGetLikeStatesRequest,
) -> Result<v1::BatchGetLikeStatesResponse, RpcError> {
    let mut v = Violations::default();
    let subject = v.subject(&services.comments, &caller, "subject", request.subject.as_ref())?;
    let member = v.take(parse::member("member_id", &request.member_id));
    let ids = v.take(parse::comment_ids("comment_ids", &request.comment_ids));
    let ((key, _), member, ids) = v.all((subject, member, ids))?;
    let values = services.reads(request.fresh).like_states(&caller, &key, &member, &ids).await?;
    let state = |(id, value)| v1::LikeState { comment_id: id, value: convert::like_value(value).into() };
    let states = request.comment_ids.into_iter().zip(values).map(state).collect();
    Ok(v1::BatchGetLikeStatesResponse { states, degraded: services.degraded() })
}
