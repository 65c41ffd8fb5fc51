//! The progress of the consumer that another one follows.

use std::time::Duration;

use tokio::time::Instant;

/// The progress of the consumer that this one follows.
#[derive(Debug, Default)]
pub(super) struct FollowedConsumer {
    /// Its known position.
    position: i64,
    /// The start of the time in which events wait and it makes no progress.
    waiting_since: Option<Instant>,
}

impl FollowedConsumer {
    /// Returns its known position.
    pub(super) fn position(&self) -> i64 {
        self.position
    }

    /// Records its position. Under load there are always newer events. They wait as long as the
    /// followed consumer makes progress.
    pub(super) fn record(&mut self, position: i64) {
        if position > self.position {
            self.waiting_since = None;
        }
        self.position = position;
    }

    /// Returns `true` if the events up to `last` wait for it now; they wait for `limit` at most
    /// while it makes no progress.
    pub(super) fn delays(&mut self, last: i64, limit: Duration, now: Instant) -> bool {
        if last <= self.position {
            self.waiting_since = None;
            return false;
        }
        now - *self.waiting_since.get_or_insert(now) < limit
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::Instant;

    use super::FollowedConsumer;

    #[test]
    fn events_wait_for_three_seconds_from_the_last_progress_and_not_for_those_that_are_applied() {
        let (mut followed, start) = (FollowedConsumer::default(), Instant::now());
        let mut delays = |position, millis| {
            followed.record(position);
            followed.delays(10, Duration::from_secs(3), start + Duration::from_millis(millis))
        };
        assert_eq!([0, 2_999, 3_000, 9_000].map(|millis| delays(4, millis)), [true, true, false, false]);
        assert!(delays(6, 9_001), "the wait begins again at each progress");
        assert_eq!([12_000, 12_001].map(|millis| delays(6, millis)), [true, false]);
        assert!(!delays(10, 12_002), "the followed consumer has applied them");
        followed.record(10);
        assert!(followed.delays(11, Duration::from_secs(3), start + Duration::from_secs(60)), "later events wait anew");
    }
}
