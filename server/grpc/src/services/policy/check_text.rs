//! CheckText: what the policy would do with a text.

use riposte_core::{Caller, ObjectType};
use riposte_sdk::v1;

use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::CheckTextRequest,
) -> Result<v1::CheckTextResponse, RpcError> {
    let v1::CheckTextRequest { object_type, content, member_id, with_services } = request;
    let mut v = Violations::default();
    let object_type = v.take(ObjectType::parse("object_type", &object_type));
    let policy = match &object_type {
        Some(object_type) => Some(services.comments.policy(&caller, object_type)?),
        None => None,
    };
    let content = parse::content(&mut v, policy, content);
    let member = v.take(parse::optional_member("member_id", &member_id));
    let (object_type, content, member) = v.all((object_type, content, member))?;
    let of = (&content, member.as_ref());
    let checked = services.texts.check(&caller, &object_type, of, with_services).await?;
    Ok(convert::checked_text(checked))
}
