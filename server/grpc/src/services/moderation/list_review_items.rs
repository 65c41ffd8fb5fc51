//! ListReviewItems: a page of the review queue.

use riposte_core::page::{HistoryCursor, Page};
use riposte_core::ports::{ReviewCursor, ReviewFilter, ReviewQuery};
use riposte_core::review::Review;
use riposte_core::{Caller, ObjectType};
use riposte_sdk::v1;

use crate::convert::{Anchor, MAX_BYTES};
use crate::page_token::{TokenContext, TokenCursor};
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::ListReviewItemsRequest,
) -> Result<v1::ListReviewItemsResponse, RpcError> {
    let v1::ListReviewItemsRequest { object_type, causes, member_id, leased, page_size, page_token } = request;
    let context = TokenContext::new(&caller, "ListReviewItems").argument(&object_type).argument(&member_id);
    let context = causes.iter().fold(context.argument(leased), |context, cause| context.argument(cause));
    let mut v = Violations::default();
    let object_type = v.take(ObjectType::parse("object_type", &object_type));
    let causes = v.take(parse::causes("causes", &causes));
    let member = v.take(parse::optional_member("member_id", &member_id));
    let limit = v.take(parse::page_size(page_size));
    let after = services.cursor(&mut v, &page_token, Some(&context), position);
    let (object_type, causes, member, limit, after) = v.all((object_type, causes, member, limit, after))?;
    let filter = ReviewFilter { object_type, causes };
    let query = ReviewQuery { filter, member, leased, after, limit: limit + 1 };
    let mut found = services.reviews.list(&caller, &query).await?;
    let more_after = found.len() > limit;
    found.truncate(limit);
    let last = found.last().map(|(review, _)| position_of(review));
    let items: Vec<_> = found.into_iter().filter_map(|(_, item)| item).collect();
    let positions: Vec<_> = items.iter().map(|item| position_of(&item.review)).collect();
    let items = items.into_iter().map(|item| services.for_moderators(&caller).item(item));
    let items: Vec<v1::ReviewItem> = items.collect::<riposte_core::Result<_>>()?;
    let count = items.len();
    let items = convert::fit(Page { items, more_before: false, more_after }, Anchor::First, MAX_BYTES).items;
    // Items that were cut off belong to the next page.
    let cut = items.len().checked_sub(1).filter(|_| items.len() < count);
    let next = cut.and_then(|last| positions.get(last).copied()).or(last.filter(|_| more_after));
    let next_page_token = services.seal(&context, next.map(TokenCursor::History))?;
    Ok(v1::ListReviewItemsResponse { items, next_page_token })
}

/// Returns a position in the queue as page tokens have it: a time and a comment.
fn position_of(review: &Review) -> HistoryCursor {
    HistoryCursor { time: review.due_time.unwrap_or_default(), comment: review.comment_id }
}

fn position(cursor: TokenCursor) -> Option<ReviewCursor> {
    let TokenCursor::History(HistoryCursor { time, comment }) = cursor else { return None };
    Some(ReviewCursor { due_time: time, comment })
}
