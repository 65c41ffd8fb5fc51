//! The originals of masked contents. Only moderators read them, and only those of the contents in
//! place.

use crate::domain::content::Content;
use crate::domain::ids::CommentId;
use crate::domain::review::Review;
use crate::domain::time::Millis;
use crate::write::unit_of_work::UnitOfWork;
use crate::write::write_set::{ApprovedProposal, OriginalContent};

impl UnitOfWork {
    /// Keeps the original of a content, if words of it are masked. The number is the version of the
    /// comment with the content, or -n for proposal n.
    pub(super) fn keep_original(&mut self, key: (CommentId, i64), original: Option<Content>, time: Millis) {
        if let Some(content) = original {
            self.write_set.originals.insert(key, OriginalContent { content, time, is_replaced: false });
        }
    }

    /// Records that the content of a comment is about to be replaced. A content with masked words
    /// has a decision, so other comments have no original.
    pub(super) fn replace_original(&mut self, id: CommentId, review: Option<&Review>) {
        for (_, original) in self.write_set.originals.range_mut((id, 1)..=(id, i64::MAX)) {
            original.is_replaced = true;
        }
        for (_, approved) in self.write_set.approved_originals.range_mut((id, 1)..=(id, i32::MAX)) {
            approved.is_replaced = true;
        }
        if !self.write_set.new_comments.contains_key(&id) && review.is_some_and(|review| review.decisions > 0) {
            self.write_set.replaced_originals.insert(id);
        }
    }

    /// Makes the original of a proposal that of the version that the proposal became.
    pub(super) fn show_original(&mut self, (id, proposal): (CommentId, i32), version: i64) {
        if let Some(original) = self.write_set.originals.remove(&(id, -i64::from(proposal))) {
            self.write_set.originals.insert((id, version), original);
        } else if !self.write_set.new_proposals.contains(&(id, proposal)) {
            let approved = ApprovedProposal { version, is_replaced: false };
            self.write_set.approved_originals.insert((id, proposal), approved);
        }
    }
}
