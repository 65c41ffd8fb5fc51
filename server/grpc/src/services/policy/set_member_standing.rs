//! SetMemberStanding: what a member may do under an object type.

use riposte_core::Caller;
use riposte_core::standing::StandingOrder;
use riposte_sdk::v1;

use crate::parse::{ParsedStanding, Violations};
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::SetMemberStandingRequest,
) -> Result<v1::SetMemberStandingResponse, RpcError> {
    let v1::SetMemberStandingRequest { standing, moderator_id, request_id } = request;
    let mut v = Violations::default();
    let standing = parse::member_standing(&mut v, "standing", standing);
    let moderator = v.take(parse::moderator("moderator_id", &moderator_id));
    let request_id = v.take(parse::request_id(&request_id));
    let (standing, moderator, request_id) = v.all((standing, moderator, request_id))?;
    let ParsedStanding { of, in_force, grounds, etag } = standing;
    let order = StandingOrder { of, in_force, grounds, moderator, etag };
    let set = services.standings.set(&caller, request_id, &order).await?;
    Ok(v1::SetMemberStandingResponse { standing: Some(convert::member_standing(set)) })
}
