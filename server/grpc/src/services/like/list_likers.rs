//! ListLikers.

use riposte_core::Caller;
use riposte_core::page::LikerCursor;
use riposte_sdk::v1;

use crate::page_token::{TokenContext, TokenCursor};
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::ListLikersRequest,
) -> Result<v1::ListLikersResponse, RpcError> {
    let mut v = Violations::default();
    let id = v.take(parse::comment_id("comment_id", request.comment_id));
    let value = v.take(parse::liked(request.value));
    let limit = v.take(parse::page_size(request.page_size));
    let context = id.zip(value);
    let context =
        context.map(|(id, value)| TokenContext::new(&caller, "ListLikers").comment(id).argument(value.code()));
    let after = services.cursor(&mut v, &request.page_token, context.as_ref(), liker);
    let (id, value, limit, after, context) = v.all((id, value, limit, after, context))?;
    let page = services.comments.likers(&caller, id, value, after.as_ref(), limit).await?;
    let last = page.items.last().filter(|_| page.more_after);
    let next = last.map(|last| TokenCursor::Liker(LikerCursor { time: last.time, member: last.member.clone() }));
    let next_page_token = services.seal(&context, next)?;
    let likers = page.items.iter().map(convert::liker).collect();
    Ok(v1::ListLikersResponse { likers, next_page_token })
}

fn liker(cursor: TokenCursor) -> Option<LikerCursor> {
    if let TokenCursor::Liker(cursor) = cursor { Some(cursor) } else { None }
}
