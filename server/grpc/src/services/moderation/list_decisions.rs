//! ListDecisions: the decisions on a comment or on a member's comments, newest first.

use riposte_core::decision::Decision;
use riposte_core::page::Page;
use riposte_core::report::DecisionCursor;
use riposte_core::{Caller, MemberOfType, ObjectType, Violation};
use riposte_sdk::v1;
use riposte_sdk::v1::list_decisions_request::Of;

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
    let v1::ListDecisionsRequest { of, page_size, page_token } = request;
    let mut v = Violations::default();
    let limit = v.take(parse::page_size(page_size));
    match of {
        Some(Of::CommentId(id)) => on_comment(services, caller, (id, limit, page_token), v).await,
        Some(Of::Member(member)) => about_member(services, caller, (member, limit, page_token), v).await,
        None => Err(v.with(Violation::field("of", "must name a comment or a member"))),
    }
}

async fn on_comment(
    services: &Services,
    caller: Caller,
    (id, limit, page_token): (i64, Option<usize>, String),
    mut v: Violations,
) -> Result<v1::ListDecisionsResponse, RpcError> {
    let id = v.take(parse::comment_id("comment_id", id));
    let context = id.map(|id| TokenContext::new(&caller, "ListDecisions").comment(id));
    let number = |cursor| if let TokenCursor::Revision(number) = cursor { Some(number) } else { None };
    let before = services.cursor(&mut v, &page_token, context.as_ref(), number);
    let (id, limit, before, context) = v.all((id, limit, before, context))?;
    let found = services.reviews.decisions(&caller, id, before, limit + 1).await?;
    page((services, &caller), &context, (found, limit), |decision| TokenCursor::Revision(decision.id.number))
}

async fn about_member(
    services: &Services,
    caller: Caller,
    (member, limit, page_token): (v1::MemberOfType, Option<usize>, String),
    mut v: Violations,
) -> Result<v1::ListDecisionsResponse, RpcError> {
    let v1::MemberOfType { object_type, member_id } = member;
    let context = TokenContext::new(&caller, "ListDecisions").argument(&object_type).argument(&member_id);
    let object_type = v.take(ObjectType::parse("member.object_type", &object_type));
    let member = v.take(parse::member("member.member_id", &member_id));
    let position = |cursor| if let TokenCursor::Decision(position) = cursor { Some(position) } else { None };
    let after = services.cursor(&mut v, &page_token, Some(&context), position);
    let (object_type, member, limit, after) = v.all((object_type, member, limit, after))?;
    let of = MemberOfType { object_type, member };
    let found = services.reports.decisions(&caller, &of, after, limit + 1).await?;
    let position = |decision: &Decision| {
        let id = decision.id;
        TokenCursor::Decision(DecisionCursor { time: decision.time, comment: id.comment, number: id.number })
    };
    page((services, &caller), &context, (found, limit), position)
}

/// Returns a page of the first `limit` decisions; one more was read if there are more.
fn page(
    (services, caller): (&Services, &Caller),
    context: &TokenContext,
    (mut found, limit): (Vec<Decision>, usize),
    position: impl Fn(&Decision) -> TokenCursor,
) -> Result<v1::ListDecisionsResponse, RpcError> {
    let more_after = found.len() > limit;
    found.truncate(limit);
    let positions: Vec<TokenCursor> = found.iter().map(position).collect();
    let items = found.into_iter().map(|decision| services.for_moderators(caller).decision(decision));
    let items = items.collect::<riposte_core::Result<_>>()?;
    let page = convert::fit(Page { items, more_before: false, more_after }, Anchor::First, MAX_BYTES);
    let last = page.items.len().checked_sub(1).filter(|_| page.more_after);
    let next_page_token = services.seal(context, last.and_then(|last| positions.into_iter().nth(last)))?;
    Ok(v1::ListDecisionsResponse { decisions: page.items, next_page_token })
}
