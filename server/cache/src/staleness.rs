//! Looks whether anybody mends the copies of a data source. Copies that nobody has mended for too long are not read: what a
//! process that died, or one without copies, has committed would never be told to them.
//!
//! A relay that is slow is not one that is missing: as long as a cursor moves, copies are read, however far it is behind. Under
//! load it would only make things worse to leave them. But a process that starts knows nothing of who was there before it, so it reads
//! no copies until it has seen that they are mended.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::seq::IndexedRandom;
use riposte_core::ports::Outbox;
use riposte_core::{Partition, Result};

use crate::invalid_partitions::InvalidPartitions;
use crate::port::{Cache, RelayCursor};

/// Partitions whose cursors are looked at while copies are read, others each time: the relay moves all of a source within a second, so a
/// few speak for all. They differ by what it moves in that second, so only one beyond all that were seen shows that it is there.
const SAMPLE: usize = 4;
/// Cursors that are asked for at a time where all are.
const BREADTH: usize = 128;
/// Looks of a process that has just begun which follow each other quickly.
const HURRIED: u32 = 20;
/// How long cursors have to be seen moving, at every look, until it counts as mended what is far behind.
const STEADY: Duration = Duration::from_secs(5);
/// A commit that has waited so long for its number is one to move cursors for; it is also the time between two looks, about.
const LATE: Duration = Duration::from_secs(1);

/// What a look has found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StalenessChange {
    /// Copies are read from now on: for the first time in this process it was seen that somebody mends them.
    Found,
    /// Nobody mends them: from now on they are not read.
    Missing,
    /// Copies are read again: the relay has caught up.
    Again,
}

/// The watch over one data source. See the module.
#[derive(Debug)]
pub struct StalenessMonitor {
    cache: Arc<dyn Cache>,
    outbox: Arc<dyn Outbox>,
    owed: InvalidPartitions,
    source: usize,
    partitions: Vec<Partition>,
    longest: Duration,
    standing: CursorHistory,
    looks: u32,
}

impl StalenessMonitor {
    /// Over what `cache` holds of `partitions`, all of which lie on `source`, from 0 on. Copies are read from the first look on that finds
    /// them mended, and for as long as somebody has moved a cursor within `longest`, or there was nothing to move it for.
    #[must_use]
    pub fn new(
        cache: Arc<dyn Cache>,
        outbox: Arc<dyn Outbox>,
        owed: InvalidPartitions,
        source: usize,
        partitions: Vec<Partition>,
        longest: Duration,
    ) -> Self {
        owed.leave(&partitions);
        Self { cache, outbox, owed, source, partitions, longest, standing: CursorHistory::default(), looks: 0 }
    }

    /// Looks once; what is new. `oldest`: the age of the oldest commit that waits for a number, of which no cursor could know.
    ///
    /// # Errors
    /// Those of the outbox. That the cache does not answer is none: it is not read then either.
    pub async fn look(&mut self, oldest: Duration) -> Result<Option<StalenessChange>> {
        self.looks = self.looks.saturating_add(1);
        let Some(stand) = self.found(oldest).await.inspect_err(|_| self.standing.was_not_seen())? else {
            self.standing.was_not_seen();
            return Ok(None);
        };
        let news = self.standing.seen(Instant::now(), stand, self.longest);
        match news {
            Some(StalenessChange::Missing) => self.owed.leave(&self.partitions),
            Some(StalenessChange::Found | StalenessChange::Again) => self.owed.come_back(&self.partitions),
            None => {}
        }
        Ok(news)
    }

    /// What there is to see; `None` where the copies do not answer.
    async fn found(&self, oldest: Duration) -> Result<Option<CursorState>> {
        // First where the events end: a cursor that is asked for afterwards may be beyond, and that is no fault.
        let head = self.outbox.head(self.source).await?;
        let sample: Vec<Partition> = self.partitions.sample(&mut rand::rng(), SAMPLE).copied().collect();
        let Ok(cursors) = self.cache.cursors(&sample).await else { return Ok(None) };
        // Where there is none, nothing is kept.
        let places = || cursors.iter().flatten().map(|RelayCursor(place)| *place);
        let mut last = places().min();
        // All of them are asked where these would do: some may have been made anew at the end of the events, while others are as old as
        // ever.
        if self.standing.would_end(last, head) {
            for some in self.partitions.chunks(BREADTH) {
                let Ok(cursors) = self.cache.cursors(some).await else { return Ok(None) };
                last = cursors.into_iter().flatten().map(|RelayCursor(place)| place).chain(last).min();
            }
        }
        Ok(Some(CursorState { first: places().max().unwrap_or_default(), last, head, oldest }))
    }

    /// It could not be looked: that the relay stood still meanwhile is not known.
    pub fn was_blind(&mut self) {
        self.standing.was_not_seen();
    }

    /// Whether it was found out how things are, or was looked for so often that it will take longer.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.standing.left.is_none_or(|left| left.is_told) || self.looks >= HURRIED
    }
}

/// What a look has found.
#[derive(Debug, Clone, Copy)]
struct CursorState {
    /// How far the cursors are that were asked for: the first of them, and the last; no last where there is none.
    first: i64,
    last: Option<i64>,
    /// Where the events end.
    head: i64,
    /// How long a commit has waited for its number.
    oldest: Duration,
}

/// How cursors stand to the end of the events, as look follows look.
#[derive(Debug)]
struct CursorHistory {
    /// How far the first of them has come.
    place: i64,
    /// When it was looked last, if then there was something to move them for.
    before: Option<Instant>,
    /// How long it was seen that they do not move though there is.
    still: Duration,
    /// Since when they were seen to move at every look.
    moving: Option<Instant>,
    left: Option<Left>,
}

/// Copies are not read.
#[derive(Debug, Clone, Copy)]
struct Left {
    /// Whether it was told that nobody mends; if not, it is not known yet whether somebody does.
    is_told: bool,
    /// When it was seen last that nobody does. What was committed before has to be told before copies are read.
    seen: Option<Instant>,
    /// Where all of that ends, once it has numbers.
    target: Option<i64>,
}

impl Default for CursorHistory {
    fn default() -> Self {
        let left = Some(Left { is_told: false, seen: None, target: None });
        Self { place: 0, before: None, still: Duration::ZERO, moving: None, left }
    }
}

impl CursorHistory {
    /// Whether copies may be read again if all cursors are as far as this one.
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
            // Of a process that was stopped itself, no more than a look's time counts.
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
        // A relay that is far behind and works is read behind by everybody else. Who has left its copies waits for what it has missed.
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

    /// When what is told, of a look a second, each as the place of all cursors, head, and the age of the oldest commit without a number.
    fn told(looks: impl IntoIterator<Item = Option<(i64, i64, u64)>>) -> Vec<(u64, StalenessChange)> {
        told_of(looks.into_iter().map(|look| look.map(|(place, head, oldest)| (place, Some(place), head, oldest))))
    }

    /// The same with the first cursor and the last.
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

    /// The same for so many seconds.
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
    fn copies_are_not_read_before_somebody_was_seen_to_mend_them() {
        assert_eq!(told([(5, 5, 0), (5, 6, 0), (6, 6, 0)].map(Some)), [(0, StalenessChange::Found)], "nothing to do");
        assert_eq!(
            told([(5, 7, 0), (6, 8, 0), (7, 9, 0), (8, 9, 0)].map(Some)),
            [(2, StalenessChange::Found)],
            "at work"
        );
        assert_eq!(told(for_seconds(60, (5, 9, 0))), [(30, StalenessChange::Missing)], "nobody");
    }

    #[test]
    fn where_nothing_was_ever_kept_nobody_mends() {
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
    fn what_had_no_number_is_told_before_copies_are_read_again() {
        // From second 32 on numbers are given, and at 35 the last of what had waited then has one.
        let waits = (0..32).map(|second| Some((5, 5, second + 1)));
        let sequenced = [(6, 60, 33), (7, 105, 30), (8, 160, 9), (9, 205, 2), (204, 300, 2), (205, 310, 2)].map(Some);
        assert_eq!(told(waits.chain(sequenced)), [(30, StalenessChange::Missing), (37, StalenessChange::Again)]);
    }

    #[test]
    fn that_commits_wait_for_ever_keeps_nobody_from_coming_back() {
        let waits = (0..40).map(|second| Some((5, 5, second + 1)));
        let behind = (0..40).map(|second| Some((200 * second, 200 * second + 100, 2)));
        let told = told(waits.chain(behind));
        assert_eq!(told.len(), 2, "{told:?}");
    }

    #[test]
    fn time_in_which_it_was_not_looked_does_not_count_and_what_was_seen_before_does() {
        let found = Some((5, 5, 0));
        let seen = |seconds| for_seconds(seconds, (5, 9, 0));
        // 19 s and 10 s, with what nobody saw between them.
        let looks = [found].into_iter().chain(seen(20)).chain(std::iter::repeat_n(None, 50)).chain(seen(12));
        assert_eq!(told(looks), [(0, StalenessChange::Found), (82, StalenessChange::Missing)]);
        // Nor what a stopped process has missed.
        let (begin, mut standing) = (Instant::now(), CursorHistory::default());
        let mut seen = |at, place, head| {
            let stand = CursorState { first: place, last: Some(place), head, oldest: Duration::ZERO };
            standing.seen(begin + Duration::from_secs(at), stand, LONGEST)
        };
        let told = [seen(0, 5, 5), seen(60, 5, 6), seen(120, 5, 7), seen(121, 7, 7)];
        assert_eq!(told, [Some(StalenessChange::Found), None, None, None]);
    }

    #[test]
    fn cursors_that_differ_do_not_look_as_if_they_moved() {
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
