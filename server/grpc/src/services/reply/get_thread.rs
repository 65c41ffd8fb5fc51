//! GetThread: the comments below one comment.

use riposte_core::object_type::MAX_LEVELS;
use riposte_core::page::{Page, SubtreeQuery};
use riposte_core::{Caller, Path};
use riposte_sdk::v1;

use crate::convert::{Anchor, MAX_BYTES};
use crate::error_metadata::under;
use crate::page_token::{TokenContext, TokenCursor};
use crate::parse::Violations;
use crate::rpc_error::RpcError;
use crate::{Services, convert, parse};

pub(crate) async fn handle(
    services: &Services,
    caller: Caller,
    request: v1::GetThreadRequest,
) -> Result<v1::GetThreadResponse, RpcError> {
    let mut v = Violations::default();
    let top = v.comment(&services.comments, &caller, "comment_id", request.comment_id).await?;
    let levels = v.take(parse::max_depth(request.max_depth));
    let limit = v.take(parse::page_size(request.page_size));
    let min_revision = v.take(parse::min_revision(request.min_revision));
    let context = top.as_ref().zip(levels);
    let context =
        context.map(|((top, _), levels)| TokenContext::new(&caller, "GetThread").comment(top.id).argument(levels));
    let after = services.cursor(&mut v, &request.page_token, context.as_ref(), path);
    let ((top, _), levels, limit, min_revision, after, context) =
        v.all((top, levels, limit, min_revision, after, context))?;
    let max_depth = top.path.depth().saturating_add(levels).min(MAX_LEVELS - 1);
    let query = SubtreeQuery { top: top.path.clone(), max_depth, after, limit };
    let comments = services.reads(request.fresh);
    let page = comments.thread(&top, &query, min_revision).await.map_err(under(&top.subject))?;
    let items = page.comments.iter().cloned().map(convert::comment).collect();
    let page_of_messages = Page { items, more_before: false, more_after: page.more_after };
    let page_of_messages = convert::fit(page_of_messages, Anchor::First, MAX_BYTES);
    let last =
        page.comments.get(..page_of_messages.items.len()).and_then(<[_]>::last).filter(|_| page_of_messages.more_after);
    let next = last.map(|last| TokenCursor::Path(last.comment.reference.path.clone()));
    let next_page_token = services.seal(&context, next)?;
    Ok(v1::GetThreadResponse {
        comments: page_of_messages.items,
        next_page_token,
        degraded: services.degraded(),
        subject_revision: page.subject.revision,
    })
}

fn path(cursor: TokenCursor) -> Option<Path> {
    if let TokenCursor::Path(path) = cursor { Some(path) } else { None }
}
