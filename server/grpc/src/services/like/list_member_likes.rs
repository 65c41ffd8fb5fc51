//! ListMemberLikes.

use riposte_core::Caller;
use riposte_core::page::MemberLike;
use riposte_sdk::v1;

use crate::page_token::{TokenContext, TokenCursor};
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::ListMemberLikesRequest,
) -> Result<v1::ListMemberLikesResponse, RpcError> {
    let mut v = Violations::default();
    let subject = v.subject(&services.comments, &caller, "subject", request.subject.as_ref())?;
    let member = v.take(parse::member("member_id", &request.member_id));
    let limit = v.take(parse::page_size(request.page_size));
    let parts = subject.as_ref().zip(member.as_ref());
    let context = parts
        .map(|((key, _), member)| TokenContext::new(&caller, "ListMemberLikes").subject(key).argument(member.as_str()));
    let comment_id = |cursor| if let TokenCursor::Comment(id) = cursor { Some(id) } else { None };
    let after = services.cursor(&mut v, &request.page_token, context.as_ref(), comment_id);
    let ((key, _), member, limit, after, context) = v.all((subject, member, limit, after, context))?;
    let page = services.comments.member_likes(&caller, &key, &member, after, limit).await?;
    let last = page.items.last().filter(|_| page.more_after);
    let next_page_token = services.seal(&context, last.map(|last| TokenCursor::Comment(last.comment)))?;
    Ok(v1::ListMemberLikesResponse { likes: page.items.iter().map(member_like).collect(), next_page_token })
}

fn member_like(like: &MemberLike) -> v1::MemberLike {
    v1::MemberLike {
        comment_id: like.comment.get(),
        value: convert::like_value(like.value).into(),
        like_time: Some(convert::time(like.time)),
    }
}
