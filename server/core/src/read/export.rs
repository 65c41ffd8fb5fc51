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
    /// Returns the next comments of a subject in export order: in any state, parents before
    /// children. The content of deleted comments is left out.
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

    /// Returns the next likes of a comment, in the order of members.
    ///
    /// # Errors
    /// Only errors of the store.
    pub async fn export_likes(&self, id: CommentId, after: Option<&MemberId>, limit: usize) -> Result<Vec<Liker>> {
        self.reader.export_likes(id, after, limit).await
    }
}
