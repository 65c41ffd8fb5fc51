//! A circuit breaker. After several failures in a row it stops the calls to a dependency, except
//! for one probe per pause.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// The number of failures in a row that opens the breaker.
const FAILURES: u32 = 5;

/// The breaker of one dependency. The times that its methods take come from a clock that never goes
/// back, and count from any fixed instant.
#[derive(Debug, Default)]
pub struct CircuitBreaker {
    failures: AtomicU32,
    /// The time of the next probe, in milliseconds.
    next_probe_at: AtomicU64,
}

impl CircuitBreaker {
    /// The pause between the opening and the first probe, and between two probes.
    pub const PAUSE: Duration = Duration::from_millis(500);

    /// Returns `true` while the breaker is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.failures.load(Ordering::Relaxed) >= FAILURES
    }

    /// Returns `true` if a call may be made. While the breaker is open, one call per
    /// [`Self::PAUSE`] may be made, as a probe.
    #[must_use]
    pub fn may_try(&self, now: Duration) -> bool {
        if !self.is_open() {
            return true;
        }
        let (now, next_probe) = (millis(now), self.next_probe_at.load(Ordering::Relaxed));
        let next = now + millis(Self::PAUSE);
        now >= next_probe
            && self.next_probe_at.compare_exchange(next_probe, next, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Records a successful call and closes the breaker; returns `true` if it was open until now.
    pub fn succeeded(&self) -> bool {
        // Most calls succeed while the counter is 0; the load then avoids a write.
        self.failures.load(Ordering::Relaxed) > 0 && self.failures.swap(0, Ordering::Relaxed) >= FAILURES
    }

    /// Opens the breaker at once, without further failures; returns `true` if it was closed until
    /// now.
    pub fn open(&self, now: Duration) -> bool {
        let is_opened = self.failures.fetch_max(FAILURES, Ordering::Relaxed) < FAILURES;
        if is_opened {
            self.next_probe_at.store(millis(now) + millis(Self::PAUSE), Ordering::Relaxed);
        }
        is_opened
    }

    /// Records a call that failed or timed out; returns `true` if this opens the breaker.
    pub fn failed(&self, now: Duration) -> bool {
        let previous =
            self.failures.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |failures| failures.checked_add(1));
        let is_opened = previous == Ok(FAILURES - 1);
        if is_opened {
            self.next_probe_at.store(millis(now) + millis(Self::PAUSE), Ordering::Relaxed);
        }
        is_opened
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX / 2)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{CircuitBreaker, FAILURES};

    const fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_breaker_opens_after_failures_in_a_row_and_admits_one_probe_per_pause() {
        let breaker = CircuitBreaker::default();
        for _ in 1..FAILURES {
            assert!(!breaker.failed(at(0)));
        }
        assert!(!breaker.succeeded(), "it was not open");
        for _ in 1..FAILURES {
            assert!(!breaker.failed(at(0)));
        }
        assert!(breaker.may_try(at(0)));
        assert!(breaker.failed(at(1_000)), "the fifth in a row");
        assert!(breaker.is_open() && !breaker.failed(at(1_001)), "that is reported once");
        assert!(!breaker.may_try(at(1_499)));
        assert!(breaker.may_try(at(1_500)));
        assert!(!breaker.may_try(at(1_500)), "one at a time");
        assert!(!breaker.failed(at(1_600)));
        assert!(breaker.may_try(at(2_000)));
        assert!(breaker.succeeded());
        assert!(!breaker.is_open() && breaker.may_try(at(2_001)));
        assert!(breaker.open(at(3_000)) && breaker.is_open() && !breaker.open(at(3_000)));
        assert!(!breaker.may_try(at(3_499)) && breaker.may_try(at(3_500)));
    }

    #[test]
    fn the_longest_time_does_not_overflow() {
        let breaker = CircuitBreaker::default();
        assert!(breaker.open(Duration::MAX) && !breaker.may_try(at(1_000_000)));
    }
}
