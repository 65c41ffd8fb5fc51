//! The rows that a command locks.

use crate::domain::ids::CommentId;

/// The rows on which a command is decided, besides its subject. The store locks them before it runs
/// the command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LockSet {
    /// The comments to lock, in any order: targets, parents, and the ancestors whose counts may
    /// change.
    pub comments: Vec<CommentId>,
    /// The one comment whose content is read or returned.
    pub content: Option<CommentId>,
    /// The one comment whose review is changed.
    pub review: Option<CommentId>,
    /// The one comment whose decisions have the keys of earlier requests.
    pub decisions: Option<CommentId>,
    /// The one comment whose waiting proposal is read.
    pub proposal: Option<CommentId>,
    /// True if the command sets the due time of a review or tests a lease. The store then reads the
    /// time of the database, which all processes share.
    pub database_time: bool,
}
