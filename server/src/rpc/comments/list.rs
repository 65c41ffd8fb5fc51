//! ListComments.

use prost::Message;
use riposte_cache::Printed;
use riposte_core::comments::{At, ListComments, ListRanked};
use riposte_core::page::{Order, Page, RootPage, Start, Thread};
use riposte_core::rank::Along;
use riposte_core::{Caller, CommentId, Error, SubjectId, SubjectKey, SubjectState};
use riposte_sdk::v1;

use super::CommentCalls;
use crate::rpc::answer::{Asked, MAX_BYTES, Print, PrintedResponse, PrintedThread};
use crate::rpc::page_token::{Cursor, Step};
use crate::rpc::parse::{Sort, Stand, Violations, Where};
use crate::rpc::refusal::Refusal;
use crate::rpc::walk::Walk;
use crate::rpc::{answer, parse};

/// What was asked for, beside the place.
struct Terms {
    subject: SubjectKey,
    limit: usize,
    previews: u8,
    min_revision: i64,
    fresh: bool,
}

impl CommentCalls {
    pub(super) async fn list(
        &self,
        caller: Caller,
        request: v1::ListCommentsRequest,
    ) -> Result<v1::ListCommentsResponse, Refusal> {
        Ok(self.listed(&caller, &request).await?.1)
    }

    /// The page, and its subject by the name that events have for it.
    pub(in crate::rpc) async fn listed(
        &self,
        caller: &Caller,
        request: &v1::ListCommentsRequest,
    ) -> Result<(SubjectId, v1::ListCommentsResponse), Refusal> {
        let (walk, terms, stand) = self.list_asked(caller, request)?;
        let (page, asked) = self.list_read(caller, terms, stand).await?;
        let id = page.subject.id;
        let subject = answer::subject(&page.subject);
        // Later pages of a walk do not repeat them.
        let pinned = if request.page_token.is_empty() { page.pinned } else { Vec::new() };
        let pinned = pinned.into_iter().map(|thread| self.thread(caller, thread)).collect::<Result<Vec<_>, Error>>()?;
        let Page { items, more_before, more_after } = page.threads;
        let items = items.into_iter().map(|thread| self.thread(caller, thread)).collect::<Result<Vec<_>, Error>>()?;
        let beside = subject.encoded_len() + pinned.iter().map(Message::encoded_len).sum::<usize>();
        let room = MAX_BYTES.saturating_sub(beside);
        let page = Page { items, more_before, more_after };
        let (threads, ends) = answer::cut(page, &asked, room);
        let page = v1::ListCommentsResponse {
            threads: threads.items,
            pinned,
            next_page_token: self.0.seal(walk.context(), ends.next)?,
            previous_page_token: self.0.seal(walk.context(), ends.previous)?,
            subject: Some(subject),
            degraded: self.0.degraded(),
        };
        Ok((id, page))
    }

    /// The first page that is asked for, where it is kept in print, and its subject by the name that events have for it. `None` is
    /// answered by [`CommentCalls::listed`].
    pub(in crate::rpc) async fn printed(
        &self,
        caller: &Caller,
        request: &v1::ListCommentsRequest,
    ) -> Result<Option<(SubjectId, PrintedResponse)>, Refusal> {
        let (walk, terms, stand) = self.list_asked(caller, request)?;
        let Terms { subject, limit, previews, min_revision, fresh } = terms;
        let Some(copies) = self.0.copies.as_ref().filter(|_| !fresh) else { return Ok(None) };
        let Stand::Floor(order, at @ At::Start(Start::Beginning)) = stand else { return Ok(None) };
        let Some(Printed { subject, print }) = copies.printed(&subject, order, limit, previews).await else {
            return Ok(None);
        };
        let readable = subject.state != SubjectState::Hidden && subject.revision >= min_revision;
        let Some((page, pinned)) = Print::read(print).filter(|_| readable) else { return Ok(None) };
        let whole = |thread: PrintedThread| thread.whole(|root| self.replies_from_the_first(caller, root));
        // A print is far smaller than the largest page: nothing is cut off.
        let (page, ends) = answer::cut(page, &Asked::Floor(order, at), MAX_BYTES);
        let page = PrintedResponse {
            threads: page.items.into_iter().map(whole).collect::<Result<_, Error>>()?,
            pinned: pinned.into_iter().map(whole).collect::<Result<_, Error>>()?,
            next_page_token: self.0.seal(walk.context(), ends.next)?,
            previous_page_token: self.0.seal(walk.context(), ends.previous)?,
            subject: Some(answer::subject(&subject)),
            degraded: self.0.degraded(),
        };
        Ok(Some((subject.id, page)))
    }

    /// The page, and what its ends are told by.
    async fn list_read(&self, caller: &Caller, terms: Terms, stand: Stand) -> Result<(RootPage, Asked), Error> {
        let Terms { subject, limit, previews, min_revision, fresh } = terms;
        let comments = self.0.answering(fresh);
        match stand {
            Stand::Floor(order, at) => {
                let ask = ListComments { subject, order, at, limit, previews, min_revision };
                let page = comments.list_comments(caller, &ask).await?;
                Ok((page, Asked::Floor(order, at)))
            }
            Stand::Rank(sort, at) => {
                let ask = ListRanked { subject, sort, at, limit, previews, min_revision };
                let Along { page, trail } = comments.list_ranked(caller, &ask).await?;
                Ok((page, Asked::Rank(at, trail)))
            }
        }
    }

    fn list_asked(&self, caller: &Caller, request: &v1::ListCommentsRequest) -> Result<(Walk, Terms, Stand), Refusal> {
        let mut v = Violations::default();
        let subject = v.subject(&self.0.comments, caller, "subject", request.subject.as_ref())?;
        let sort = v.take(parse::sort(request.sort, Order::Newest));
        let walk = subject.as_ref().zip(sort).map(|((key, _), sort)| Walk::roots(caller, key, sort));
        let asked = Where {
            page_token: &request.page_token,
            around_comment_id: request.around_comment_id,
            around_floor: request.around_floor,
        };
        let stand = parse::place(&mut v, asked, walk.as_ref(), &self.0.tokens);
        let limit = v.take(parse::page_size(request.page_size));
        let previews = v.take(parse::previews(request.reply_preview_size));
        let min_revision = v.take(parse::min_revision(request.min_revision));
        let ((subject, _), walk, stand, limit, previews, min_revision) =
            v.all((subject, walk, stand, limit, previews, min_revision))?;
        let fresh = request.fresh;
        Ok((walk, Terms { subject, limit, previews, min_revision, fresh }, stand))
    }

    /// A thread with the token that walks all its replies from the first.
    fn thread(&self, caller: &Caller, thread: Thread) -> Result<v1::CommentThread, Error> {
        answer::thread(thread, |root| self.replies_from_the_first(caller, root))
    }

    fn replies_from_the_first(&self, caller: &Caller, root: CommentId) -> Result<String, Error> {
        let walk = Walk::replies(caller, root, Sort::Stable(Order::Oldest));
        let first = Cursor::Floor(Step::after(0, Order::Oldest));
        self.0.seal(walk.context(), Some(first))
    }
}
