//! Lists of the replies of a root.

use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::CommentId;
use crate::domain::location::CommentLocation;
use crate::domain::page::{ListOrder, PageQuery, PageStart, ReplyPage};
use crate::read::Comments;
use crate::read::list_comments::ListStart;
use crate::read::subjects::shown;

/// A request for a page of replies.
#[derive(Debug, Clone)]
pub struct ListReplies {
    /// The root.
    pub root: CommentLocation,
    /// The order.
    pub order: ListOrder,
    /// The start of the page.
    pub at: ListStart,
    /// The maximum number of replies.
    pub limit: usize,
    /// The minimum revision of the result.
    pub min_revision: i64,
}

impl Comments {
    /// Returns a page of the replies of a root.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`], [`Error::SubjectHidden`], [`Error::RevisionNotReached`]; a
    /// violation if `root` is a reply.
    pub async fn list_replies(&self, caller: &Caller, ask: &ListReplies) -> Result<ReplyPage> {
        let root = Self::root_of_replies(&ask.root)?;
        let start = match ask.at {
            ListStart::Start(start) => start,
            ListStart::Comment(id) => PageStart::Around(self.reply_floor(caller, &ask.root, id).await?),
        };
        let window = PageQuery { order: ask.order, start, limit: ask.limit };
        let mut found = self.reader.replies(&ask.root.subject, root, window).await?;
        if let Some(primary) = self.behind(ask.min_revision, found.as_ref().map(|page| &page.subject)) {
            found = primary.replies(&ask.root.subject, root, window).await?;
        }
        let page = found.ok_or(Error::CommentNotFound)?;
        shown(&page.subject, ask.min_revision)?;
        Ok(hidden(page))
    }

    /// Returns the id of the root whose replies are listed.
    pub(super) fn root_of_replies(root: &CommentLocation) -> Result<CommentId> {
        if root.path.depth() > 0 {
            return Err(Error::invalid("root_id", "must be a root comment; GetThread reads below a reply"));
        }
        Ok(root.id)
    }

    /// Returns the floor of a reply, which must belong to this root.
    pub(super) async fn reply_floor(&self, caller: &Caller, root: &CommentLocation, id: CommentId) -> Result<i32> {
        let (at, _) = self.locate(caller, id).await?;
        if at.root() != root.id || at.path.depth() == 0 {
            return Err(Error::CommentNotFound);
        }
        Ok(at.floor)
    }
}

/// Returns the page without the content of comments that are not visible.
pub(super) fn hidden(page: ReplyPage) -> ReplyPage {
    ReplyPage {
        subject: page.subject,
        root: page.root.seen_by(None),
        replies: page.replies.map(|reply| reply.seen_by(None)),
    }
}
