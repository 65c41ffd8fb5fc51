//! ListMemberComments.

use riposte_core::page::{HistoryCursor, Page};
use riposte_core::read::ListMemberComments;
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
    request: v1::ListMemberCommentsRequest,
) -> Result<v1::ListMemberCommentsResponse, RpcError> {
    let v1::ListMemberCommentsRequest { object_type, member_id, include_unlisted: all, page_size, page_token } =
        request;
    let context = TokenContext::new(&caller, "ListMemberComments").argument(&object_type).argument(&member_id);
    let context = context.argument(all);
    let mut v = Violations::default();
    let object_type = v.take(ObjectType::parse("object_type", &object_type));
    let member = v.take(parse::member("member_id", &member_id));
    let limit = v.take(parse::page_size(page_size));
    let position = |cursor| if let TokenCursor::History(position) = cursor { Some(position) } else { None };
    let after = services.cursor(&mut v, &page_token, Some(&context), position);
    let (object_type, member, limit, after) = v.all((object_type, member, limit, after))?;
    let request = ListMemberComments { object_type, member, all, after, limit };
    let (page, next) = services.comments.member_comments(&caller, &request).await?;
    let (positions, comments): (Vec<HistoryCursor>, Vec<_>) =
        page.items.into_iter().map(|(position, view)| (position, convert::comment(view))).unzip();
    let count = comments.len();
    let page = Page { items: comments, more_before: false, more_after: next.is_some() };
    let comments = convert::fit(page, Anchor::First, MAX_BYTES).items;
    // Items that were cut off belong to the next page, together with all unlisted items after
    // them.
    let cut = comments.len().checked_sub(1).filter(|_| comments.len() < count);
    let next = cut.and_then(|last| positions.get(last).copied()).or(next);
    let next_page_token = services.seal(&context, next.map(TokenCursor::History))?;
    Ok(v1::ListMemberCommentsResponse { comments, next_page_token, degraded: services.degraded() })
}
