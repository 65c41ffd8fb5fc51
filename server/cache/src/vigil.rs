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

    /// Looks once; what is new. `waits`: whether commits wait for a number, of which no cursor could know.
    ///
    /// # Errors
    /// Those of the outbox. That the cache does not answer is none: it is not read then either.
    pub async fn look(&mut self, waits: bool) -> Result<Option<Care>> {
        // First where the events end: a cursor that is asked for afterwards may be beyond, and that is no fault.
        let head = self.outbox.head(self.source).await?;
        let sample: Vec<Partition> = self.partitions.sample(&mut rand::rng(), SAMPLE).copied().collect();
        let Ok(cursors) = self.cache.cursors(&sample).await else { return Ok(None) };
        // Where the relay has never come, copies are not kept either.
        let Some(Cursor(place)) = cursors.into_iter().flatten().max() else { return Ok(None) };
        let news = self.standing.seen(Instant::now(), place, head, waits, self.longest);
        match news {
            Some(Care::Missing) => self.owed.leave(&self.partitions),
            Some(Care::Again) => self.owed.come_back(&self.partitions),
            None => {}
        }
        Ok(news)
    }
}

/// How a cursor stands to the end of the events.
#[derive(Debug, Default)]
struct Standing {
    /// How far it has come, and since when it has not moved while there was something to move it for.
    still: Option<(i64, Instant)>,
    /// Where it has to come to before copies are read again; `None` while they are.
    missing: Option<i64>,
}

impl Standing {
    fn seen(&mut self, now: Instant, place: i64, head: i64, waits: bool, longest: Duration) -> Option<Care> {
        let place = self.still.map_or(place, |(was, _)| was.max(place));
        let since = match self.still {
            Some((was, since)) if place == was && (waits || place < head) => since,
            Some(_) | None => now,
        };
        self.still = Some((place, since));
        let still = now.duration_since(since) >= longest;
        match self.missing {
            None if still => {
                self.missing = Some(head);
                Some(Care::Missing)
            }
            // What was committed while nobody mended has to be told first.
            Some(_) if still => {
                self.missing = Some(head);
                None
            }
            Some(target) if place >= target && !waits => {
                self.missing = None;
                Some(Care::Again)
            }
            Some(_) | None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_secs(30);

    /// What is told at these seconds, of cursors and heads, and whether commits wait.
    fn told(looks: &[(u64, i64, i64, bool)]) -> Vec<Option<Care>> {
        let (begin, mut standing) = (Instant::now(), Standing::default());
        let mut seen = |(at, place, head, waits): &(u64, i64, i64, bool)| {
            standing.seen(begin + Duration::from_secs(*at), *place, *head, *waits, LONGEST)
        };
        looks.iter().map(&mut seen).collect()
    }

    #[test]
    fn a_cursor_that_stands_still_behind_the_end_is_missed_until_it_has_caught_up() {
        let looks = [(0, 5, 5, false), (40, 5, 6, false), (69, 5, 9, false), (70, 5, 9, false), (71, 5, 12, false)];
        let missing = [None, None, None, Some(Care::Missing), None];
        assert_eq!(told(&looks), missing);
        let back = [&looks[..], &[(72, 11, 15, false), (73, 12, 15, false), (74, 15, 15, false)]].concat();
        assert_eq!(told(&back)[5..], [None, Some(Care::Again), None]);
    }

    #[test]
    fn cursors_that_differ_do_not_look_as_if_they_moved() {
        let looks: Vec<_> = (0..40).map(|second| (second, 5 - i64::try_from(second % 3).unwrap(), 9, false)).collect();
        assert_eq!(told(&looks)[29..32], [None, Some(Care::Missing), None]);
    }

    #[test]
    fn commits_without_numbers_are_missed_too() {
        let looks = [(0, 5, 5, true), (30, 5, 5, true), (31, 5, 5, true), (32, 5, 5, false)];
        assert_eq!(told(&looks), [None, Some(Care::Missing), None, Some(Care::Again)]);
    }

    #[test]
    fn one_that_is_behind_and_moves_and_one_that_has_nothing_to_do_are_not() {
        let slow: Vec<_> = (0..100).map(|second| (second, i64::try_from(second / 20).unwrap(), 1_000, true)).collect();
        assert!(told(&slow).iter().all(Option::is_none));
        let idle: Vec<_> = (0..100).map(|second| (second, 7, 7, false)).collect();
        assert!(told(&idle).iter().all(Option::is_none));
    }
}
