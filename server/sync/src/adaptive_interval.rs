//! The interval of a loop that polls: short while something happens, and longer while nothing does.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// The bounds of an [`AdaptiveInterval`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PollBounds {
    /// The interval while something happens.
    pub floor: Duration,
    /// The longest interval.
    pub ceiling: Duration,
    /// The time after the last activity for which the interval stays at the floor.
    pub quiet_after: Duration,
}

/// The interval between the polls of one loop. It is the floor while polls find something or
/// notifications arrive, and for some time after that. Then it grows by half at each poll, up to
/// the ceiling.
#[derive(Debug)]
pub struct AdaptiveInterval {
    bounds: PollBounds,
    interval: Duration,
    last_poll: Instant,
    last_activity: Instant,
}

impl AdaptiveInterval {
    /// Creates an interval that begins at the floor, as after an activity.
    #[must_use]
    pub fn new(bounds: PollBounds) -> Self {
        let now = Instant::now();
        Self { bounds, interval: bounds.floor, last_poll: now, last_activity: now }
    }

    /// Records a poll that has just ended. `found` says that something happens in the polled
    /// source.
    pub fn record(&mut self, found: bool) {
        self.record_at(found, Instant::now());
    }

    /// Waits until the next poll is due. `notification` ends the wait sooner, but not before the
    /// floor has passed since the last poll.
    pub async fn wait(&mut self, notification: impl Future<Output = ()>) {
        tokio::select! {
            () = notification => {
                self.activate(Instant::now());
                sleep_until(self.next_poll()).await;
            }
            () = sleep_until(self.next_poll()) => {}
        }
    }

    fn record_at(&mut self, found: bool, now: Instant) {
        self.last_poll = now;
        if found {
            self.activate(now);
        } else if now - self.last_activity >= self.bounds.quiet_after {
            self.interval = (self.interval + self.interval / 2).min(self.bounds.ceiling);
        }
    }

    fn activate(&mut self, now: Instant) {
        self.last_activity = now;
        self.interval = self.bounds.floor;
    }

    /// Returns the time from which the next poll is due.
    fn next_poll(&self) -> Instant {
        self.last_poll + self.interval
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::time::Duration;

    use futures::FutureExt;

    use super::{AdaptiveInterval, PollBounds};

    const MILLI: Duration = Duration::from_millis(1);
    const HOUR: Duration = Duration::from_secs(3_600);
    const BOUNDS: PollBounds =
        PollBounds { floor: Duration::from_millis(100), ceiling: Duration::from_millis(500), quiet_after: MILLI };

    /// Returns the milliseconds between polls, each of which begins when it is due and ends at
    /// once.
    fn waits(interval: &mut AdaptiveInterval, polls: impl IntoIterator<Item = bool>) -> Vec<u128> {
        let mut now = interval.next_poll();
        let poll = |found| {
            interval.record_at(found, now);
            let wait = interval.next_poll() - now;
            now += wait;
            wait.as_millis()
        };
        polls.into_iter().map(poll).collect()
    }

    #[test]
    fn the_interval_grows_to_its_ceiling_while_polls_find_nothing_and_returns_to_its_floor() {
        let polls = [true, false, false, false, false, false, true, true, false];
        let waits = waits(&mut AdaptiveInterval::new(BOUNDS), polls);
        assert_eq!(waits, [100, 150, 225, 337, 500, 500, 100, 100, 150]);
    }

    #[test]
    fn the_interval_stays_at_its_floor_for_a_while_after_the_last_activity() {
        let mut interval = AdaptiveInterval::new(PollBounds { quiet_after: 250 * MILLI, ..BOUNDS });
        assert_eq!(waits(&mut interval, [true, false, false, false, false]), [100, 100, 100, 150, 225]);
        interval.activate(interval.last_poll);
        assert_eq!(waits(&mut interval, [false; 4]), [100, 100, 150, 225], "a notification is an activity");
    }

    #[tokio::test]
    async fn a_notification_ends_the_wait_but_not_before_the_floor_has_passed() {
        let mut interval = AdaptiveInterval::new(PollBounds { floor: MILLI, ceiling: HOUR, quiet_after: MILLI });
        waits(&mut interval, [false; 60]);
        assert_eq!(interval.interval, HOUR);
        interval.record(false);
        assert!(interval.wait(pending()).now_or_never().is_none(), "the next poll is due in an hour");
        interval.wait(ready(())).await;
        assert_eq!(interval.interval, MILLI, "as after an activity");
        interval.wait(pending()).await;

        let mut interval = AdaptiveInterval::new(PollBounds { floor: HOUR, ..BOUNDS });
        assert!(interval.wait(ready(())).now_or_never().is_none(), "the floor has not passed");
    }
}
