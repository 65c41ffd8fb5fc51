//! The contents that a comment has had.

use crate::domain::caller::Caller;
use crate::domain::comment::CommentView;
use crate::domain::error::{Error, Result};
use crate::domain::ids::CommentId;
use crate::domain::page::ContentRevision;
use crate::read::Comments;

impl Comments {
    /// Returns every content that a visible comment has had, oldest first; the last one is the
    /// present content.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`], also for a comment that is not visible;
    /// [`Error::SubjectHidden`].
    pub async fn revisions(&self, caller: &Caller, id: CommentId) -> Result<(CommentView, Vec<ContentRevision>)> {
        let view = self.comment(caller, id, None, 0).await?;
        if !view.comment.lifecycle.state.is_visible() {
            return Err(Error::CommentNotFound);
        }
        self.check_subject_listable(&view.subject).await?;
        // The comment may have been hidden since it was read.
        let contents = self.reader.revisions(id).await?;
        if contents.is_empty() { Err(Error::CommentNotFound) } else { Ok((view, contents)) }
    }
}
