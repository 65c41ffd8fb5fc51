//! Log messages about a failing data source. Every call would log the same message, so each message
//! is logged once a second, with the number of suppressed ones.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::error::{ErrorClass, StoreError};

/// The pause after a message was logged.
const REST: Duration = Duration::from_secs(1);

/// The throttled messages of one source.
#[derive(Debug)]
pub(crate) struct ThrottledLog {
    source: usize,
    begin: Instant,
    silent: Throttle,
    unreached: Throttle,
    gave_up: Throttle,
}

impl ThrottledLog {
    /// Creates the log of a source, counted from 0, without earlier messages.
    pub(crate) fn new(source: usize) -> Self {
        let [silent, unreached, gave_up] = [(); 3].map(|()| Throttle::default());
        Self { source, begin: Instant::now(), silent, unreached, gave_up }
    }

    /// Logs those details of a fault that ends a call which its caller does not get.
    pub(crate) fn tell(&self, fault: &StoreError) {
        let (source, now) = (self.source + 1, self.begin.elapsed());
        match fault {
            StoreError::Silence => {
                if let Some(unsaid) = self.silent.pass(now) {
                    tracing::warn!(source, unsaid, "a data source stayed silent");
                }
            }
            StoreError::Db(error) => match fault.meaning() {
                ErrorClass::Lost | ErrorClass::Unreachable => {
                    if let Some(unsaid) = self.unreached.pass(now) {
                        tracing::warn!(source, unsaid, %error, "a data source cannot be reached, or not be written");
                    }
                }
                ErrorClass::Conflict | ErrorClass::Locked => {
                    if let Some(unsaid) = self.gave_up.pass(now) {
                        tracing::warn!(source, unsaid, %error, "a transaction gave up after its retries");
                    }
                }
                // Internal errors are logged where they become a status.
                ErrorClass::Duplicate | ErrorClass::Fatal => {}
            },
            // `Away` was logged when the source became unavailable; a domain error concerns the
            // caller only.
            StoreError::Away | StoreError::Domain(_) => {}
        }
    }
}

/// Lets a message pass once in a while.
#[derive(Debug, Default)]
struct Throttle {
    /// The time at which it may pass again, in milliseconds from the beginning.
    next: AtomicU64,
    unsaid: AtomicU64,
}

impl Throttle {
    /// Returns the number of messages suppressed since the last one if a message may pass now, at
    /// this time after the beginning.
    fn pass(&self, now: Duration) -> Option<u64> {
        let millis = |of: Duration| u64::try_from(of.as_millis()).unwrap_or(u64::MAX);
        let (now, next) = (millis(now), self.next.load(Ordering::Relaxed));
        let then = now + millis(REST);
        if now >= next && self.next.compare_exchange(next, then, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            return Some(self.unsaid.swap(0, Ordering::Relaxed));
        }
        self.unsaid.fetch_add(1, Ordering::Relaxed);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_said_once_a_second_with_the_count_of_those_left_out() {
        let throttle = Throttle::default();
        let said = [0, 1, 999, 1_000, 1_001, 2_500].map(|millis| throttle.pass(Duration::from_millis(millis)));
        assert_eq!(said, [Some(0), None, None, Some(2), None, Some(1)]);
    }
}
