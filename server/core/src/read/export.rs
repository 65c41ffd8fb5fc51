//! Exports: all comments of a subject and all their likes.

use crate::domain::caller::Caller;
use crate::domain::error::Result;
use crate::domain::ids::CommentId;
use crate::domain::state::CommentState;
use crate::domain::subject::SubjectKey;
use crate::ports::{ExportedComment, ExportedLike};
use crate::read::Comments;

impl Comments {
    /// Returns the comments of a subject that follow `after`, in any state, parents before their
    /// replies. Deleted comments have no content. A part shorter than `limit` is the last one.
    ///
    /// # Errors
    /// Those of [`Comments::policy`].
    pub async fn export_comments(
        &self,
        caller: &Caller,
        key: &SubjectKey,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Vec<ExportedComment>> {
        self.policy(caller, key.object_type())?;
        let mut exported = self.reader.export_comments(key, after, limit).await?;
        for item in &mut exported {
            if item.view.comment.lifecycle.state == CommentState::Deleted {
                item.view.content = None;
            }
        }
        Ok(exported)
    }

    /// Returns the likes of some comments that follow `after`, by comment and then by member id. A
    /// part shorter than `limit` is the last one. The handler must have read the comments with
    /// [`Self::export_comments`], which checks the permission.
    ///
    /// # Errors
    /// Only errors of the store.
    pub async fn export_likes(
        &self,
        ids: &[CommentId],
        after: Option<&ExportedLike>,
        limit: usize,
    ) -> Result<Vec<ExportedLike>> {
        self.reader.export_likes(ids, after, limit).await
    }
}
