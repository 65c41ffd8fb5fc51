//! The read and write rates of subjects, over a sliding window.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use riposte_core::SubjectKey;
use tokio::time::Instant;

use super::frequency::FrequencySketch;

/// The number of panes in the window, which is a ring and advances by one pane.
const PANES: usize = 8;

/// The reads and writes of subjects in this process, per second. Clones are cheap and share their
/// counts.
#[derive(Debug, Clone)]
pub struct SubjectRates(Arc<SubjectWindows>);

#[derive(Debug)]
struct SubjectWindows {
    reads: Mutex<SlidingWindow<SubjectKey>>,
    writes: Mutex<SlidingWindow<SubjectKey>>,
}

/// A subject and its rates.
#[derive(Debug, Clone, PartialEq)]
pub struct HotSubject {
    /// The subject.
    pub subject: SubjectKey,
    /// Reads per second.
    pub reads: f64,
    /// Writes per second.
    pub writes: f64,
}

impl SubjectRates {
    /// Creates empty counters. Each pane of the window counts the `capacity` subjects that are
    /// busiest in it.
    #[must_use]
    pub fn new(window: Duration, capacity: usize) -> Self {
        let window = || Mutex::new(SlidingWindow::new(window, capacity, Instant::now()));
        Self(Arc::new(SubjectWindows { reads: window(), writes: window() }))
    }

    /// Adds `times` reads of a subject.
    pub(super) fn add_reads(&self, subject: &SubjectKey, times: u64) {
        lock(&self.0.reads).add(subject, times, Instant::now());
    }

    /// Adds `times` writes under a subject.
    pub(super) fn add_writes(&self, subject: &SubjectKey, times: u64) {
        lock(&self.0.writes).add(subject, times, Instant::now());
    }

    /// Returns the reads of a subject per second: a lower bound, never more than the true rate.
    pub(super) fn reads(&self, subject: &SubjectKey) -> f64 {
        lock(&self.0.reads).rate(subject, Instant::now())
    }

    /// Returns the counted subjects, the busiest first, by the sum of reads and writes.
    #[must_use]
    pub fn busiest(&self) -> Vec<HotSubject> {
        let now = Instant::now();
        let mut all: HashMap<SubjectKey, HotSubject> = HashMap::new();
        for (subject, reads) in lock(&self.0.reads).all(now) {
            all.insert(subject.clone(), HotSubject { subject, reads, writes: 0.0 });
        }
        for (subject, writes) in lock(&self.0.writes).all(now) {
            all.entry(subject.clone()).or_insert(HotSubject { subject, reads: 0.0, writes }).writes = writes;
        }
        let mut all: Vec<HotSubject> = all.into_values().collect();
        let load = |hot: &HotSubject| hot.reads + hot.writes;
        all.sort_by(|a, b| load(b).total_cmp(&load(a)).then_with(|| a.subject.cmp(&b.subject)));
        all
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A poisoned lock is safe to use: counts that a panic left incomplete are still valid
    // estimates.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A ring of frequency sketches, one per pane of time; the oldest one is dropped as a unit. The
/// current pane is incomplete, so a rate counts the last seven to eight panes and divides by the
/// duration of eight.
#[derive(Debug)]
struct SlidingWindow<K> {
    pane: Duration,
    start: Instant,
    panes: [FrequencySketch<K>; PANES],
    /// The number of panes before the current one.
    advanced: u64,
}

impl<K: Hash + Eq + Clone> SlidingWindow<K> {
    fn new(window: Duration, capacity: usize, now: Instant) -> Self {
        let pane = (window / PANES as u32).max(Duration::from_millis(1));
        Self { pane, start: now, panes: std::array::from_fn(|_| FrequencySketch::new(capacity)), advanced: 0 }
    }

    fn add(&mut self, key: &K, times: u64, now: Instant) {
        self.advance(now);
        self.panes[(self.advanced % PANES as u64) as usize].add(key, times);
    }

    fn rate(&mut self, key: &K, now: Instant) -> f64 {
        self.advance(now);
        self.per_second(self.panes.iter().map(|pane| pane.min_count(key)).sum())
    }

    fn all(&mut self, now: Instant) -> Vec<(K, f64)> {
        self.advance(now);
        let mut counts: HashMap<&K, u64> = HashMap::new();
        for (key, count) in self.panes.iter().flat_map(FrequencySketch::all) {
            *counts.entry(key).or_default() += count;
        }
        counts.into_iter().map(|(key, count)| (key.clone(), self.per_second(count))).collect()
    }

    fn per_second(&self, count: u64) -> f64 {
        count as f64 / (self.pane * PANES as u32).as_secs_f64()
    }

    /// Advances the window to `now`.
    fn advance(&mut self, now: Instant) {
        let pane = u64::try_from(now.saturating_duration_since(self.start).as_nanos() / self.pane.as_nanos());
        let pane = pane.unwrap_or(u64::MAX).max(self.advanced);
        for offset in 1..=(pane - self.advanced).min(PANES as u64) {
            self.panes[((self.advanced + offset) % PANES as u64) as usize].clear();
        }
        self.advanced = pane;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::time::Duration;

    use proptest::prelude::*;
    use tokio::time::Instant;

    use super::{PANES, SlidingWindow};

    const PANE: Duration = Duration::from_millis(100);

    proptest! {
        #[test]
        fn a_rate_is_at_most_the_exact_one_and_exact_while_the_keys_fit(
            stream in proptest::collection::vec((0..12_u32, 0..300_u64), 0..300),
            capacity in 1..16_usize,
        ) {
            let begin = Instant::now();
            let mut window = SlidingWindow::new(PANE * PANES as u32, capacity, begin);
            let (mut now, mut added) = (begin, Vec::new());
            for (key, later) in stream {
                now += Duration::from_millis(later);
                window.add(&key, 1, now);
                added.push((key, (now - begin).as_millis() / PANE.as_millis()));
                let mut exact = HashMap::<u32, u64>::new();
                let current = added[added.len() - 1].1;
                for (key, _) in added.iter().filter(|(_, pane)| pane + PANES as u128 > current) {
                    *exact.entry(*key).or_default() += 1;
                }
                for (key, count) in exact {
                    let (rate, exact) = (window.rate(&key, now), count as f64 / 0.8);
                    prop_assert!(rate <= exact + 1e-9, "{rate} of {exact}");
                    prop_assert!(capacity < 12 || (rate - exact).abs() < 1e-9, "{rate} is not {exact}");
                }
            }
        }
    }

    #[test]
    fn a_key_without_reads_is_dropped_within_a_window() {
        let begin = Instant::now();
        let mut window = SlidingWindow::new(PANE * PANES as u32, 4, begin);
        window.add(&7, 80, begin);
        assert_eq!(window.all(begin), [(7, 100.0)]);
        assert_eq!(window.rate(&7, begin + PANE * 7), 100.0);
        assert_eq!(window.rate(&7, begin + PANE * 8), 0.0);
        window.add(&7, 8, begin + PANE * 1_000_000);
        assert_eq!(window.all(begin + PANE * 1_000_000), [(7, 10.0)]);
    }
}
