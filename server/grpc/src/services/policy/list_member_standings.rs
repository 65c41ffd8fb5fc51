//! ListMemberStandings: the standings of an object type, newest first.

use riposte_core::page::{LikerCursor, Page};
use riposte_core::ports::StandingQuery;
use riposte_core::standing::MemberStanding;
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
    request: v1::ListMemberStandingsRequest,
) -> Result<v1::ListMemberStandingsResponse, RpcError> {
    let v1::ListMemberStandingsRequest { object_type, member_id, page_size, page_token } = request;
    let context = TokenContext::new(&caller, "ListMemberStandings").argument(&object_type).argument(&member_id);
    let mut v = Violations::default();
    let object_type = v.take(ObjectType::parse("object_type", &object_type));
    let member = v.take(parse::optional_member("member_id", &member_id));
    let limit = v.take(parse::page_size(page_size));
    // A position is a time and a member, as in a list of likers.
    let position = |cursor| if let TokenCursor::Liker(position) = cursor { Some(position) } else { None };
    let after = services.cursor(&mut v, &page_token, Some(&context), position);
    let (object_type, member, limit, after) = v.all((object_type, member, limit, after))?;
    let (now, after) = (services.clock.now(), after.map(|after| (after.time, after.member)));
    let query = StandingQuery { object_type, member, after, limit: limit + 1, now };
    let mut found = services.standings.list(&caller, &query).await?;
    let more_after = found.len() > limit;
    found.truncate(limit);
    let position =
        |standing: &MemberStanding| LikerCursor { time: standing.changed, member: standing.of.member.clone() };
    let positions: Vec<LikerCursor> = found.iter().map(position).collect();
    let present = |standing: MemberStanding| MemberStanding { in_force: standing.in_force.at(now), ..standing };
    let items = found.into_iter().map(present).map(convert::member_standing).collect();
    let page = convert::fit(Page { items, more_before: false, more_after }, Anchor::First, MAX_BYTES);
    let last = page.items.len().checked_sub(1).filter(|_| page.more_after).and_then(|last| positions.get(last));
    let next_page_token = services.seal(&context, last.cloned().map(TokenCursor::Liker))?;
    Ok(v1::ListMemberStandingsResponse { standings: page.items, next_page_token })
}
