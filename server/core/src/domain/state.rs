//! The states of a comment, and the table that decides how a transition changes the counts.

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
    /// Deleted; [`DeletedBy`](super::comment::DeletedBy) has the role of the deleter.
    Deleted,
}

impl CommentState {
    /// All states, in the order of their stored codes.
    pub const ALL: [Self; 6] =
        [Self::Active, Self::Pending, Self::Rejected, Self::Hidden, Self::Shadowed, Self::Deleted];

    /// Returns `true` if a comment in this state counts and shows its content to all readers.
    #[must_use]
    pub const fn is_visible(self) -> bool {
        matches!(self, Self::Active)
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

    /// Returns the amount that a move from `self` to `to` adds to every count that includes the
    /// comment. It is the only source of count changes, so a repeated transition adds nothing.
    #[must_use]
    pub const fn delta(self, to: Self) -> i32 {
        match (self.is_visible(), to.is_visible()) {
            (false, true) => 1,
            (true, false) => -1,
            (true, true) | (false, false) => 0,
        }
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
    fn equal_visibility_moves_no_count_and_codes_are_a_bijection() {
        for a in CommentState::ALL {
            assert_eq!(a.delta(a), 0);
            assert_eq!(CommentState::from_code(a.code()), Some(a));
            for b in CommentState::ALL {
                assert_eq!(a.delta(b), -b.delta(a));
                assert_eq!(a.delta(b), i32::from(b.is_visible()) - i32::from(a.is_visible()));
            }
        }
    }
}
