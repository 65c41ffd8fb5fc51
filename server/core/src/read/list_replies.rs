//! Lists of the replies of a root.

use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::CommentId;
use crate::domain::location::CommentLocation;
use crate::domain::page::{ListOrder, PageQuery, PageStart, ReplyPage};
use crate::read::Comments;
use crate::read::list_comments::ListStart;
use crate::read::subjects::check_listable;
use crate::read::unpublished::check_published;

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
    pub async fn list_replies(&self, caller: &Caller, request: &ListReplies) -> Result<ReplyPage> {
        let root = Self::root_of_replies(&request.root)?;
        let start = match request.at {
            ListStart::Start(start) => start,
            ListStart::Comment(id) => PageStart::Around(self.reply_floor(caller, &request.root, id).await?),
        };
        let query = PageQuery { order: request.order, start, limit: request.limit };
        let mut found = self.reader.replies(&request.root.subject, root, query).await?;
        if let Some(primary) = self.primary_if_behind(request.min_revision, found.as_ref().map(|page| &page.subject)) {
            found = primary.replies(&request.root.subject, root, query).await?;
        }
        let page = found.ok_or(Error::CommentNotFound)?;
        check_listable(&page.subject, request.min_revision)?;
        check_published(self.reader.as_ref(), Some(&page.root)).await?;
        if let ListStart::Comment(id) = request.at {
            self.check_around(caller, id, page.replies.items.iter()).await?;
        }
        Ok(page.redacted())
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
        let (location, _) = self.locate(caller, id).await?;
        if location.root() != root.id || location.path.depth() == 0 {
            return Err(Error::CommentNotFound);
        }
        Ok(location.floor)
    }
}
