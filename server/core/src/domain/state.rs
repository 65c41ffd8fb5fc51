//! The states of a comment.

use std::fmt;

/// The state of a comment. Only [`CommentState::Active`] is visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommentState {
    /// Visible to all readers.
    Active,
    /// Waiting for review; visible to its author and to moderators.
    Pending,
    /// Rejected in review; visible to its author and to moderators.
    Rejected,
    /// Hidden by a moderator.
    Hidden,
    /// Shown as active to its author alone.
    Shadowed,
    /// Deleted; [`DeletedBy`](super::lifecycle::DeletedBy) has the role of the deleter.
    Deleted,
}

/// The readers that see the content of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// All readers.
    Everyone,
    /// The author of the comment.
    Author,
    /// No reader.
    None,
}

impl CommentState {
    /// All states, in the order of their stored codes.
    pub const ALL: [Self; 6] =
        [Self::Active, Self::Pending, Self::Rejected, Self::Hidden, Self::Shadowed, Self::Deleted];

    /// The readers that see the content of a comment in this state.
    #[must_use]
    pub const fn audience(self) -> Audience {
        match self {
            Self::Active => Audience::Everyone,
            Self::Pending | Self::Rejected | Self::Shadowed => Audience::Author,
            Self::Hidden | Self::Deleted => Audience::None,
        }
    }

    /// Returns `true` if all readers see the content of a comment in this state. Lists show such a
    /// comment; the counts that include it are in [`contribution`](crate::counts::contribution).
    #[must_use]
    pub const fn is_visible(self) -> bool {
        matches!(self.audience(), Audience::Everyone)
    }

    /// Returns the state that answers and errors show a reader. A comment whose content only its
    /// author may read is HIDDEN for others. Only moderators and operators get the states as they
    /// are.
    #[must_use]
    pub const fn shown_to(self, is_author: bool) -> Self {
        match self.audience() {
            Audience::Author if !is_author => Self::Hidden,
            Audience::Everyone | Audience::Author | Audience::None => self,
        }
    }

    /// Returns `true` for the states in which a comment may be one that was never visible.
    #[must_use]
    pub const fn may_be_unpublished(self) -> bool {
        matches!(self, Self::Pending | Self::Rejected)
    }

    /// The stored code. It never changes.
    #[must_use]
    pub const fn code(self) -> i8 {
        match self {
            Self::Active => 1,
            Self::Pending => 2,
            Self::Rejected => 3,
            Self::Hidden => 4,
            Self::Shadowed => 5,
            Self::Deleted => 6,
        }
    }

    /// Returns the state of a stored code; `None` for a code that no version has written.
    #[must_use]
    pub fn from_code(code: i8) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.code() == code)
    }
}

impl fmt::Display for CommentState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Active => "ACTIVE",
            Self::Pending => "PENDING",
            Self::Rejected => "REJECTED",
            Self::Hidden => "HIDDEN",
            Self::Shadowed => "SHADOWED",
            Self::Deleted => "DELETED",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::CommentState;

    #[test]
    fn codes_and_names_are_fixed_for_ever() {
        let known = CommentState::ALL.map(|state| (state.code(), state.to_string()));
        let names = ["ACTIVE", "PENDING", "REJECTED", "HIDDEN", "SHADOWED", "DELETED"].map(str::to_owned);
        assert!(known.into_iter().eq((1..).zip(names)));
        assert_eq!([-1, 0, 7].map(CommentState::from_code), [None; 3]);
    }

    #[test]
    fn only_active_comments_are_visible_and_codes_are_a_bijection() {
        for state in CommentState::ALL {
            assert_eq!(state.is_visible(), state == CommentState::Active);
            assert_eq!(CommentState::from_code(state.code()), Some(state));
        }
    }

    #[test]
    fn a_reader_gets_no_state_that_shows_more_than_the_content() {
        use CommentState::{Active, Deleted, Hidden, Pending, Rejected, Shadowed};
        let shown = [
            (Active, Active, Active),
            (Pending, Hidden, Pending),
            (Rejected, Hidden, Rejected),
            (Hidden, Hidden, Hidden),
            (Shadowed, Hidden, Shadowed),
            (Deleted, Deleted, Deleted),
        ];
        assert_eq!(shown.map(|(state, ..)| state), CommentState::ALL);
        for (state, to_others, to_author) in shown {
            assert_eq!((state.shown_to(false), state.shown_to(true)), (to_others, to_author), "{state}");
        }
    }
}
