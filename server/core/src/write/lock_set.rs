//! The rows that a command locks, and comments as commands name them.

use crate::domain::ids::CommentId;
use crate::domain::member::MemberId;
use crate::domain::page::LocatedComment;

/// The rows on which a command is decided. The store locks them before it runs the command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LockSet {
    /// The comments to lock, in any order: targets, parents, and the ancestors whose counts may
    /// change.
    pub comments: Vec<CommentId>,
    /// The one comment whose content is read or returned.
    pub content: Option<CommentId>,
    /// The like to lock. A command that names a like leaves the subject row unlocked, so likes
    /// never contend with comments.
    pub like: Option<(CommentId, MemberId)>,
}

/// A comment as a command names it, with the ids along its path. These never change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentLocation {
    /// The comment.
    pub id: CommentId,
    /// The ids along the path, from the root to the comment itself.
    pub ancestor_ids: Vec<CommentId>,
    /// The comment that it replies to, which a depth cap may keep outside `ancestor_ids`; its reply
    /// count changes too.
    pub parent: Option<CommentId>,
}

impl CommentLocation {
    pub(crate) fn locks(&self) -> Vec<CommentId> {
        self.ancestor_ids.iter().copied().chain(self.parent).collect()
    }
}

impl LocatedComment {
    /// Returns this comment as a command names it.
    pub(crate) fn target(&self) -> CommentLocation {
        CommentLocation { id: self.id, ancestor_ids: self.ancestor_ids.clone(), parent: self.parent }
    }
}
