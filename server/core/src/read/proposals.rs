//! Proposed edits as their authors read them.

use crate::domain::comment::CommentView;
use crate::domain::content::Content;
use crate::domain::error::Result;
use crate::domain::ids::CommentId;
use crate::domain::member::MemberId;
use crate::domain::proposal::Proposal;
use crate::ports::Reader;
use crate::read::Comments;

/// Returns the newest proposed edits of these comments that `viewer` may read: those of own
/// comments in sight. They are read in one statement for each data source; nothing is read if
/// `viewer` wrote none of the comments.
pub(super) async fn own_proposals(
    reader: &dyn Reader,
    views: &[CommentView],
    viewer: Option<&MemberId>,
) -> Result<Vec<Option<Proposal>>> {
    let is_own = |view: &CommentView| {
        let comment = &view.comment;
        comment.lifecycle.state.is_visible() && viewer.is_some_and(|viewer| *viewer == comment.reference.member)
    };
    let ids: Vec<CommentId> = views.iter().filter(|view| is_own(view)).map(|view| view.comment.reference.id).collect();
    let found = if ids.is_empty() { Vec::new() } else { reader.proposals(&ids).await? };
    let mut found = found.into_iter();
    Ok(views.iter().map(|view| if is_own(view) { found.next().flatten() } else { None }).collect())
}

impl Comments {
    /// Returns the newest proposed edit of a comment, as it was read for `viewer`: one that waits
    /// or was refused. Only the author of the comment has one.
    ///
    /// # Errors
    /// Only errors of the store.
    pub async fn own_proposal(&self, view: &CommentView, viewer: Option<&MemberId>) -> Result<Option<Proposal>> {
        let found = own_proposals(self.reader.as_ref(), std::slice::from_ref(view), viewer).await?;
        Ok(found.into_iter().next().flatten())
    }

    /// Returns the newest proposed edit of a comment, if a caller sent this content. A repeat of
    /// the edit returns it; an edit that was replaced or applied has none.
    ///
    /// # Errors
    /// Only errors of the store.
    pub async fn repeated_proposal(
        &self,
        view: &CommentView,
        viewer: &MemberId,
        content: &Content,
    ) -> Result<Option<Proposal>> {
        let Some(proposal) = self.own_proposal(view, Some(viewer)).await? else { return Ok(None) };
        if proposal.content == *content {
            return Ok(Some(proposal));
        }
        // The caller's content is the one before words were masked.
        let original = self.reader.originals(&[proposal.comment_id]).await?.pop().and_then(|found| found.of_proposal);
        Ok(original.filter(|original| *original == (proposal.number, content.clone())).map(|_| proposal))
    }
}
