//! The disposition of a new text: its treatment by the policy of its object type.

use crate::domain::object_type::ModerationMode;

/// The treatment of a new text by the policy. A text that it refuses altogether becomes no command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Disposition {
    /// The text is visible at once.
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
            (Self::Allow | Self::Flag, ModerationMode::Pre) => Self::Hold,
            (_, ModerationMode::Post | ModerationMode::Pre) => self,
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

    #[test]
    fn a_mode_only_makes_a_disposition_stricter() {
        for disposition in Disposition::ALL {
            assert_eq!(disposition.under(ModerationMode::Post), disposition);
            let under = disposition.under(ModerationMode::Pre);
            assert_eq!(under, if disposition.shows() { Disposition::Hold } else { disposition });
        }
    }
}
