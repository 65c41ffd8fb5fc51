//! A line of the log that would be said for each call while something is wrong.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a line rests after it was said.
const REST: Duration = Duration::from_secs(1);

/// Lets a line be said once a second, and counts what is left out.
#[derive(Debug)]
pub(crate) struct Throttle {
    begin: OnceLock<Instant>,
    /// When it may be said again, in milliseconds from the beginning.
    next: AtomicU64,
    unsaid: AtomicU64,
}

impl Throttle {
    pub(crate) const fn new() -> Self {
        Self { begin: OnceLock::new(), next: AtomicU64::new(0), unsaid: AtomicU64::new(0) }
    }

    /// Whether to say it now, and how often it was left out since it was said last.
    pub(crate) fn pass(&self) -> Option<u64> {
        self.at(self.begin.get_or_init(Instant::now).elapsed())
    }

    fn at(&self, now: Duration) -> Option<u64> {
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
        let throttle = Throttle::new();
        let said = [0, 1, 999, 1_000, 1_001, 2_500].map(|millis| throttle.at(Duration::from_millis(millis)));
        assert_eq!(said, [Some(0), None, None, Some(2), None, Some(1)]);
    }
}
