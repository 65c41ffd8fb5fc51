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
        self.last_poll = Instant::now();
        if found {
            self.activate();
        } else if self.last_activity.elapsed() >= self.bounds.quiet_after {
            self.interval = (self.interval + self.interval / 2).min(self.bounds.ceiling);
        }
    }

    /// Waits until the next poll is due. `notification` ends the wait sooner, but not before the
    /// floor has passed since the last poll.
    pub async fn wait(&mut self, notification: impl Future<Output = ()>) {
        tokio::select! {
            () = notification => {
                self.activate();
                sleep_until(self.last_poll + self.interval).await;
            }
            () = sleep_until(self.last_poll + self.interval) => {}
        }
    }

    fn activate(&mut self) {
        self.last_activity = Instant::now();
        self.interval = self.bounds.floor;
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::time::Duration;

    use tokio::time::{Instant, advance};

    use super::{AdaptiveInterval, PollBounds};

    const MILLI: Duration = Duration::from_millis(1);
    const BOUNDS: PollBounds =
        PollBounds { floor: Duration::from_millis(100), ceiling: Duration::from_millis(500), quiet_after: MILLI };

    /// Returns the milliseconds of a wait after a poll.
    async fn wait(interval: &mut AdaptiveInterval, found: bool, notification: impl Future<Output = ()>) -> u128 {
        interval.record(found);
        let begin = Instant::now();
        interval.wait(notification).await;
        begin.elapsed().as_millis()
    }

    #[tokio::test(start_paused = true)]
    async fn the_interval_grows_to_its_ceiling_while_polls_find_nothing_and_returns_to_its_floor() {
        let mut interval = AdaptiveInterval::new(BOUNDS);
        let mut waits = Vec::new();
        for found in [true, false, false, false, false, false, true, true, false] {
            waits.push(wait(&mut interval, found, pending()).await);
        }
        assert_eq!(waits, [100, 150, 225, 338, 500, 500, 100, 100, 150]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_interval_stays_at_its_floor_for_a_while_after_the_last_activity() {
        let mut interval = AdaptiveInterval::new(PollBounds { quiet_after: 250 * MILLI, ..BOUNDS });
        let mut waits = Vec::new();
        for _ in 0..5 {
            waits.push(wait(&mut interval, false, pending()).await);
        }
        assert_eq!(waits, [100, 100, 100, 150, 225]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_notification_ends_the_wait_but_not_before_the_floor_has_passed() {
        let mut interval = AdaptiveInterval::new(BOUNDS);
        for _ in 0..6 {
            wait(&mut interval, false, pending()).await;
        }
        assert_eq!(wait(&mut interval, false, ready(())).await, 100);
        for _ in 0..6 {
            wait(&mut interval, false, pending()).await;
        }
        interval.record(false);
        advance(300 * MILLI).await;
        let begin = Instant::now();
        interval.wait(ready(())).await;
        assert_eq!(begin.elapsed(), Duration::ZERO, "the floor has passed");
    }
}
