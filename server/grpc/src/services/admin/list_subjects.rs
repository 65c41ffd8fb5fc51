//! ListSubjects: lists the subjects of a type.

use riposte_core::{Caller, ObjectType};
use riposte_sdk::v1;

use crate::Services;
use crate::convert;
use crate::page_token::{TokenContext, TokenCursor};
use crate::parse::{self, Violations};
use crate::rpc_error::RpcError;

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::ListSubjectsRequest,
) -> Result<v1::ListSubjectsResponse, RpcError> {
    let v1::ListSubjectsRequest { object_type, page_size, page_token } = &request;
    let context = TokenContext::new(&caller, "ListSubjects").argument(object_type);
    let mut v = Violations::default();
    let object_type = v.take(ObjectType::parse("object_type", object_type));
    let limit = v.take(parse::page_size(*page_size));
    let position = |cursor| if let TokenCursor::Subject(position) = cursor { Some(position) } else { None };
    let after =
        parse::page_token(&mut v, ("page_token", page_token), |token| services.tokens.open(&context, token), position);
    let (object_type, limit, after) = v.all((object_type, limit, after))?;
    let (found, next) =
        services.comments.list_subjects(&caller, Some(&object_type), after.unwrap_or_default(), limit).await?;
    let now = services.clock.now();
    let token = next.map(|next| services.tokens.seal(&context, &TokenCursor::Subject(next), now)).transpose()?;
    let subjects = found.iter().map(convert::subject).collect();
    Ok(v1::ListSubjectsResponse { subjects, next_page_token: token.unwrap_or_default() })
}
