//! ListReplies.

use prost::Message;
use riposte_core::Caller;
use riposte_core::comments::{At, ListReplies};
use riposte_core::page::Order;
use riposte_sdk::v1;

use super::ReplyCalls;
use crate::rpc::about::under;
use crate::rpc::answer::{Asked, MAX_BYTES};
use crate::rpc::page_token::Cursor;
use crate::rpc::parse::{Violations, Where};
use crate::rpc::refusal::Refusal;
use crate::rpc::walk::Walk;
use crate::rpc::{about, answer, parse};

impl ReplyCalls {
    pub(super) async fn list(
        &self,
        caller: Caller,
        request: v1::ListRepliesRequest,
    ) -> Result<v1::ListRepliesResponse, Refusal> {
        let mut v = Violations::default();
        let root = v.comment(&self.0.comments, &caller, "root_id", request.root_id).await?;
        let sort = v.take(parse::sort(request.sort, Order::Oldest));
        let order = sort.and_then(parse::Sort::order);
        let walk = root.as_ref().zip(order).map(|((root, _), order)| Walk::replies(&caller, root.id, order));
        let asked =
            Where { page_token: &request.page_token, around_comment_id: request.around_comment_id, around_floor: 0 };
        let at = parse::place(&mut v, asked, walk.as_ref(), &self.0.tokens);
        let limit = v.take(parse::page_size(request.page_size));
        let min_revision = v.take(parse::min_revision(request.min_revision));
        let ((root, _), sort, at, limit, min_revision) = v.all((root, sort, at, limit, min_revision))?;
        let order = sort.stable()?;
        let walk = Walk::replies(&caller, root.id, order);
        let ask = ListReplies { root, order, at, limit, min_revision };
        let page = self.0.comments.list_replies(&caller, &ask).await;
        let page = page.map_err(under(&ask.root.subject)).map_err(|refusal| match at {
            // The root was found: it is the other comment that is not there.
            At::Comment(id) => refusal.or_about(about::comment(id.get())),
            At::Start(_) => refusal,
        })?;
        let subject_revision = page.subject.revision;
        let root = answer::comment(&page.root);
        let replies = page.replies.map(|reply| answer::comment(&reply));
        let room = MAX_BYTES.saturating_sub(root.encoded_len());
        let (replies, ends) = answer::by_floor(replies, Asked { at, order }, room);
        Ok(v1::ListRepliesResponse {
            replies: replies.items,
            next_page_token: self.0.seal(walk.context(), ends.next.map(Cursor::Floor))?,
            previous_page_token: self.0.seal(walk.context(), ends.previous.map(Cursor::Floor))?,
            root: Some(root),
            subject_revision,
            degraded: self.0.degraded(),
        })
    }
}
