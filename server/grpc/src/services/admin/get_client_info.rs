//! GetClientInfo: what is stored about the client that wrote a comment, for operators.

use riposte_core::{Caller, Violation};
use riposte_sdk::v1;

use crate::moderation::MAX_REASON;
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::GetClientInfoRequest,
) -> Result<v1::GetClientInfoResponse, RpcError> {
    let v1::GetClientInfoRequest { id, reason } = request;
    let mut v = Violations::default();
    let id = v.take(parse::comment_id("id", id));
    let checked = v.take(parse::bounded("reason", &reason, MAX_REASON));
    let is_blank = reason.trim().is_empty();
    let stated = if is_blank { Err(Violation::field("reason", "must not be blank")) } else { Ok(()) };
    let stated = v.take(stated);
    let (id, (), ()) = v.all((id, checked, stated))?;
    let client = services.reviews.client(&caller, id).await?;
    Ok(v1::GetClientInfoResponse { client: Some(convert::client(client)) })
}
