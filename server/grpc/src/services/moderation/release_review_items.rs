//! ReleaseReviewItems: gives leases back.

use riposte_core::Caller;
use riposte_sdk::v1;

use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::ReleaseReviewItemsRequest,
) -> Result<v1::ReleaseReviewItemsResponse, RpcError> {
    let v1::ReleaseReviewItemsRequest { comment_ids, lease_token, moderator_id, request_id } = &request;
    let mut v = Violations::default();
    let ids = v.take(parse::leased_ids("comment_ids", comment_ids));
    let token = v.take(parse::lease_token("lease_token", lease_token));
    let moderator = v.take(parse::moderator("moderator_id", moderator_id));
    let request_id = v.take(parse::request_id(request_id));
    // A second release finds no lease: it needs no request id to be safe.
    let (ids, token, moderator, _) = v.all((ids, token, moderator, request_id))?;
    let released = services.reviews.release(&caller, &ids, (&moderator, token)).await?;
    Ok(v1::ReleaseReviewItemsResponse { released: i32::try_from(released).unwrap_or(i32::MAX) })
}
