//! The disposition of a new text: its treatment by the policy of its object type.

use crate::domain::object_type::ModerationMode;
use crate::domain::review::{ReviewCause, ReviewCauses};
use crate::domain::state::CommentState;

/// The treatment of a new text by the policy. A text that it refuses altogether becomes no command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Disposition {
    /// The text is visible at once.
    #[default]
    Allow,
    /// The text is visible at once, and a moderator judges it afterwards.
    Flag,
    /// The text waits for review.
    Hold,
    /// The text waits for review, because a service that judges texts could not be asked.
    Unchecked,
    /// The text is stored and never shown to others.
    Reject,
}

impl Disposition {
    /// All dispositions.
    pub const ALL: [Self; 5] = [Self::Allow, Self::Flag, Self::Hold, Self::Unchecked, Self::Reject];

    /// Returns the disposition under the mode of an object type.
    #[must_use]
    pub const fn under(self, mode: ModerationMode) -> Self {
        match (self, mode) {
            (Self::Allow | Self::Flag, ModerationMode::PreNewMembers | ModerationMode::Pre) => Self::Hold,
            (_, ModerationMode::Post | ModerationMode::PreNewMembers | ModerationMode::Pre) => self,
        }
    }

    /// Returns the state of a new comment under a mode.
    #[must_use]
    pub const fn new_state(self, mode: ModerationMode) -> CommentState {
        match self {
            Self::Allow | Self::Flag => mode.new_state(),
            Self::Hold | Self::Unchecked => CommentState::Pending,
            Self::Reject => CommentState::Rejected,
        }
    }

    /// Returns the causes for which a moderator judges a new comment under a mode.
    #[must_use]
    pub fn causes(self, mode: ModerationMode) -> ReviewCauses {
        let of_mode =
            if mode.new_state() == CommentState::Pending { Self::Hold.own_causes() } else { ReviewCauses::NONE };
        if self == Self::Reject { ReviewCauses::NONE } else { self.own_causes().union(of_mode) }
    }

    /// The causes that the disposition has without a mode.
    const fn own_causes(self) -> ReviewCauses {
        match self {
            Self::Allow | Self::Reject => ReviewCauses::NONE,
            Self::Flag => ReviewCauses::of(&[ReviewCause::Flag]),
            Self::Hold => ReviewCauses::of(&[ReviewCause::New]),
            Self::Unchecked => ReviewCauses::of(&[ReviewCause::ServiceUnavailable]),
        }
    }

    /// Returns `true` if the text of a visible comment with this disposition is shown at once.
    #[must_use]
    pub const fn shows(self) -> bool {
        match self {
            Self::Allow | Self::Flag => true,
            Self::Hold | Self::Unchecked | Self::Reject => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Disposition;
    use crate::domain::object_type::ModerationMode;
    use crate::domain::review::{ReviewCause, ReviewCauses};
    use crate::domain::state::CommentState;

    #[test]
    fn a_new_comment_that_waits_has_a_cause_and_a_refused_one_has_none() {
        for mode in [ModerationMode::Post, ModerationMode::Pre] {
            for disposition in Disposition::ALL {
                let (state, causes) = (disposition.new_state(mode), disposition.causes(mode));
                assert_eq!(state == CommentState::Active, disposition.under(mode).shows(), "{disposition:?} {mode:?}");
                if state == CommentState::Pending {
                    assert!(!causes.is_empty(), "{disposition:?} {mode:?}");
                } else if state == CommentState::Active {
                    assert_eq!(causes.is_empty(), disposition == Disposition::Allow);
                } else {
                    assert_eq!((state, causes), (CommentState::Rejected, ReviewCauses::NONE));
                }
            }
        }
        let both = ReviewCauses::of(&[ReviewCause::New, ReviewCause::Flag]);
        assert_eq!(Disposition::Flag.causes(ModerationMode::Pre), both, "people see both");
    }

    #[test]
    fn a_mode_only_makes_a_disposition_stricter() {
        for disposition in Disposition::ALL {
            assert_eq!(disposition.under(ModerationMode::Post), disposition);
            let under = disposition.under(ModerationMode::Pre);
            assert_eq!(under, if disposition.shows() { Disposition::Hold } else { disposition });
        }
    }
}
