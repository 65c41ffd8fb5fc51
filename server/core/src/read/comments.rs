//! Comments by their ids.

use crate::domain::caller::Caller;
use crate::domain::comment::CommentView;
use crate::domain::error::{Error, Result};
use crate::domain::ids::CommentId;
use crate::domain::member::MemberId;
use crate::read::Comments;
use crate::read::subjects::check_revision;
use crate::read::unpublished::seen;

impl Comments {
    /// Returns one comment as `viewer` sees it. A deleted one is returned as its tombstone. One
    /// that was never visible exists for its author only.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`], [`Error::RevisionNotReached`].
    pub async fn comment(
        &self,
        caller: &Caller,
        id: CommentId,
        viewer: Option<&MemberId>,
        min_revision: i64,
    ) -> Result<CommentView> {
        if min_revision > 0 {
            // The revision is checked first: data that is read later is no older.
            let (location, _) = self.locate(caller, id).await?;
            let key = std::slice::from_ref(&location.subject);
            let mut subject = self.reader.subjects(key).await?.pop().flatten();
            let primary = self.primary_if_behind(min_revision, subject.as_ref());
            if let Some(primary) = primary {
                subject = primary.subjects(key).await?.pop().flatten();
            }
            check_revision(min_revision, subject.map_or(0, |s| s.revision))?;
            if let Some(primary) = primary {
                let found = primary.comments(&[id]).await?.pop().flatten();
                return seen(primary, vec![found], viewer).await?.pop().flatten().ok_or(Error::CommentNotFound);
            }
        }
        self.comments(caller, &[id], viewer).await?.pop().flatten().ok_or(Error::CommentNotFound)
    }

    /// Returns comments in the order of `ids`; `None` for each that is missing or of a type that
    /// the caller may not use.
    ///
    /// # Errors
    /// Only errors of the store.
    pub async fn comments(
        &self,
        caller: &Caller,
        ids: &[CommentId],
        viewer: Option<&MemberId>,
    ) -> Result<Vec<Option<CommentView>>> {
        let found = self.reader.comments_among(ids, caller.types()).await?;
        let is_granted = |view: &CommentView| self.policy(caller, view.subject.object_type()).is_ok();
        seen(self.reader.as_ref(), found.into_iter().map(|view| view.filter(is_granted)).collect(), viewer).await
    }
}
