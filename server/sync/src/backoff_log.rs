//! The error log and the back-off of a loop that runs as long as the process and uses a data source
//! that may be unavailable.

use std::fmt::Display;
use std::time::Duration;

/// The waits of a loop before its retries: the wait doubles with each failure.
#[derive(Debug, Clone, Copy)]
pub struct RetryWaits {
    /// The wait after the first failure.
    pub first: Duration,
    /// The longest wait.
    pub longest: Duration,
}

impl RetryWaits {
    /// The waits of a loop that uses a data source: from 100 ms to 5 s.
    pub const DEFAULT: Self = Self { first: Duration::from_millis(100), longest: Duration::from_secs(5) };
}

/// Logs the first failure of a loop and its recovery, and returns the wait before each retry
/// between the two. The loop itself waits, and never gives up.
#[derive(Debug)]
pub struct BackoffLog {
    loop_name: String,
    source: usize,
    waits: RetryWaits,
    /// The last wait; `None` while the loop works.
    wait: Option<Duration>,
}

impl BackoffLog {
    /// Creates the log of the loop `loop_name` of a data source, with the default waits. The loop
    /// has not failed yet; `source` counts from 0.
    #[must_use]
    pub fn new(loop_name: &str, source: usize) -> Self {
        Self::with_waits(loop_name, source, RetryWaits::DEFAULT)
    }

    /// Creates the log of a loop that waits otherwise.
    #[must_use]
    pub fn with_waits(loop_name: &str, source: usize, waits: RetryWaits) -> Self {
        Self { loop_name: loop_name.to_owned(), source: source + 1, waits, wait: None }
    }

    /// Records a failure and returns the wait before the next attempt, which doubles with each
    /// failure.
    pub fn failed(&mut self, error: &impl Display) -> Duration {
        let Self { loop_name, source, .. } = self;
        if self.wait.is_none() {
            tracing::warn!(source, %error, "the {loop_name} of the data source failed and is retried");
        }
        let wait = self.wait.map_or(self.waits.first, |wait| (2 * wait).min(self.waits.longest));
        self.wait = Some(wait);
        wait
    }

    /// Records a success.
    pub fn succeeded(&mut self) {
        if self.wait.take().is_some() {
            let Self { loop_name, source, .. } = self;
            tracing::info!(source, "the {loop_name} of the data source has recovered");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::BackoffLog;

    #[test]
    fn the_waits_double_up_to_five_seconds_and_begin_anew_after_a_success() {
        let mut log = BackoffLog::new("tail", 0);
        let mut pauses = || (0..8).map(|_| log.failed(&"unavailable").as_millis()).collect::<Vec<_>>();
        assert_eq!(pauses(), [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
        log.succeeded();
        assert_eq!(log.failed(&"unavailable"), Duration::from_millis(100));
    }
}
