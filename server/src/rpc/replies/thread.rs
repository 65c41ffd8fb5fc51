//! GetThread and ListConversation: the comments below and above one comment.

use riposte_core::object_type::MAX_LEVELS;
use riposte_core::page::{Page, SubtreeQuery};
use riposte_core::{Caller, Path};
use riposte_sdk::v1;

use super::ReplyHandlers;
use crate::rpc::convert::{Anchor, MAX_BYTES};
use crate::rpc::error_metadata::under;
use crate::rpc::page_token::{TokenContext, TokenCursor};
use crate::rpc::parse::Violations;
use crate::rpc::rpc_error::RpcError;
use crate::rpc::{convert, parse};

impl ReplyHandlers {
    pub(super) async fn thread(
        &self,
        caller: Caller,
        request: v1::GetThreadRequest,
    ) -> Result<v1::GetThreadResponse, RpcError> {
        let mut v = Violations::default();
        let top = v.comment(&self.0.comments, &caller, "comment_id", request.comment_id).await?;
        let levels = v.take(parse::max_depth(request.max_depth));
        let limit = v.take(parse::page_size(request.page_size));
        let min_revision = v.take(parse::min_revision(request.min_revision));
        let walk = top.as_ref().zip(levels);
        let walk =
            walk.map(|((top, _), levels)| TokenContext::new(&caller, "GetThread").comment(top.id).argument(levels));
        let after = self.0.cursor(&mut v, &request.page_token, walk.as_ref(), path);
        let ((top, _), levels, limit, min_revision, after, walk) =
            v.all((top, levels, limit, min_revision, after, walk))?;
        let max_depth = top.path.depth().saturating_add(levels).min(MAX_LEVELS - 1);
        let part = SubtreeQuery { top: top.path.clone(), max_depth, after, limit };
        let comments = self.0.answering(request.fresh);
        let page = comments.thread(&top, &part, min_revision).await.map_err(under(&top.subject))?;
        let items = page.comments.iter().cloned().map(convert::comment).collect();
        let shown = Page { items, more_before: false, more_after: page.more_after };
        let shown = convert::fit(shown, Anchor::First, MAX_BYTES);
        let last = page.comments.get(..shown.items.len()).and_then(<[_]>::last).filter(|_| shown.more_after);
        let next = last.map(|last| TokenCursor::Path(last.comment.path.clone()));
        let next_page_token = self.0.seal(&walk, next)?;
        Ok(v1::GetThreadResponse { comments: shown.items, next_page_token, degraded: self.0.degraded() })
    }

    pub(super) async fn conversation(
        &self,
        caller: Caller,
        request: v1::ListConversationRequest,
    ) -> Result<v1::ListConversationResponse, RpcError> {
        let mut v = Violations::default();
        let id = v.take(parse::comment_id("comment_id", request.comment_id));
        let min_revision = v.take(parse::min_revision(request.min_revision));
        let (id, min_revision) = v.all((id, min_revision))?;
        let comments = self.0.answering(request.fresh);
        let (view, ancestors, truncated) = comments.conversation(&caller, id, min_revision).await?;
        Ok(v1::ListConversationResponse {
            comment: Some(convert::comment(view)),
            ancestors: ancestors.into_iter().map(convert::comment).collect(),
            truncated,
            degraded: self.0.degraded(),
        })
    }
}

fn path(cursor: TokenCursor) -> Option<Path> {
    if let TokenCursor::Path(path) = cursor { Some(path) } else { None }
}
