//! A comment with the comments that it replies to.

use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::CommentId;
use crate::domain::page::Conversation;
use crate::read::Comments;
use crate::read::subjects::check_listable;
use crate::read::unpublished::check_published;

/// The maximum number of ancestors of a conversation; beyond them only the root is added.
const MAX_ANCESTORS: usize = 100;

impl Comments {
    /// Returns a comment and the comments that it replies to: its nearest 100 ancestors by parent,
    /// nearest first, and the root last. The last value is true if comments between the last two
    /// were left out.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`], [`Error::SubjectHidden`], [`Error::RevisionNotReached`].
    pub async fn conversation(
        &self,
        caller: &Caller,
        id: CommentId,
        min_revision: i64,
    ) -> Result<(Conversation, bool)> {
        let (location, _) = self.locate(caller, id).await?;
        let key = &location.subject;
        let mut found = self.reader.conversation(key, id, MAX_ANCESTORS).await?;
        if let Some(primary) = self.primary_if_behind(min_revision, found.as_ref().map(|found| &found.subject)) {
            found = primary.conversation(key, id, MAX_ANCESTORS).await?;
        }
        let Conversation { subject, comments } = found.ok_or(Error::CommentNotFound)?;
        check_listable(&subject, min_revision)?;
        let (first, ancestors) = comments.split_first().ok_or(Error::CommentNotFound)?;
        check_published(self.reader.as_ref(), Some(first)).await?;
        let truncated = ancestors.len() > MAX_ANCESTORS
            && ancestors[MAX_ANCESTORS - 1].comment.reference.parent_id
                != ancestors.last().map(|root| root.comment.reference.id);
        let comments = comments.into_iter().map(|view| view.seen_by(None)).collect();
        Ok((Conversation { subject, comments }, truncated))
    }
}
