//! The priority that a service gives to the review of a text: it is due sooner.

use std::time::Duration;

use super::{Review, ReviewCauses};
use crate::domain::time::Millis;

/// The shortest allowance, which the greatest priority leaves.
const SHORTEST: Duration = Duration::from_secs(120);
/// The greatest priority.
const MAX: u8 = 100;

/// A priority from 0, the usual one, to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ReviewPriority(u8);

impl ReviewPriority {
    /// The usual priority.
    pub const USUAL: Self = Self(0);

    /// Returns a priority; a greater number is 100.
    #[must_use]
    pub const fn new(priority: u8) -> Self {
        Self(if priority > MAX { MAX } else { priority })
    }

    /// Returns what is left of the allowance of a cause: all of it at 0, and two minutes at 100.
    #[must_use]
    pub fn shorten(self, allowance: Duration) -> Duration {
        allowance - allowance.saturating_sub(SHORTEST) * u32::from(self.0) / u32::from(MAX)
    }
}

impl Review {
    /// Adds the causes of a text as [`Review::add_cause`] does. A priority makes them due sooner.
    pub fn add_causes(&mut self, causes: ReviewCauses, priority: ReviewPriority, now: Millis) {
        for cause in causes.iter() {
            self.add_cause_within(cause, priority.shorten(cause.allowance()), now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ReviewPriority;
    use std::time::Duration;

    #[test]
    fn a_priority_shortens_an_allowance_to_two_minutes_at_most() {
        let minutes = |minutes: u64| Duration::from_secs(minutes * 60);
        for (priority, allowance, left) in [
            (0, 30 * 60, 30 * 60),
            (1, 30 * 60, 30 * 60 - 1_680 / 100 - 1),
            (50, 30 * 60, 16 * 60),
            (100, 30 * 60, 120),
            (255, 30 * 60, 120),
            (50, 4 * 3_600, 121 * 60),
            (100, 4 * 3_600, 120),
            (100, 120, 120),
            (100, 60, 60),
        ] {
            let shortened = ReviewPriority::new(priority).shorten(Duration::from_secs(allowance));
            assert_eq!(shortened.as_secs(), left, "{priority} of {allowance}");
        }
        assert_eq!(ReviewPriority::USUAL.shorten(minutes(30)), minutes(30));
    }
}
