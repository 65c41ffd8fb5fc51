//! The rows that a command locks.

use crate::domain::ids::CommentId;
use crate::domain::member::MemberId;

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
