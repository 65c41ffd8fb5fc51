//! Lists: roots with previews, replies, subtrees.

use crate::caller::Caller;
use crate::comments::Comments;
use crate::comments::subjects::{implied, reached};
use crate::error::{Error, Result};
use crate::ids::CommentId;
use crate::page::{
    DEFAULT_PREVIEW, ListOrder, LocatedComment, Page, PageQuery, PageStart, ReplyPage, RootPage, SubtreeQuery,
    ThreadPage,
};
use crate::subject::{Subject, SubjectKey, SubjectState};

/// Where a list is asked to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListStart {
    /// A place in the order.
    Start(PageStart),
    /// The page that holds this comment.
    Comment(CommentId),
}

/// A page of roots to read.
#[derive(Debug, Clone)]
pub struct ListComments {
    /// Of which subject.
    pub subject: SubjectKey,
    /// In which order.
    pub order: ListOrder,
    /// From where.
    pub at: ListStart,
    /// The most roots.
    pub limit: usize,
    /// The most replies in each preview, 0 to 10.
    pub previews: u8,
    /// At least this revision.
    pub min_revision: i64,
}

/// A page of replies to read.
#[derive(Debug, Clone)]
pub struct ListReplies {
    /// Of which root.
    pub root: LocatedComment,
    /// In which order.
    pub order: ListOrder,
    /// From where.
    pub at: ListStart,
    /// The most replies.
    pub limit: usize,
    /// At least this revision.
    pub min_revision: i64,
}

impl Comments {
    /// A page of roots with their previews. Around a reply, the page of its root, with that thread's preview around it.
    ///
    /// # Errors
    /// [`Error::SubjectNotFound`], [`Error::SubjectHidden`], [`Error::RevisionNotReached`]; [`Error::CommentNotFound`]
    /// for an `ListStart::Comment` that is not in the subject.
    pub async fn list_comments(&self, caller: &Caller, ask: &ListComments) -> Result<RootPage> {
        let policy = self.policy(caller, ask.subject.object_type())?;
        let (start, around) = match ask.at {
            ListStart::Start(start) => (start, None),
            ListStart::Comment(id) => {
                let (root_floor, at) = self.around(caller, &ask.subject, id).await?;
                (PageStart::Around(root_floor), Some(at))
            }
        };
        let window = PageQuery { order: ask.order, start, limit: ask.limit };
        let mut found = self.reader.roots(&ask.subject, window, ask.previews).await?;
        if let Some(origin) = self.behind(ask.min_revision, found.as_ref().map(|page| &page.subject)) {
            found = origin.roots(&ask.subject, window, ask.previews).await?;
        }
        let Some(mut page) = found else {
            return self.absent(&ask.subject, implied(&ask.subject, policy), ask.min_revision).await;
        };
        shown(&page.subject, ask.min_revision)?;
        if let Some(reply) = around.filter(|at| at.path.depth() > 0) {
            // Whoever jumps to a reply wants to see it, even where no previews were asked for.
            self.centre(&mut page, &reply, ask.previews.max(DEFAULT_PREVIEW)).await?;
        }
        Ok(page.redacted())
    }

    /// The floor of the root whose page holds `id`, and where `id` is.
    pub(super) async fn around(
        &self,
        caller: &Caller,
        key: &SubjectKey,
        id: CommentId,
    ) -> Result<(i32, LocatedComment)> {
        let (at, _) = self.locate(caller, id).await?;
        if at.subject != *key {
            return Err(Error::CommentNotFound);
        }
        if at.path.depth() == 0 {
            return Ok((at.floor, at));
        }
        let (root, _) = self.locate(caller, at.root()).await?;
        Ok((root.floor, at))
    }

    /// Replaces the preview of a reply's thread by the replies around it. They come from a snapshot of their own: the one
    /// answer that is read in two.
    pub(super) async fn centre(&self, page: &mut RootPage, reply: &LocatedComment, limit: u8) -> Result<()> {
        let window =
            PageQuery { order: ListOrder::Oldest, start: PageStart::Around(reply.floor), limit: usize::from(limit) };
        let Some(found) = self.reader.replies(&reply.subject, reply.root(), window).await? else { return Ok(()) };
        for thread in page.threads.items.iter_mut().filter(|t| t.root.comment.id == reply.root()) {
            thread.more_replies = found.replies.more_before || found.replies.more_after;
            thread.replies.clone_from(&found.replies.items);
        }
        Ok(())
    }

    /// A subject that does not exist reads as empty where its type has auto_create; a deleted one never does.
    pub(super) async fn absent(
        &self,
        key: &SubjectKey,
        implied: Option<Subject>,
        min_revision: i64,
    ) -> Result<RootPage> {
        // One that has come into being since it was not found reads as empty too: it was, when the call began.
        let found = self.reader.subjects(std::slice::from_ref(key)).await?.pop().flatten();
        let deleted = found.is_some_and(|subject| subject.delete_time.is_some());
        let subject = implied.filter(|_| !deleted).ok_or(Error::SubjectNotFound)?;
        reached(min_revision, 0)?;
        Ok(RootPage { subject, threads: Page::default(), pinned: Vec::new() })
    }

    /// A page of the replies of a root.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`], [`Error::SubjectHidden`], [`Error::RevisionNotReached`]; a violation where `root` is
    /// a reply.
    pub async fn list_replies(&self, caller: &Caller, ask: &ListReplies) -> Result<ReplyPage> {
        let root = Self::root_of_replies(&ask.root)?;
        let start = match ask.at {
            ListStart::Start(start) => start,
            ListStart::Comment(id) => PageStart::Around(self.reply_floor(caller, &ask.root, id).await?),
        };
        let window = PageQuery { order: ask.order, start, limit: ask.limit };
        let mut found = self.reader.replies(&ask.root.subject, root, window).await?;
        if let Some(origin) = self.behind(ask.min_revision, found.as_ref().map(|page| &page.subject)) {
            found = origin.replies(&ask.root.subject, root, window).await?;
        }
        let page = found.ok_or(Error::CommentNotFound)?;
        shown(&page.subject, ask.min_revision)?;
        Ok(hidden(page))
    }

    /// The root that replies are listed of.
    pub(super) fn root_of_replies(root: &LocatedComment) -> Result<CommentId> {
        if root.path.depth() > 0 {
            return Err(Error::invalid("root_id", "must be a root comment; GetThread reads below a reply"));
        }
        Ok(root.id)
    }

    /// The floor of a reply, which must be one of this root.
    pub(super) async fn reply_floor(&self, caller: &Caller, root: &LocatedComment, id: CommentId) -> Result<i32> {
        let (at, _) = self.locate(caller, id).await?;
        if at.root() != root.id || at.path.depth() == 0 {
            return Err(Error::CommentNotFound);
        }
        Ok(at.floor)
    }

    /// A part of the subtree below (and with) a comment, in thread order.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`], [`Error::SubjectHidden`], [`Error::RevisionNotReached`].
    pub async fn thread(&self, at: &LocatedComment, part: &SubtreeQuery, min_revision: i64) -> Result<ThreadPage> {
        let page = self.reader.thread(&at.subject, part).await?.ok_or(Error::CommentNotFound)?;
        shown(&page.subject, min_revision)?;
        let comments = page.comments.into_iter().map(|c| c.seen_by(None)).collect();
        Ok(ThreadPage { comments, ..page })
    }
}

/// The page without the content of what is not visible.
pub(super) fn hidden(page: ReplyPage) -> ReplyPage {
    ReplyPage {
        subject: page.subject,
        root: page.root.seen_by(None),
        replies: page.replies.map(|reply| reply.seen_by(None)),
    }
}

impl Comments {
    /// Whether what belongs to the comments of this subject may be listed.
    pub(super) async fn listable(&self, key: &SubjectKey) -> Result<()> {
        let subject = self.reader.subjects(std::slice::from_ref(key)).await?.pop().flatten();
        shown(&subject.ok_or(Error::CommentNotFound)?, 0)
    }
}

/// Whether lists of this subject may be shown, at this revision.
pub(super) fn shown(subject: &Subject, min_revision: i64) -> Result<()> {
    match subject.state {
        SubjectState::Hidden => Err(Error::SubjectHidden),
        SubjectState::Active | SubjectState::ReadOnly => reached(min_revision, subject.revision),
    }
}
