//! Checks that a relay repairs the cached data of a data source. Cached data that no relay has
//! repaired for too long is stale and is not read: it would never receive the commits of a process
//! that ended too early to apply them, or that has no cache.
//!
//! A slow relay is not a missing relay. As long as a cursor moves, the cache is read, however far
//! the cursor is behind: without the cache the load would only increase. A process that starts
//! knows nothing of earlier relays, so it reads nothing from the cache until it has seen that the
//! cache is repaired.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::seq::IndexedRandom;
use riposte_core::Partition;

use crate::invalid_partitions::InvalidPartitions;
use crate::port::{Cache, RelayCursor};
use crate::source_partitions::SourcePartitions;

/// The number of partitions whose cursors a check reads; each check chooses other ones. The relay
/// advances all partitions of a source within a second, so a few represent all. Their cursors
/// differ by the relay's progress in that second, so only a cursor beyond all earlier ones shows
/// that the relay runs.
const SAMPLE_SIZE: usize = 4;
/// The number of cursors that are read at a time when all are read.
const CURSORS_PER_READ: usize = 128;
/// The maximum number of checks that a process makes in quick succession after its start.
const STARTUP_CHECKS: u32 = 20;
/// The time for which cursors must move at every check until cached data that is far behind counts
/// as repaired.
const STEADY_TIME: Duration = Duration::from_secs(5);
/// The age at which a commit without a sequence number counts as work for the relay. It is also the
/// approximate interval between two checks.
const COMMIT_DUE: Duration = Duration::from_secs(1);

/// A change found by a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StalenessChange {
    /// The cache is read from now on: this process has seen for the first time that a relay repairs
    /// it.
    Verified,
    /// No relay repairs the cache: from now on it is not read.
    Stale,
    /// The cache is read again: the relay has caught up.
    Recovered,
}

/// Monitors one data source. See the module.
#[derive(Debug)]
pub struct StalenessMonitor {
    cache: Arc<dyn Cache>,
    invalid: InvalidPartitions,
    partitions: SourcePartitions,
    stale_after: Duration,
    history: CursorHistory,
    checks: u32,
}

impl StalenessMonitor {
    /// Monitors the cached data of `partitions` in `cache`. All of them lie on one data source. The
    /// cache is read from the first check on that finds it repaired. It becomes stale
    /// when no cursor has moved for `stale_after` although one had to move.
    #[must_use]
    pub fn new(
        cache: Arc<dyn Cache>,
        invalid: InvalidPartitions,
        partitions: SourcePartitions,
        stale_after: Duration,
    ) -> Self {
        invalid.mark_stale(&partitions.get());
        let history = CursorHistory::default();
        Self { cache, invalid, partitions, stale_after, history, checks: 0 }
    }

    /// Checks once and returns a state change, if any. The end of the events is compared with
    /// cursors that are read afterwards. Where nothing has changed since the cursors were found at
    /// the end, none are read.
    pub async fn check(&mut self, end: EventsEnd) -> Option<StalenessChange> {
        self.checks = self.checks.saturating_add(1);
        let Some(state) = self.cursor_state(end).await else {
            self.history.record_missed_check();
            return None;
        };
        let change = self.history.record(end.time, state, self.stale_after);
        match change {
            Some(StalenessChange::Stale) => self.invalid.mark_stale(&self.partitions.get()),
            Some(StalenessChange::Verified | StalenessChange::Recovered) => {
                self.invalid.unmark_stale(&self.partitions.get())
            }
            None => {}
        }
        change
    }

    /// Returns the state of the cursors; `None` if the cache is unavailable.
    async fn cursor_state(&self, EventsEnd { head, oldest, .. }: EventsEnd) -> Option<CursorState> {
        if self.history.is_at(head) {
            return Some(CursorState { highest: head, lowest: Some(head), head, oldest });
        }
        // A cursor that is read after the end of the events may be beyond it, which is harmless.
        let partitions = self.partitions.get();
        let sample: Vec<Partition> = partitions.sample(&mut rand::rng(), SAMPLE_SIZE).copied().collect();
        let cursors = self.cache.cursors(&sample).await.ok()?;
        // A partition without a cursor has no cached data.
        let positions = || cursors.iter().flatten().map(|RelayCursor(position)| *position);
        let mut lowest = positions().min();
        // If the sample alone would end the stale state, all cursors are read: a new generation may
        // have set those of the sample to the end of the events, while others are still old.
        if self.history.would_recover(lowest, head) {
            for partitions in partitions.chunks(CURSORS_PER_READ) {
                let cursors = self.cache.cursors(partitions).await.ok()?;
                lowest = cursors.into_iter().flatten().map(|RelayCursor(position)| position).chain(lowest).min();
            }
        }
        Some(CursorState { highest: positions().max().unwrap_or_default(), lowest, head, oldest })
    }

    /// Records that a check was not possible. It is then unknown whether the cursors moved
    /// meanwhile.
    pub fn record_missed_check(&mut self) {
        self.history.record_missed_check();
    }

    /// Returns whether the checks may become less frequent: the state of the cache is known, or
    /// will take longer to determine.
    #[must_use]
    pub fn is_startup_over(&self) -> bool {
        self.history.stale.is_none_or(|stale| stale.is_reported) || self.checks >= STARTUP_CHECKS
    }
}

/// The end of the events of a data source, as a read of its outbox found it.
#[derive(Debug, Clone, Copy)]
pub struct EventsEnd {
    /// The time at which the read began.
    pub time: Instant,
    /// The greatest sequence number assigned.
    pub head: i64,
    /// The age of the oldest commit that waits for a sequence number, which cursors cannot reflect;
    /// zero if no commit waits.
    pub oldest: Duration,
}

/// The findings of one check.
#[derive(Debug, Clone, Copy)]
struct CursorState {
    /// The highest cursor of the sample; 0 if no cursor exists.
    highest: i64,
    /// The lowest of the cursors that were read; `None` if no cursor exists.
    lowest: Option<i64>,
    /// The end of the events.
    head: i64,
    /// The age of the oldest commit that waits for its sequence number.
    oldest: Duration,
}

/// The progress of the cursors towards the end of the events over successive checks.
#[derive(Debug)]
struct CursorHistory {
    /// The highest position that a cursor has reached.
    highest: i64,
    /// The time of the last check, if the cursors had to move then.
    last_check: Option<Instant>,
    /// The time for which the cursors have not moved although they had to.
    standstill: Duration,
    /// The time since which the cursors have moved at every check.
    moving_since: Option<Instant>,
    /// The stale state; `None` while the cache is read.
    stale: Option<StaleState>,
}

/// The state in which the cache is not read.
#[derive(Debug, Clone, Copy)]
struct StaleState {
    /// `true` if the absence of a relay was reported; `false` while it is unknown whether a relay
    /// runs.
    is_reported: bool,
    /// The time of the last check that found no relay, or of the first check. The cache is not read
    /// until the relay has reported all commits made before it.
    since: Option<Instant>,
    /// The position behind all of those commits, once they have sequence numbers.
    target: Option<i64>,
}

impl Default for CursorHistory {
    fn default() -> Self {
        let stale = Some(StaleState { is_reported: false, since: None, target: None });
        Self { highest: 0, last_check: None, standstill: Duration::ZERO, moving_since: None, stale }
    }
}

impl CursorHistory {
    /// Returns whether the cache may be read again if all cursors have reached `lowest`.
    fn would_recover(&self, lowest: Option<i64>, head: i64) -> bool {
        let target = |stale: StaleState| stale.target.unwrap_or(head);
        self.stale.is_some_and(|stale| lowest.is_some_and(|lowest| lowest >= target(stale)))
    }

    /// Returns whether the cache is read and a cursor has reached the end of the events.
    fn is_at(&self, head: i64) -> bool {
        self.stale.is_none() && self.highest >= head
    }

    fn record_missed_check(&mut self) {
        (self.last_check, self.moving_since) = (None, None);
    }

    /// Records a check and returns a state change, if any.
    fn record(&mut self, now: Instant, state: CursorState, stale_after: Duration) -> Option<StalenessChange> {
        let CursorState { highest, lowest, head, oldest } = state;
        let moved = highest > self.highest;
        self.highest = self.highest.max(highest);
        let behind = self.highest < head || oldest >= COMMIT_DUE;
        if moved || !behind {
            self.standstill = Duration::ZERO;
        } else if let Some(last_check) = self.last_check {
            // At most three check intervals count, because this process may have been suspended.
            self.standstill += now.duration_since(last_check).min(COMMIT_DUE * 3);
        }
        self.last_check = behind.then_some(now);
        self.moving_since = if moved { self.moving_since.or(Some(now)) } else { None };
        if self.standstill >= stale_after {
            let earlier = self.stale.replace(StaleState { is_reported: true, since: Some(now), target: None });
            return earlier.is_none_or(|stale| !stale.is_reported).then_some(StalenessChange::Stale);
        }
        let stale = self.stale.as_mut()?;
        let since = *stale.since.get_or_insert(now);
        if stale.target.is_none() && (oldest.is_zero() || oldest < now.duration_since(since)) {
            stale.target = Some(head);
        }
        let reached = stale.target.is_some_and(|target| lowest.is_some_and(|lowest| lowest >= target));
        // A process that has just started reads the cache as soon as it sees the relay run, even
        // far behind: all other processes read the cache then. A process that has reported a stale
        // cache waits until the relay has reported the commits that the cache missed.
        let is_relay_running =
            !stale.is_reported && self.moving_since.is_some_and(|since| now.duration_since(since) >= STEADY_TIME);
        let change = if stale.is_reported { StalenessChange::Recovered } else { StalenessChange::Verified };
        let is_over = reached || is_relay_running;
        if is_over {
            self.stale = None;
        }
        is_over.then_some(change)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STALE_AFTER: Duration = Duration::from_secs(30);

    /// Returns the state changes and their times in seconds, with one check per second. A check is
    /// the position of all cursors, the head, and the age in seconds of the oldest commit without a
    /// sequence number; `None` is a missed check.
    fn changes(checks: impl IntoIterator<Item = Option<(i64, i64, u64)>>) -> Vec<(u64, StalenessChange)> {
        let with_lowest = |(position, head, oldest)| (position, Some(position), head, oldest);
        changes_of(checks.into_iter().map(|check| check.map(with_lowest)))
    }

    /// Returns the same for checks with the highest and the lowest cursor.
    fn changes_of(
        checks: impl IntoIterator<Item = Option<(i64, Option<i64>, i64, u64)>>,
    ) -> Vec<(u64, StalenessChange)> {
        let (begin, mut history) = (Instant::now(), CursorHistory::default());
        let changes = (0..).zip(checks).filter_map(|(second, check)| {
            let Some((highest, lowest, head, oldest)) = check else {
                history.record_missed_check();
                return None;
            };
            let state = CursorState { highest, lowest, head, oldest: Duration::from_secs(oldest) };
            Some((second, history.record(begin + Duration::from_secs(second), state, STALE_AFTER)?))
        });
        changes.collect()
    }

    /// Repeats a check for `seconds` seconds.
    fn for_seconds<T: Copy>(seconds: usize, check: T) -> impl Iterator<Item = Option<T>> {
        std::iter::repeat_n(Some(check), seconds)
    }

    #[test]
    fn the_cache_is_stale_while_a_cursor_does_not_move_and_until_it_has_caught_up() {
        let still = for_seconds(40, (5, 5, 0)).chain(for_seconds(60, (5, 9, 0)));
        let back = [Some((11, 15, 0)), Some((14, 20, 0)), Some((15, 30, 0)), Some((16, 40, 0))];
        assert_eq!(
            changes(still.chain(back)),
            [(0, StalenessChange::Verified), (70, StalenessChange::Stale), (102, StalenessChange::Recovered)]
        );
    }

    #[test]
    fn the_cache_is_not_read_before_a_relay_was_seen_to_repair_it() {
        assert_eq!(
            changes([(5, 5, 0), (5, 6, 0), (6, 6, 0)].map(Some)),
            [(0, StalenessChange::Verified)],
            "nothing to do"
        );
        assert_eq!(
            changes([(5, 7, 0), (6, 8, 0), (7, 9, 0), (8, 9, 0)].map(Some)),
            [(2, StalenessChange::Verified)],
            "at work"
        );
        assert_eq!(changes(for_seconds(60, (5, 9, 0))), [(30, StalenessChange::Stale)], "no relay");
    }

    #[test]
    fn without_cached_data_no_relay_is_expected() {
        let (without_cursors, with_cursors) = ((0, None, 9, 0), (9, Some(9), 9, 0));
        let checks = for_seconds(40, without_cursors).chain(for_seconds(3, with_cursors));
        assert_eq!(changes_of(checks), [(30, StalenessChange::Stale), (40, StalenessChange::Recovered)]);
    }

    #[test]
    fn a_cursor_of_a_new_generation_does_not_represent_old_cursors() {
        let stale = for_seconds(40, (5, Some(5), 9, 0));
        let checks = stale.chain([(20, Some(5), 20, 0), (21, Some(19), 21, 0), (21, Some(20), 21, 0)].map(Some));
        assert_eq!(changes_of(checks), [(30, StalenessChange::Stale), (42, StalenessChange::Recovered)]);
    }

    #[test]
    fn unsequenced_commits_are_reported_before_the_cache_is_read_again() {
        // From second 32 on sequence numbers are assigned, and at second 35 the last commit that
        // waited then has one.
        let unsequenced = (0..32).map(|second| Some((5, 5, second + 1)));
        let sequenced = [(6, 60, 33), (7, 105, 30), (8, 160, 9), (9, 205, 2), (204, 300, 2), (205, 310, 2)].map(Some);
        assert_eq!(
            changes(unsequenced.chain(sequenced)),
            [(30, StalenessChange::Stale), (37, StalenessChange::Recovered)]
        );
    }

    #[test]
    fn commits_that_wait_for_ever_do_not_prevent_the_return_to_the_cache() {
        let unsequenced = (0..40).map(|second| Some((5, 5, second + 1)));
        let behind = (0..40).map(|second| Some((200 * second, 200 * second + 100, 2)));
        let changes = changes(unsequenced.chain(behind));
        assert_eq!(changes.len(), 2, "{changes:?}");
    }

    #[test]
    fn time_without_checks_does_not_count_and_earlier_findings_do() {
        let found = Some((5, 5, 0));
        let behind = |seconds| for_seconds(seconds, (5, 9, 0));
        // 19 s and 10 s, with a time without checks between them.
        let checks = [found].into_iter().chain(behind(20)).chain(std::iter::repeat_n(None, 50)).chain(behind(12));
        assert_eq!(changes(checks), [(0, StalenessChange::Verified), (82, StalenessChange::Stale)]);
        // The time for which a process was suspended does not count either.
        let (begin, mut history) = (Instant::now(), CursorHistory::default());
        let mut record = |second, position, head| {
            let state = CursorState { highest: position, lowest: Some(position), head, oldest: Duration::ZERO };
            history.record(begin + Duration::from_secs(second), state, STALE_AFTER)
        };
        let changes = [record(0, 5, 5), record(60, 5, 6), record(120, 5, 7), record(121, 7, 7)];
        assert_eq!(changes, [Some(StalenessChange::Verified), None, None, None]);
    }

    #[test]
    fn different_cursors_do_not_count_as_cursors_that_moved() {
        let checks = (0..40).map(|second| Some((5 - second % 3, 9, 0)));
        assert_eq!(changes(checks), [(30, StalenessChange::Stale)]);
    }

    #[test]
    fn a_relay_that_is_slow_or_has_nothing_to_do_is_not_missing() {
        let slow = (0..100).map(|second| Some((second / 20, 1_000, 50)));
        assert_eq!(changes(slow), []);
        let far_behind = (1..100).map(|second| Some((second, 100_000 + second, 50)));
        assert_eq!(changes(far_behind), [(5, StalenessChange::Verified)]);
        assert_eq!(changes(for_seconds(100, (7, 7, 0))), [(0, StalenessChange::Verified)]);
    }
}
