//! ListReports: the reports on a comment, newest first, with their reporters.

use riposte_core::Caller;
use riposte_core::page::{LikerCursor, Page};
use riposte_core::report::Report;
use riposte_sdk::v1;

use crate::convert::{Anchor, MAX_BYTES};
use crate::page_token::{TokenContext, TokenCursor};
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::ListReportsRequest,
) -> Result<v1::ListReportsResponse, RpcError> {
    let mut v = Violations::default();
    let id = v.take(parse::comment_id("comment_id", request.comment_id));
    let limit = v.take(parse::page_size(request.page_size));
    let context = id.map(|id| TokenContext::new(&caller, "ListReports").comment(id));
    // A position is a time and a member, as in a list of likers.
    let position = |cursor| if let TokenCursor::Liker(position) = cursor { Some(position) } else { None };
    let after = services.cursor(&mut v, &request.page_token, context.as_ref(), position);
    let (id, limit, after, context) = v.all((id, limit, after, context))?;
    let mut found = services.reports.on_comment(&caller, id, after.as_ref(), limit + 1).await?;
    let more_after = found.len() > limit;
    found.truncate(limit);
    let position = |(report, _): &(Report, _)| LikerCursor { time: report.time, member: report.member.clone() };
    let positions: Vec<LikerCursor> = found.iter().map(position).collect();
    let items = found.into_iter().map(|(report, is_open)| convert::report(report, is_open)).collect();
    let page = convert::fit(Page { items, more_before: false, more_after }, Anchor::First, MAX_BYTES);
    let last = page.items.len().checked_sub(1).filter(|_| page.more_after).and_then(|last| positions.get(last));
    let next_page_token = services.seal(&context, last.cloned().map(TokenCursor::Liker))?;
    Ok(v1::ListReportsResponse { reports: page.items, next_page_token })
}
