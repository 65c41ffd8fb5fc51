//! A limit on the rate of a log message. A message that every call would log is logged at most once
//! a second, with the number of suppressed messages.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The minimum interval between two messages.
const INTERVAL: Duration = Duration::from_secs(1);

/// Lets a message pass at most once a second. The caller logs the message. Times come from any
/// clock that never goes back and count from any fixed instant.
#[derive(Debug, Default)]
pub struct ThrottledLog {
    /// The time at which the message may pass again, in milliseconds.
    next: AtomicU64,
    suppressed: AtomicU64,
}

impl ThrottledLog {
    /// Returns the number of messages suppressed since the last one if the message may pass at this
    /// time; counts it as suppressed and returns `None` otherwise. Of concurrent calls, one passes.
    pub fn pass(&self, now: Duration) -> Option<u64> {
        let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let (now, next) = (millis(now), self.next.load(Ordering::Relaxed));
        let following = now + millis(INTERVAL);
        if now >= next && self.next.compare_exchange(next, following, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            return Some(self.suppressed.swap(0, Ordering::Relaxed));
        }
        self.suppressed.fetch_add(1, Ordering::Relaxed);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_passes_once_a_second_with_the_number_of_suppressed_ones() {
        let log = ThrottledLog::default();
        let passed = [0, 1, 999, 1_000, 1_001, 2_500].map(|millis| log.pass(Duration::from_millis(millis)));
        assert_eq!(passed, [Some(0), None, None, Some(2), None, Some(1)]);
    }
}
