//! Looks whether anybody mends the copies of a data source. Copies that nobody has mended for too long are not read: what a
//! process that died, or one without copies, has committed would never be told to them.
//!
//! A relay that is slow is not one that is missing: as long as a cursor moves, copies are read, however far it is behind. Under
//! load it would only make things worse to leave them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::seq::IndexedRandom;
use riposte_core::ports::Outbox;
use riposte_core::{Partition, Result};

use crate::owed::Owed;
use crate::port::{Cache, Cursor};

/// Partitions whose cursors are looked at, others each time: the relay moves all of a source within a second, so a few speak for
/// all. They differ by what it moves in that second, so only one beyond all that were seen shows that it is there.
const SAMPLE: usize = 4;
/// A commit that has waited so long for its number is one to move cursors for; it is also the time between two looks, about.
const LATE: Duration = Duration::from_secs(1);

/// What a look has found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Care {
    /// Copies are read again: the relay has caught up.
    Again,
    /// Nobody mends them: from now on they are not read.
    Missing,
}

/// The watch over one data source. See the module.
#[derive(Debug)]
pub struct Vigil {
    cache: Arc<dyn Cache>,
    outbox: Arc<dyn Outbox>,
    owed: Owed,
    source: usize,
    partitions: Vec<Partition>,
    longest: Duration,
    standing: Standing,
}

impl Vigil {
    /// Over what `cache` holds of `partitions`, all of which lie on `source`, from 0 on. Copies are read for as long as somebody has
    /// moved a cursor within `longest`, or there was nothing to move it for.
    #[must_use]
    pub fn new(
        cache: Arc<dyn Cache>,
        outbox: Arc<dyn Outbox>,
        owed: Owed,
        source: usize,
        partitions: Vec<Partition>,
        longest: Duration,
    ) -> Self {
        Self { cache, outbox, owed, source, partitions, longest, standing: Standing::default() }
    }

    /// Looks once; what is new. `oldest`: the age of the oldest commit that waits for a number, of which no cursor could know.
    ///
    /// # Errors
    /// Those of the outbox. That the cache does not answer is none: it is not read then either.
    pub async fn look(&mut self, oldest: Duration) -> Result<Option<Care>> {
        let Some((place, head)) = self.found().await.inspect_err(|_| self.standing.was_not_seen())? else {
            self.standing.was_not_seen();
            return Ok(None);
        };
        let news = self.standing.seen(Instant::now(), Stand { place, head, oldest }, self.longest);
        match news {
            Some(Care::Missing) => self.owed.leave(&self.partitions),
            Some(Care::Again) => self.owed.come_back(&self.partitions),
            None => {}
        }
        Ok(news)
    }

    /// How far the relay has come, and where the events end; `None` where copies do not say.
    async fn found(&self) -> Result<Option<(i64, i64)>> {
        // First where the events end: a cursor that is asked for afterwards may be beyond, and that is no fault.
        let head = self.outbox.head(self.source).await?;
        let sample: Vec<Partition> = self.partitions.sample(&mut rand::rng(), SAMPLE).copied().collect();
        // Where the relay has never come, copies are not kept either.
        let cursors = self.cache.cursors(&sample).await.unwrap_or_default();
        Ok(cursors.into_iter().flatten().max().map(|Cursor(place)| (place, head)))
    }

    /// It could not be looked: that the relay stood still meanwhile is not known.
    pub fn was_blind(&mut self) {
        self.standing.was_not_seen();
    }
}

/// What a look has found.
#[derive(Debug, Clone, Copy)]
struct Stand {
    /// How far the cursors are.
    place: i64,
    /// Where the events end.
    head: i64,
    /// How long a commit has waited for its number.
    oldest: Duration,
}

/// How cursors stand to the end of the events, as look follows look.
#[derive(Debug, Default)]
struct Standing {
    /// How far they have come.
    place: i64,
    /// When it was looked last, if then there was something to move them for.
    before: Option<Instant>,
    /// How long it was seen that they do not move though there is.
    still: Duration,
    missing: Option<Missing>,
}

/// Nobody mends.
#[derive(Debug)]
struct Missing {
    /// When that was seen last. What was committed before has to be told before copies are read again.
    last: Instant,
    /// Where all of that ends, once it has numbers.
    target: Option<i64>,
}

impl Standing {
    fn was_not_seen(&mut self) {
        (self.before, self.still) = (None, Duration::ZERO);
    }

    fn seen(&mut self, now: Instant, stand: Stand, longest: Duration) -> Option<Care> {
        let Stand { place, head, oldest } = stand;
        let moved = place > self.place;
        self.place = self.place.max(place);
        let behind = self.place < head || oldest >= LATE;
        match self.before {
            // Of a process that was stopped itself, no more than a look's time counts.
            Some(before) if !moved && behind => self.still += now.duration_since(before).min(LATE * 3),
            Some(_) | None => self.still = Duration::ZERO,
        }
        self.before = behind.then_some(now);
        let still = self.still >= longest;
        match &mut self.missing {
            None if still => {
                self.missing = Some(Missing { last: now, target: None });
                Some(Care::Missing)
            }
            Some(missing) if still => {
                *missing = Missing { last: now, target: None };
                None
            }
            Some(Missing { last, target }) => {
                if target.is_none() && oldest < now.duration_since(*last) {
                    *target = Some(head);
                }
                let told = target.is_some_and(|target| self.place >= target);
                if told {
                    self.missing = None;
                }
                told.then_some(Care::Again)
            }
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_secs(30);

    /// When what is told, of a look a second, each as place, head, and the age of the oldest commit without a number.
    fn told(looks: impl IntoIterator<Item = Option<(i64, i64, u64)>>) -> Vec<(u64, Care)> {
        let (begin, mut standing) = (Instant::now(), Standing::default());
        let news = (0..).zip(looks).filter_map(|(second, look)| {
            let Some((place, head, oldest)) = look else {
                standing.was_not_seen();
                return None;
            };
            let stand = Stand { place, head, oldest: Duration::from_secs(oldest) };
            Some((second, standing.seen(begin + Duration::from_secs(second), stand, LONGEST)?))
        });
        news.collect()
    }

    /// The same look for so many seconds.
    fn for_seconds(seconds: usize, look: (i64, i64, u64)) -> impl Iterator<Item = Option<(i64, i64, u64)>> {
        std::iter::repeat_n(Some(look), seconds)
    }

    #[test]
    fn a_cursor_that_stands_still_behind_the_end_is_missed_until_it_has_caught_up() {
        let still = for_seconds(40, (5, 5, 0)).chain(for_seconds(60, (5, 9, 0)));
        let back = [Some((11, 15, 0)), Some((14, 20, 0)), Some((15, 30, 0)), Some((16, 40, 0))];
        assert_eq!(told(still.chain(back)), [(70, Care::Missing), (102, Care::Again)]);
    }

    #[test]
    fn what_had_no_number_is_told_before_copies_are_read_again() {
        // From second 32 on numbers are given, and at 35 the last of what had waited then has one.
        let waits = (0..32).map(|second| Some((5, 5, second + 1)));
        let numbered = [(6, 60, 33), (7, 105, 30), (8, 160, 9), (9, 205, 2), (204, 300, 2), (205, 310, 2)].map(Some);
        assert_eq!(told(waits.chain(numbered)), [(30, Care::Missing), (37, Care::Again)]);
    }

    #[test]
    fn that_commits_wait_for_ever_keeps_nobody_from_coming_back() {
        let waits = (0..40).map(|second| Some((5, 5, second + 1)));
        let behind = (0..40).map(|second| Some((200 * second, 200 * second + 100, 2)));
        let told = told(waits.chain(behind));
        assert_eq!(told.len(), 2, "{told:?}");
    }

    #[test]
    fn time_in_which_it_was_not_looked_does_not_count() {
        let blind = for_seconds(20, (5, 9, 0)).chain([None]).chain(for_seconds(29, (5, 9, 0))).chain([None, None]);
        assert_eq!(told(blind.chain(for_seconds(29, (5, 9, 0)))), []);
        // Nor what a stopped process has missed.
        let (begin, mut standing) = (Instant::now(), Standing::default());
        let mut seen = |at, place, head| {
            let stand = Stand { place, head, oldest: Duration::ZERO };
            standing.seen(begin + Duration::from_secs(at), stand, LONGEST)
        };
        assert_eq!([seen(0, 5, 5), seen(60, 5, 6), seen(120, 5, 7), seen(121, 7, 7)], [None; 4]);
    }

    #[test]
    fn cursors_that_differ_do_not_look_as_if_they_moved() {
        let looks = (0..40).map(|second| Some((5 - second % 3, 9, 0)));
        assert_eq!(told(looks), [(30, Care::Missing)]);
    }

    #[test]
    fn one_that_is_behind_and_moves_and_one_that_has_nothing_to_do_are_not_missed() {
        let slow = (0..100).map(|second| Some((second / 20, 1_000, 50)));
        assert_eq!(told(slow), []);
        assert_eq!(told(for_seconds(100, (7, 7, 0))), []);
    }
}
