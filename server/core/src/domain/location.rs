//! The location of a comment: the facts that commands and reads by a bare id need.

use crate::domain::ids::CommentId;
use crate::domain::member::MemberId;
use crate::domain::path::Path;
use crate::domain::subject::SubjectKey;

/// The unchanging facts about a comment, with its subject's key and the ids along its path. The row
/// of a page has neither: it names its subject and its parent by id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentLocation {
    /// The comment.
    pub id: CommentId,
    /// Its subject's key.
    pub subject: SubjectKey,
    /// Its path.
    pub path: Path,
    /// Its floor.
    pub floor: i32,
    /// The ids along its path, from the root to the comment itself.
    pub ancestor_ids: Vec<CommentId>,
    /// The comment that it replies to; its reply count changes too. With a depth cap it may be
    /// missing in `ancestor_ids`. `None` if the comment replies to none.
    pub parent_id: Option<CommentId>,
    /// Its author.
    pub member: MemberId,
}

impl CommentLocation {
    /// The root of its thread.
    #[must_use]
    pub fn root(&self) -> CommentId {
        self.ancestor_ids.first().copied().unwrap_or(self.id)
    }

    /// Returns every comment whose counts a change of this one can move, and the comment itself.
    pub(crate) fn locks(&self) -> Vec<CommentId> {
        self.ancestor_ids.iter().copied().chain(self.parent_id).collect()
    }
}
