//! Error logging and back-off of a loop that runs as long as the process, over a data source that
//! may be unavailable.

use std::fmt::Display;
use std::time::Duration;

/// The wait after the first failure.
const FIRST_REST: Duration = Duration::from_millis(100);
/// The longest wait.
const LONGEST_REST: Duration = Duration::from_secs(5);

/// Logs the first failure of a loop and its recovery, and returns the wait before each retry
/// between the two: 100 ms after the first failure, twice the last wait after each further one, and
/// at most 5 s. The loop itself waits, and never gives up.
#[derive(Debug)]
pub struct BackoffLog {
    what: &'static str,
    source: usize,
    /// The last wait; `None` while the loop works.
    rest: Option<Duration>,
}

impl BackoffLog {
    /// Creates the log of `what` of a source, counted from 0, in working state.
    #[must_use]
    pub fn of(what: &'static str, source: usize) -> Self {
        Self { what, source: source + 1, rest: None }
    }

    /// Records a failure and returns the wait before the next attempt, which doubles with each
    /// failure.
    pub fn met(&mut self, error: &impl Display) -> Duration {
        let Self { what, source, .. } = self;
        if self.rest.is_none() {
            tracing::warn!(source, %error, "the {what} of the data source failed and is retried");
        }
        let rest = self.rest.map_or(FIRST_REST, |rest| (2 * rest).min(LONGEST_REST));
        self.rest = Some(rest);
        rest
    }

    /// Records a success.
    pub fn over(&mut self) {
        if self.rest.take().is_some() {
            let Self { what, source, .. } = self;
            tracing::info!(source, "the {what} of the data source has recovered");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::BackoffLog;

    #[test]
    fn the_rests_double_up_to_five_seconds_and_begin_anew_after_a_success() {
        let mut log = BackoffLog::of("tail", 0);
        let mut pauses = || (0..8).map(|_| log.met(&"unavailable").as_millis()).collect::<Vec<_>>();
        assert_eq!(pauses(), [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
        log.over();
        assert_eq!(log.met(&"unavailable"), Duration::from_millis(100));
    }
}
