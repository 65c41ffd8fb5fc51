//! A comment with the comments that it replies to.

use crate::domain::caller::Caller;
use crate::domain::comment::CommentView;
use crate::domain::error::{Error, Result};
use crate::domain::ids::CommentId;
use crate::read::Comments;
use crate::read::subjects::check_listable;

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
    ) -> Result<(CommentView, Vec<CommentView>, bool)> {
        let (location, _) = self.locate(caller, id).await?;
        let key = std::slice::from_ref(&location.subject);
        let mut subject = self.reader.subjects(key).await?.pop().flatten();
        if let Some(primary) = self.primary_if_behind(min_revision, subject.as_ref()) {
            subject = primary.subjects(key).await?.pop().flatten();
        }
        check_listable(&subject.ok_or(Error::CommentNotFound)?, min_revision)?;
        let view = self.comment(caller, id, None, min_revision).await?;
        let chain = self.reader.conversation(&view.subject, id, MAX_ANCESTORS).await?;
        let truncated = chain.len() > MAX_ANCESTORS
            && chain[MAX_ANCESTORS - 1].comment.reference.parent_id
                != chain.last().map(|root| root.comment.reference.id);
        Ok((view, chain.into_iter().map(|c| c.seen_by(None)).collect(), truncated))
    }
}
