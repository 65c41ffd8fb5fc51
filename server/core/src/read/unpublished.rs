//! Comments that were never visible: to others than their authors, they do not exist.

use std::collections::BTreeSet;

use crate::domain::caller::Caller;
use crate::domain::comment::CommentView;
use crate::domain::error::{Error, Result};
use crate::domain::ids::CommentId;
use crate::domain::member::MemberId;
use crate::ports::Reader;
use crate::read::Comments;

/// Returns those of these comments that were never visible. Nothing is read unless one of them may
/// be such a comment.
pub(super) async fn unpublished(
    reader: &dyn Reader,
    views: impl IntoIterator<Item = &CommentView>,
) -> Result<BTreeSet<CommentId>> {
    let views = views.into_iter().filter(|view| view.comment.may_be_unpublished());
    let ids: Vec<CommentId> = views.map(|view| view.comment.reference.id).collect();
    if ids.is_empty() {
        return Ok(BTreeSet::new());
    }
    let reviews = reader.reviews(&ids).await?.into_iter().flatten();
    Ok(reviews.filter(|review| review.never_public).map(|review| review.comment_id).collect())
}

/// Returns the comments as `viewer` sees them; `None` for one that was never visible, unless
/// `viewer` is its author.
pub(super) async fn seen(
    reader: &dyn Reader,
    views: Vec<Option<CommentView>>,
    viewer: Option<&MemberId>,
) -> Result<Vec<Option<CommentView>>> {
    let is_foreign = |view: &&CommentView| viewer != Some(&view.comment.reference.member);
    let unpublished = unpublished(reader, views.iter().flatten().filter(is_foreign)).await?;
    let seen = |view: CommentView| view.seen_by(viewer);
    let is_known = |view: &CommentView| !unpublished.contains(&view.comment.reference.id);
    Ok(views.into_iter().map(|view| view.filter(is_known).map(seen)).collect())
}

/// Checks that a comment, which the request names, exists for readers without rights.
pub(super) async fn check_published(reader: &dyn Reader, view: Option<&CommentView>) -> Result<()> {
    if unpublished(reader, view).await?.is_empty() { Ok(()) } else { Err(Error::CommentNotFound) }
}

impl Comments {
    /// Checks that the comment around which a page is read exists for readers without rights. A
    /// comment that the page shows does, so only for another one it is read.
    pub(super) async fn check_around<'v>(
        &self,
        caller: &Caller,
        id: CommentId,
        mut shown: impl Iterator<Item = &'v CommentView>,
    ) -> Result<()> {
        if shown.any(|view| view.comment.reference.id == id) {
            return Ok(());
        }
        self.comments(caller, &[id], None).await?.pop().flatten().map(drop).ok_or(Error::CommentNotFound)
    }
}
