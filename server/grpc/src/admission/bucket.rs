//! A token bucket in one number (GCRA): the time at which it would be full again.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A rate: a burst size and a refill interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    /// The time in which one token is refilled; never zero.
    refill_interval: Duration,
    /// The maximum number of tokens, which one burst can take; never zero.
    burst: u32,
}

/// The tokens that one principal has left. A new bucket is full.
#[derive(Debug, Default)]
pub(super) struct TokenBucket(AtomicU64);

impl RateLimit {
    /// Creates a rate of `count` calls in each `span`, and up to `burst` at once. Returns `None`
    /// for a count of zero, which means no limit.
    #[must_use]
    pub fn new(count: u32, span: Duration, burst: u32) -> Option<Self> {
        let refill_interval = span.checked_div(count)?.max(Duration::from_nanos(1));
        Some(Self { refill_interval, burst: burst.max(1) })
    }

    /// Returns the time in which an empty bucket is full again.
    pub(super) fn refill(self) -> Duration {
        self.refill_interval.saturating_mul(self.burst)
    }
}

impl TokenBucket {
    /// Takes one token at `now`, counted from any fixed time.
    ///
    /// # Errors
    /// The time until a token is available.
    pub(super) fn take(&self, rate: RateLimit, now: Duration) -> Result<(), Duration> {
        let (now, interval, capacity) = (nanos(now), nanos(rate.refill_interval), nanos(rate.refill()));
        let next = |full: u64| {
            let full = full.max(now).saturating_add(interval);
            (full <= now.saturating_add(capacity)).then_some(full)
        };
        let result = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
        result
            .map(drop)
            .map_err(|full| Duration::from_nanos(full.saturating_add(interval) - now.saturating_add(capacity)))
    }
}

fn nanos(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{RateLimit, TokenBucket};

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_bucket_allows_a_burst_then_its_rate_and_returns_the_exact_wait() {
        let rate = RateLimit::new(2, SECOND, 3).unwrap();
        let bucket = TokenBucket::default();
        let begin = SECOND * 1_000;
        for _ in 0..3 {
            assert_eq!(bucket.take(rate, begin), Ok(()));
        }
        assert_eq!(bucket.take(rate, begin), Err(SECOND / 2));
        assert_eq!(bucket.take(rate, begin + SECOND / 4), Err(SECOND / 4));
        assert_eq!(bucket.take(rate, begin + SECOND / 2), Ok(()));
        assert!(bucket.take(rate, begin + SECOND / 2).is_err(), "a rejected call takes no token and adds none");
    }

    #[test]
    fn a_bucket_allows_no_more_than_its_rate_over_a_long_time() {
        let rate = RateLimit::new(7, SECOND, 5).unwrap();
        let bucket = TokenBucket::default();
        let accepted =
            (0..10_000_u32).filter(|ms| bucket.take(rate, Duration::from_millis((*ms).into())).is_ok()).count();
        assert!((70..=75).contains(&accepted), "{accepted}");
    }

    #[test]
    fn a_rate_of_zero_is_unlimited_and_a_burst_is_at_least_one() {
        assert_eq!(RateLimit::new(0, SECOND, 5), None);
        assert_eq!(TokenBucket::default().take(RateLimit::new(1, SECOND, 0).unwrap(), Duration::ZERO), Ok(()));
    }
}
