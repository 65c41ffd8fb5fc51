//! ClaimReviewItems: leases for one moderator.

use riposte_core::page::Page;
use riposte_core::ports::{ReviewClaim, ReviewFilter};
use riposte_core::{Caller, CommentId, Error, ObjectType};
use riposte_sdk::v1;

use crate::convert::{Anchor, MAX_BYTES};
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::ClaimReviewItemsRequest,
) -> Result<v1::ClaimReviewItemsResponse, RpcError> {
    let v1::ClaimReviewItemsRequest { object_type, causes, limit, lease, moderator_id, request_id } = &request;
    let mut v = Violations::default();
    let object_type = v.take(ObjectType::parse("object_type", object_type));
    let causes = v.take(parse::causes("causes", causes));
    let limit = v.take(parse::claim_limit("limit", *limit));
    let duration = v.take(parse::lease("lease", lease.as_ref()));
    let holder = v.take(parse::moderator("moderator_id", moderator_id));
    let request_id = v.take(parse::request_id(request_id));
    let (object_type, causes, limit, duration, holder, request_id) =
        v.all((object_type, causes, limit, duration, holder, request_id))?;
    let tokens = services.tokens.lease_tokens(&caller, &holder, request_id)?;
    let (token, former) = tokens.split_first().ok_or_else(|| Error::internal("no page token key"))?;
    let filter = ReviewFilter { object_type, causes };
    services.comments.policy(&caller, &filter.object_type)?;
    let claim = ReviewClaim { filter, holder, token: *token, duration, limit };
    let token = services.reviews.held_token(&claim, former).await?;
    let claim = ReviewClaim { token, ..claim };
    let leased = services.reviews.claim(&caller, &claim).await?;
    let ids: Vec<CommentId> = leased.iter().map(|item| item.review.comment_id).collect();
    let lease_until = leased.iter().filter_map(|item| item.review.lease.as_ref()).map(|lease| lease.until).min();
    let items = leased.into_iter().map(|item| services.for_moderators(&caller).item(item));
    let items = items.collect::<riposte_core::Result<_>>()?;
    let items = convert::fit(Page { items, more_before: false, more_after: false }, Anchor::First, MAX_BYTES).items;
    // No lease is held for an item that the response has no room for.
    if let Some(cut) = ids.get(items.len()..).filter(|cut| !cut.is_empty()) {
        let released = services.reviews.release(&caller, cut, (&claim.holder, token)).await;
        released.map_err(|error| error.of_part(true))?;
    }
    Ok(v1::ClaimReviewItemsResponse {
        items,
        lease_token: convert::lease_token(token),
        lease_until: lease_until.map(convert::time),
    })
}
