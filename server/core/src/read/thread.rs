//! The subtree of a comment.

use crate::domain::error::{Error, Result};
use crate::domain::location::CommentLocation;
use crate::domain::page::{SubtreeQuery, ThreadPage};
use crate::read::Comments;
use crate::read::subjects::check_listable;
use crate::read::unpublished::check_published;

impl Comments {
    /// Returns a part of the subtree of a comment, including the comment, in thread order.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`], [`Error::SubjectHidden`], [`Error::RevisionNotReached`].
    pub async fn thread(
        &self,
        location: &CommentLocation,
        query: &SubtreeQuery,
        min_revision: i64,
    ) -> Result<ThreadPage> {
        let page = self.reader.thread(&location.subject, query).await?.ok_or(Error::CommentNotFound)?;
        check_listable(&page.subject, min_revision)?;
        // A thread shows its top unless the top is not listed.
        let shows_top = page.comments.iter().any(|view| view.comment.reference.id == location.id);
        if query.after.is_none() && !shows_top {
            let top = self.reader.comments(&[location.id]).await?.pop().flatten();
            check_published(self.reader.as_ref(), top.as_ref()).await?;
        }
        let comments = page.comments.into_iter().map(|c| c.seen_by(None)).collect();
        Ok(ThreadPage { comments, ..page })
    }
}
