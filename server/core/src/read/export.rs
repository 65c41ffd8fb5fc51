//! Exports: all comments of a subject and all likes of a comment.

use crate::domain::caller::Caller;
use crate::domain::error::Result;
use crate::domain::ids::CommentId;
use crate::domain::member::MemberId;
use crate::domain::page::Liker;
use crate::domain::state::CommentState;
use crate::domain::subject::SubjectKey;
use crate::ports::ExportedComment;
use crate::read::Comments;

impl Comments {
    /// Returns the comments of a subject that follow `after`, in any state, parents before their
    /// replies. Deleted comments have no content.
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

    /// Returns the likes of a comment that follow `after`, in the order of member ids. The handler
    /// must have read the comment with [`Self::export_comments`], which checks the permission.
    ///
    /// # Errors
    /// Only errors of the store.
    pub async fn export_likes(&self, id: CommentId, after: Option<&MemberId>, limit: usize) -> Result<Vec<Liker>> {
        self.reader.export_likes(id, after, limit).await
    }
}
