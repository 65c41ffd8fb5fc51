//! ListOwnDecisions: the statements of reasons to a member.

use riposte_core::page::Page;
use riposte_core::report::DecisionCursor;
use riposte_core::reports::Statement;
use riposte_core::{Caller, MemberOfType, ObjectType};
use riposte_sdk::v1;

use crate::convert::{Anchor, MAX_BYTES};
use crate::page_token::{TokenContext, TokenCursor};
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::ListOwnDecisionsRequest,
) -> Result<v1::ListOwnDecisionsResponse, RpcError> {
    let v1::ListOwnDecisionsRequest { object_type, member_id, page_size, page_token } = request;
    let context = TokenContext::new(&caller, "ListOwnDecisions").argument(&object_type).argument(&member_id);
    let mut v = Violations::default();
    let object_type = v.take(ObjectType::parse("object_type", &object_type));
    let member = v.take(parse::member("member_id", &member_id));
    let limit = v.take(parse::page_size(page_size));
    let position = |cursor| if let TokenCursor::Decision(position) = cursor { Some(position) } else { None };
    let after = services.cursor(&mut v, &page_token, Some(&context), position);
    let (object_type, member, limit, after) = v.all((object_type, member, limit, after))?;
    let of = MemberOfType { object_type, member };
    let mut found = services.reports.statements(&caller, &of, after, limit + 1).await?;
    let more_after = found.len() > limit;
    found.truncate(limit);
    let positions: Vec<DecisionCursor> = found.iter().map(position_of).collect();
    let items = found.into_iter().map(convert::statement).collect();
    let page = convert::fit(Page { items, more_before: false, more_after }, Anchor::First, MAX_BYTES);
    let last = page.items.len().checked_sub(1).filter(|_| page.more_after).and_then(|last| positions.get(last));
    let next_page_token = services.seal(&context, last.copied().map(TokenCursor::Decision))?;
    Ok(v1::ListOwnDecisionsResponse { statements: page.items, next_page_token })
}

fn position_of(statement: &Statement) -> DecisionCursor {
    let decision = &statement.decision;
    DecisionCursor { time: decision.time, comment: decision.id.comment, number: decision.id.number }
}
