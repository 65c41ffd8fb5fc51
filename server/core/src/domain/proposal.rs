//! Edits that wait beside the text in sight.

use crate::domain::content::Content;
use crate::domain::ids::CommentId;
use crate::domain::time::Millis;

/// A proposed edit of a comment. Its author and moderators may read it while it waits or after it
/// was rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The comment.
    pub comment_id: CommentId,
    /// The number among the proposals of the comment, from 1. It is never used again.
    pub number: i32,
    /// The proposed content.
    pub content: Content,
    /// The state.
    pub state: ProposalState,
    /// The time at which it was proposed.
    pub time: Millis,
}

/// The state of a proposed edit. Of one comment at most the newest proposal waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProposalState {
    /// It waits for review.
    Waiting,
    /// A moderator or the policy refused it.
    Rejected,
    /// A later edit replaced it, or the comment left sight. It is not read any more.
    Dropped,
    /// It became the content of the comment.
    Approved,
}

impl ProposalState {
    /// All states, in the order of their codes.
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Rejected, Self::Dropped, Self::Approved];

    /// The stored code. It never changes.
    #[must_use]
    pub const fn code(self) -> i8 {
        match self {
            Self::Waiting => 1,
            Self::Rejected => 2,
            Self::Dropped => 3,
            Self::Approved => 4,
        }
    }

    /// Returns the state of a stored code; `None` for a code that no version has written.
    #[must_use]
    pub fn from_code(code: i8) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.code() == code)
    }

    /// Returns `true` if the author of the comment reads a proposal in this state.
    #[must_use]
    pub const fn is_shown_to_author(self) -> bool {
        match self {
            Self::Waiting | Self::Rejected => true,
            Self::Dropped | Self::Approved => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ProposalState;

    #[test]
    fn codes_are_fixed_for_ever() {
        assert!(ProposalState::ALL.map(ProposalState::code).into_iter().eq(1..=4));
        assert!(ProposalState::ALL.into_iter().all(|state| ProposalState::from_code(state.code()) == Some(state)));
        assert_eq!([-1, 0, 5].map(ProposalState::from_code), [None; 3]);
    }
}
