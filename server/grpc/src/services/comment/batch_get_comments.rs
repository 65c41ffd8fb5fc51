//! BatchGetComments.

use prost::Message;
use riposte_core::{Caller, Error};
use riposte_sdk::v1;

use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, error_metadata, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::BatchGetCommentsRequest,
) -> Result<v1::BatchGetCommentsResponse, RpcError> {
    let mut v = Violations::default();
    let ids = v.take(parse::comment_ids("ids", &request.ids));
    let (ids,) = v.all((ids,))?;
    let found = services.reads(request.fresh).comments(&caller, &ids, None).await?;
    let (mut comments, mut missing) = (Vec::with_capacity(found.len()), Vec::new());
    for (id, view) in ids.into_iter().zip(found) {
        match view {
            Some(view) => comments.push(convert::comment(view)),
            None if request.allow_missing => missing.push(id.get()),
            None => return Err(RpcError::about(Error::CommentNotFound, error_metadata::comment(id.get()))),
        }
    }
    let response = v1::BatchGetCommentsResponse { comments, missing, degraded: services.degraded() };
    // A batch is bounded by count, and 200 long comments may exceed the limit. The gRPC library
    // would reject such a response with an error outside the contract.
    let limit = services.limits.max_response;
    if response.encoded_len() > limit { Err(Error::MessageTooLarge { limit }.into()) } else { Ok(response) }
}
