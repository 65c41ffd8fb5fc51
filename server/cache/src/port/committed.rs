//! The commits that the relay reports to the cache.

use riposte_core::{CommentId, SubjectId};

use super::{LikeCounts, SubjectMember};

/// A comment that is not visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConcealedComment {
    /// The subject of the comment.
    pub subject: SubjectId,
    /// The comment.
    pub comment: CommentId,
    /// The revision of the subject at which the state of the comment changed.
    pub revision: i64,
}

/// Commits of a partition, as the relay reports them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommittedState {
    /// The highest revisions of subjects.
    pub revisions: Vec<(SubjectId, i64)>,
    /// Likes of comments that were liked or became visible, as the rows have them now.
    pub likes: Vec<LikeCounts>,
    /// Comments whose states changed and that are not visible now.
    pub concealed: Vec<ConcealedComment>,
    /// Members whose likes changed.
    pub likers: Vec<SubjectMember>,
}
