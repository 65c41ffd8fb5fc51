//! ListComments.

use prost::Message;
use riposte_core::comments::ListComments;
use riposte_core::page::{Order, Page, Thread};
use riposte_core::{Caller, Error};
use riposte_sdk::v1;

use super::CommentCalls;
use crate::rpc::answer::{Asked, MAX_BYTES};
use crate::rpc::page_token::{Cursor, Step};
use crate::rpc::parse::{Violations, Where};
use crate::rpc::refusal::Refusal;
use crate::rpc::walk::Walk;
use crate::rpc::{answer, parse};

impl CommentCalls {
    pub(super) async fn list(
        &self,
        caller: Caller,
        request: v1::ListCommentsRequest,
    ) -> Result<v1::ListCommentsResponse, Refusal> {
        let (walk, ask) = self.list_asked(&caller, &request)?;
        let order = ask.order;
        let page = self.0.comments.list_comments(&caller, &ask).await?;
        let subject = answer::subject(&page.subject);
        // Later pages of a walk do not repeat them.
        let pinned = if request.page_token.is_empty() { page.pinned } else { Vec::new() };
        let pinned = pinned.iter().map(|thread| self.thread(&caller, thread)).collect::<Result<Vec<_>, Error>>()?;
        let Page { items, more_before, more_after } = page.threads;
        let items = items.iter().map(|thread| self.thread(&caller, thread)).collect::<Result<Vec<_>, Error>>()?;
        let beside = subject.encoded_len() + pinned.iter().map(Message::encoded_len).sum::<usize>();
        let room = MAX_BYTES.saturating_sub(beside);
        let page = Page { items, more_before, more_after };
        let (page, ends) = answer::by_floor(page, Asked { at: ask.at, order }, room);
        Ok(v1::ListCommentsResponse {
            threads: page.items,
            pinned,
            next_page_token: self.0.seal(walk.context(), ends.next.map(Cursor::Floor))?,
            previous_page_token: self.0.seal(walk.context(), ends.previous.map(Cursor::Floor))?,
            subject: Some(subject),
            degraded: self.0.degraded(),
        })
    }

    fn list_asked(&self, caller: &Caller, request: &v1::ListCommentsRequest) -> Result<(Walk, ListComments), Refusal> {
        let mut v = Violations::default();
        let subject = v.subject(&self.0.comments, caller, "subject", request.subject.as_ref())?;
        let sort = v.take(parse::sort(request.sort, Order::Newest));
        let order = sort.and_then(parse::Sort::order);
        let walk = subject.as_ref().zip(order).map(|((key, _), order)| Walk::roots(caller, key, order));
        let asked = Where {
            page_token: &request.page_token,
            around_comment_id: request.around_comment_id,
            around_floor: request.around_floor,
        };
        let at = parse::place(&mut v, asked, walk.as_ref(), &self.0.tokens);
        let limit = v.take(parse::page_size(request.page_size));
        let previews = v.take(parse::previews(request.reply_preview_size));
        let min_revision = v.take(parse::min_revision(request.min_revision));
        let ((key, _), sort, at, limit, previews, min_revision) =
            v.all((subject, sort, at, limit, previews, min_revision))?;
        let order = sort.stable()?;
        let walk = Walk::roots(caller, &key, order);
        Ok((walk, ListComments { subject: key, order, at, limit, previews, min_revision }))
    }

    /// A thread with the token that walks all its replies from the first.
    fn thread(&self, caller: &Caller, thread: &Thread) -> Result<v1::CommentThread, Error> {
        answer::thread(thread, |root| {
            let walk = Walk::replies(caller, root, Order::Oldest);
            let first = Cursor::Floor(Step::after(0, walk.order()));
            self.0.seal(walk.context(), Some(first))
        })
    }
}
