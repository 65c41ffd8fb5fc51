//! ListDecisions: the decisions on a comment, newest first.

use riposte_core::page::Page;
use riposte_core::{Caller, Violation};
use riposte_sdk::v1;

use crate::convert::{Anchor, MAX_BYTES};
use crate::page_token::{TokenContext, TokenCursor};
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::ListDecisionsRequest,
) -> Result<v1::ListDecisionsResponse, RpcError> {
    let mut v = Violations::default();
    let id = v.take(match request.of {
        Some(v1::list_decisions_request::Of::CommentId(id)) => parse::comment_id("comment_id", id),
        None => Err(Violation::field("of", "must name a comment")),
    });
    let limit = v.take(parse::page_size(request.page_size));
    let context = id.map(|id| TokenContext::new(&caller, "ListDecisions").comment(id));
    let before = services.cursor(&mut v, &request.page_token, context.as_ref(), number);
    let (id, limit, before, context) = v.all((id, limit, before, context))?;
    let mut found = services.reviews.decisions(&caller, id, before, limit + 1).await?;
    let more_after = found.len() > limit;
    found.truncate(limit);
    let numbers: Vec<i32> = found.iter().map(|decision| decision.id.number).collect();
    let items = found.into_iter().map(convert::decision).collect();
    let page = convert::fit(Page { items, more_before: false, more_after }, Anchor::First, MAX_BYTES);
    let last = page.items.len().checked_sub(1).filter(|_| page.more_after).and_then(|last| numbers.get(last).copied());
    let next_page_token = services.seal(&context, last.map(TokenCursor::Revision))?;
    Ok(v1::ListDecisionsResponse { decisions: page.items, next_page_token })
}

fn number(cursor: TokenCursor) -> Option<i32> {
    if let TokenCursor::Revision(number) = cursor { Some(number) } else { None }
}
