//! Checks that a relay repairs the cached data of a data source. Cached data that no relay has
//! repaired for too long is not read, because it would never receive the commits of a process that
//! died, or of one without a cache.
//!
//! A slow relay is not a missing relay: as long as a cursor moves, the cache is read, however far
//! the cursor is behind. Leaving the cache under load would only increase the load. A process that
//! starts knows nothing of earlier relays, so it reads nothing from the cache until it has seen
//! that the cache is repaired.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::seq::IndexedRandom;
use riposte_core::ports::EventLog;
use riposte_core::{Partition, Result};

use crate::invalid_partitions::InvalidPartitions;
use crate::port::{Cache, RelayCursor};

/// The number of partitions, chosen anew each time, whose cursors are checked while the cache is
/// read. The relay advances all partitions of a source within a second, so a few represent all.
/// Their cursors differ by the relay's progress in that second, so only a cursor beyond all that
/// were seen before shows that the relay runs.
const SAMPLE: usize = 4;
/// The number of cursors that are read at a time when all are read.
const BREADTH: usize = 128;
/// The number of checks that a process makes in quick succession after its start.
const HURRIED: u32 = 20;
/// The time for which cursors must be seen to move, at every check, until cached data that is far
/// behind counts as repaired.
const STEADY: Duration = Duration::from_secs(5);
/// The age at which a commit without a sequence number counts as work for the relay. It is also the
/// approximate interval between two checks.
const LATE: Duration = Duration::from_secs(1);

/// A change found by a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StalenessChange {
    /// The cache is read from now on: for the first time in this process a relay was seen to repair
    /// it.
    Found,
    /// No relay repairs the cache: from now on it is not read.
    Missing,
    /// The cache is read again: the relay has caught up.
    Again,
}

/// Monitors one data source. See the module.
#[derive(Debug)]
pub struct StalenessMonitor {
    cache: Arc<dyn Cache>,
    outbox: Arc<dyn EventLog>,
    invalid: InvalidPartitions,
    source: usize,
    partitions: Vec<Partition>,
    longest: Duration,
    standing: CursorHistory,
    looks: u32,
}

impl StalenessMonitor {
    /// Monitors the cached data of `partitions` in `cache`. All of them lie on `source`, counted
    /// from 0. The cache is read from the first check on that finds it repaired, and for as long as
    /// a cursor has moved within `longest`, or no cursor had to move.
    #[must_use]
    pub fn new(
        cache: Arc<dyn Cache>,
        outbox: Arc<dyn EventLog>,
        invalid: InvalidPartitions,
        source: usize,
        partitions: Vec<Partition>,
        longest: Duration,
    ) -> Self {
        invalid.leave(&partitions);
        Self { cache, outbox, invalid, source, partitions, longest, standing: CursorHistory::default(), looks: 0 }
    }

    /// Checks once and returns a state change, if any. `oldest` is the age of the oldest commit
    /// that waits for a sequence number, which no cursor can reflect.
    ///
    /// # Errors
    /// Those of the outbox. An unavailable cache is not an error: it is not read then either.
    pub async fn look(&mut self, oldest: Duration) -> Result<Option<StalenessChange>> {
        self.looks = self.looks.saturating_add(1);
        let Some(stand) = self.found(oldest).await.inspect_err(|_| self.standing.was_not_seen())? else {
            self.standing.was_not_seen();
            return Ok(None);
        };
        let news = self.standing.seen(Instant::now(), stand, self.longest);
        match news {
            Some(StalenessChange::Missing) => self.invalid.leave(&self.partitions),
            Some(StalenessChange::Found | StalenessChange::Again) => self.invalid.come_back(&self.partitions),
            None => {}
        }
        Ok(news)
    }

    /// Returns the state of the cursors; `None` if the cache is unavailable.
    async fn found(&self, oldest: Duration) -> Result<Option<CursorState>> {
        // The end of the events is read first: a cursor that is read afterwards may be beyond it,
        // which is not an error.
        let head = self.outbox.head(self.source).await?;
        let sample: Vec<Partition> = self.partitions.sample(&mut rand::rng(), SAMPLE).copied().collect();
        let Ok(cursors) = self.cache.cursors(&sample).await else { return Ok(None) };
        // A partition without a cursor has no cached data.
        let places = || cursors.iter().flatten().map(|RelayCursor(place)| *place);
        let mut last = places().min();
        // All cursors are read when this sample would suffice: some may have been set to the end of
        // the events by a new generation, while others are as old as before.
        if self.standing.would_end(last, head) {
            for some in self.partitions.chunks(BREADTH) {
                let Ok(cursors) = self.cache.cursors(some).await else { return Ok(None) };
                last = cursors.into_iter().flatten().map(|RelayCursor(place)| place).chain(last).min();
            }
        }
        Ok(Some(CursorState { first: places().max().unwrap_or_default(), last, head, oldest }))
    }

    /// Records that a check was not possible: it is unknown whether the relay stood still
    /// meanwhile.
    pub fn was_blind(&mut self) {
        self.standing.was_not_seen();
    }

    /// Returns whether the state is known, or the number of checks shows that it will take longer
    /// to determine.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.standing.left.is_none_or(|left| left.is_told) || self.looks >= HURRIED
    }
}

/// The findings of one check.
#[derive(Debug, Clone, Copy)]
struct CursorState {
    /// The highest and the lowest of the cursors that were read; no lowest if no cursor exists.
    first: i64,
    last: Option<i64>,
    /// The end of the events.
    head: i64,
    /// The time for which a commit has waited for its sequence number.
    oldest: Duration,
}

/// The progress of the cursors towards the end of the events over successive checks.
#[derive(Debug)]
struct CursorHistory {
    /// The highest position that a cursor has reached.
    place: i64,
    /// The time of the last check, if the cursors had to move then.
    before: Option<Instant>,
    /// The time for which the cursors were seen not to move although they had to.
    still: Duration,
    /// The time since which the cursors were seen to move at every check.
    moving: Option<Instant>,
    left: Option<Left>,
}

/// The state in which the cache is not read.
#[derive(Debug, Clone, Copy)]
struct Left {
    /// `true` if the absence of a relay was reported; `false` while it is unknown whether a relay
    /// runs.
    is_told: bool,
    /// The last time at which the absence of a relay was seen. Commits made before it must be
    /// reported to the cache before the cache is read.
    seen: Option<Instant>,
    /// The position at which all of those commits end, once they have sequence numbers.
    target: Option<i64>,
}

impl Default for CursorHistory {
    fn default() -> Self {
        let left = Some(Left { is_told: false, seen: None, target: None });
        Self { place: 0, before: None, still: Duration::ZERO, moving: None, left }
    }
}

impl CursorHistory {
    /// Returns whether the cache may be read again if all cursors have reached `last`.
    fn would_end(&self, last: Option<i64>, head: i64) -> bool {
        let target = |left: Left| left.target.unwrap_or(head);
        self.left.is_some_and(|left| last.is_some_and(|last| last >= target(left)))
    }

    fn was_not_seen(&mut self) {
        (self.before, self.moving) = (None, None);
    }

    fn seen(&mut self, now: Instant, stand: CursorState, longest: Duration) -> Option<StalenessChange> {
        let CursorState { first, last, head, oldest } = stand;
        let moved = first > self.place;
        self.place = self.place.max(first);
        let behind = self.place < head || oldest >= LATE;
        if moved || !behind {
            self.still = Duration::ZERO;
        } else if let Some(before) = self.before {
            // For a process that was itself suspended, at most three check intervals count.
            self.still += now.duration_since(before).min(LATE * 3);
        }
        self.before = behind.then_some(now);
        self.moving = if moved { self.moving.or(Some(now)) } else { None };
        if self.still >= longest {
            let is_news = self.left.replace(Left { is_told: true, seen: Some(now), target: None });
            return is_news.is_none_or(|left| !left.is_told).then_some(StalenessChange::Missing);
        }
        let left = self.left.as_mut()?;
        let seen = *left.seen.get_or_insert(now);
        if left.target.is_none() && (oldest.is_zero() || oldest < now.duration_since(seen)) {
            left.target = Some(head);
        }
        let has_come = left.target.is_some_and(|target| last.is_some_and(|last| last >= target));
        // All other processes read the cache while a running relay is far behind. A process that
        // has stopped reading the cache waits for the commits that the cache missed.
        let is_at_work = !left.is_told && self.moving.is_some_and(|since| now.duration_since(since) >= STEADY);
        let is_over = has_come || is_at_work;
        let care = if left.is_told { StalenessChange::Again } else { StalenessChange::Found };
        if is_over {
            self.left = None;
        }
        is_over.then_some(care)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_secs(30);

    /// The state changes and their times, from one check per second. Each check is given as the
    /// position of all cursors, the head, and the age in seconds of the oldest commit without a
    /// sequence number.
    fn told(looks: impl IntoIterator<Item = Option<(i64, i64, u64)>>) -> Vec<(u64, StalenessChange)> {
        told_of(looks.into_iter().map(|look| look.map(|(place, head, oldest)| (place, Some(place), head, oldest))))
    }

    /// The same with the highest and the lowest cursor.
    fn told_of(looks: impl IntoIterator<Item = Option<(i64, Option<i64>, i64, u64)>>) -> Vec<(u64, StalenessChange)> {
        let (begin, mut standing) = (Instant::now(), CursorHistory::default());
        let news = (0..).zip(looks).filter_map(|(second, look)| {
            let Some((first, last, head, oldest)) = look else {
                standing.was_not_seen();
                return None;
            };
            let stand = CursorState { first, last, head, oldest: Duration::from_secs(oldest) };
            Some((second, standing.seen(begin + Duration::from_secs(second), stand, LONGEST)?))
        });
        news.collect()
    }

    /// Repeats a check for `seconds` seconds.
    fn for_seconds<T: Copy>(seconds: usize, look: T) -> impl Iterator<Item = Option<T>> {
        std::iter::repeat_n(Some(look), seconds)
    }

    #[test]
    fn a_cursor_that_stands_still_behind_the_end_is_missed_until_it_has_caught_up() {
        let still = for_seconds(40, (5, 5, 0)).chain(for_seconds(60, (5, 9, 0)));
        let back = [Some((11, 15, 0)), Some((14, 20, 0)), Some((15, 30, 0)), Some((16, 40, 0))];
        assert_eq!(
            told(still.chain(back)),
            [(0, StalenessChange::Found), (70, StalenessChange::Missing), (102, StalenessChange::Again)]
        );
    }

    #[test]
    fn the_cache_is_not_read_before_a_relay_was_seen_to_repair_it() {
        assert_eq!(told([(5, 5, 0), (5, 6, 0), (6, 6, 0)].map(Some)), [(0, StalenessChange::Found)], "nothing to do");
        assert_eq!(
            told([(5, 7, 0), (6, 8, 0), (7, 9, 0), (8, 9, 0)].map(Some)),
            [(2, StalenessChange::Found)],
            "at work"
        );
        assert_eq!(told(for_seconds(60, (5, 9, 0))), [(30, StalenessChange::Missing)], "no relay");
    }

    #[test]
    fn without_cached_data_no_relay_is_expected() {
        let (nothing, begun) = ((0, None, 9, 0), (9, Some(9), 9, 0));
        let looks = for_seconds(40, nothing).chain(for_seconds(3, begun));
        assert_eq!(told_of(looks), [(30, StalenessChange::Missing), (40, StalenessChange::Again)]);
    }

    #[test]
    fn one_that_was_made_anew_does_not_speak_for_those_that_are_old() {
        let left = for_seconds(40, (5, Some(5), 9, 0));
        let looks = left.chain([(20, Some(5), 20, 0), (21, Some(19), 21, 0), (21, Some(20), 21, 0)].map(Some));
        assert_eq!(told_of(looks), [(30, StalenessChange::Missing), (42, StalenessChange::Again)]);
    }

    #[test]
    fn unsequenced_commits_are_reported_before_the_cache_is_read_again() {
        // From second 32 on sequence numbers are assigned, and at second 35 the last commit that
        // waited then has one.
        let waits = (0..32).map(|second| Some((5, 5, second + 1)));
        let sequenced = [(6, 60, 33), (7, 105, 30), (8, 160, 9), (9, 205, 2), (204, 300, 2), (205, 310, 2)].map(Some);
        assert_eq!(told(waits.chain(sequenced)), [(30, StalenessChange::Missing), (37, StalenessChange::Again)]);
    }

    #[test]
    fn commits_that_wait_for_ever_do_not_prevent_the_return_to_the_cache() {
        let waits = (0..40).map(|second| Some((5, 5, second + 1)));
        let behind = (0..40).map(|second| Some((200 * second, 200 * second + 100, 2)));
        let told = told(waits.chain(behind));
        assert_eq!(told.len(), 2, "{told:?}");
    }

    #[test]
    fn time_without_checks_does_not_count_and_earlier_findings_do() {
        let found = Some((5, 5, 0));
        let seen = |seconds| for_seconds(seconds, (5, 9, 0));
        // 19 s and 10 s, with a time without checks between them.
        let looks = [found].into_iter().chain(seen(20)).chain(std::iter::repeat_n(None, 50)).chain(seen(12));
        assert_eq!(told(looks), [(0, StalenessChange::Found), (82, StalenessChange::Missing)]);
        // The time for which a process was suspended does not count either.
        let (begin, mut standing) = (Instant::now(), CursorHistory::default());
        let mut seen = |at, place, head| {
            let stand = CursorState { first: place, last: Some(place), head, oldest: Duration::ZERO };
            standing.seen(begin + Duration::from_secs(at), stand, LONGEST)
        };
        let told = [seen(0, 5, 5), seen(60, 5, 6), seen(120, 5, 7), seen(121, 7, 7)];
        assert_eq!(told, [Some(StalenessChange::Found), None, None, None]);
    }

    #[test]
    fn different_cursors_do_not_count_as_cursors_that_moved() {
        let looks = (0..40).map(|second| Some((5 - second % 3, 9, 0)));
        assert_eq!(told(looks), [(30, StalenessChange::Missing)]);
    }

    #[test]
    fn one_that_is_behind_and_moves_and_one_that_has_nothing_to_do_are_not_missed() {
        let slow = (0..100).map(|second| Some((second / 20, 1_000, 50)));
        assert_eq!(told(slow), []);
        let far_behind = (1..100).map(|second| Some((second, 100_000 + second, 50)));
        assert_eq!(told(far_behind), [(5, StalenessChange::Found)]);
        assert_eq!(told(for_seconds(100, (7, 7, 0))), [(0, StalenessChange::Found)]);
    }
}
