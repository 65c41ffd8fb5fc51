//! ListCommentRevisions.

use riposte_core::page::{ContentRevision, Page};
use riposte_core::{Caller, MemberId};
use riposte_sdk::v1;

use crate::convert::{Anchor, MAX_BYTES};
use crate::page_token::{TokenContext, TokenCursor};
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::ListCommentRevisionsRequest,
) -> Result<v1::ListCommentRevisionsResponse, RpcError> {
    let mut v = Violations::default();
    let id = v.take(parse::comment_id("id", request.id));
    let limit = v.take(parse::page_size(request.page_size));
    let context = id.map(|id| TokenContext::new(&caller, "ListCommentRevisions").comment(id));
    let before = services.cursor(&mut v, &request.page_token, context.as_ref(), number);
    let (id, limit, before, context) = v.all((id, limit, before, context))?;
    let (view, contents) = services.comments.revisions(&caller, id).await?;
    let superseded = superseded(&contents, &view.comment.reference.member, before.unwrap_or(i32::MAX));
    let more_after = superseded.len() > limit;
    let items = superseded.into_iter().take(limit).collect();
    let page = convert::fit(Page { items, more_before: false, more_after }, Anchor::First, MAX_BYTES);
    let last = page.items.last().filter(|_| page.more_after);
    let next_page_token = services.seal(&context, last.map(|last| TokenCursor::Revision(last.number)))?;
    Ok(v1::ListCommentRevisionsResponse { revisions: page.items, next_page_token })
}

fn number(cursor: TokenCursor) -> Option<i32> {
    if let TokenCursor::Revision(number) = cursor { Some(number) } else { None }
}

/// Returns the superseded texts below `before`, the latest first, numbered from 1 in the order in
/// which they were written.
fn superseded(contents: &[ContentRevision], author: &MemberId, before: i32) -> Vec<v1::CommentRevision> {
    let pairs = (1..).zip(contents.windows(2)).take_while(|(number, _)| *number < before);
    let revisions = pairs.filter_map(|(number, pair)| {
        let former = pair.first()?;
        Some(v1::CommentRevision {
            number,
            content: Some(convert::content(former.content.clone())),
            member_id: author.as_str().to_owned(),
            create_time: Some(convert::time(former.time)),
        })
    });
    let mut revisions: Vec<_> = revisions.collect();
    revisions.reverse();
    revisions
}
