//! The generation of ids under a lease.
//!
//! A worker number is leased in the data source for whose partitions it generates ids. The row
//! stores `minted_until`: the holder generates ids only below it, a successor only at or above it.
//! Therefore stalls, clock steps and restarts cause no duplicate, whatever the local clock shows.

use super::{CommentId, IdTick, PARTITIONS, Partition, WORKERS};

/// The right to generate ids with one worker number, for ticks in `[from, until)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdLease {
    /// The worker number, below [`WORKERS`].
    pub worker: u8,
    /// The first tick that no former holder can have used.
    pub from: IdTick,
    /// The first tick that the lease does not cover.
    pub until: IdTick,
}

/// The reason for which no id could be generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdError {
    /// The lease does not cover the current tick; it has to be extended first.
    LeaseExpired,
    /// All ids of this partition for the next second are used.
    Exhausted,
}

/// Generates ids for the partitions of one data source.
#[derive(Debug)]
pub struct IdGenerator {
    lease: IdLease,
    /// The latest tick that the clock has shown. It does not go back when the clock does.
    latest: IdTick,
    /// For each partition, and for the commits of all partitions: the last tick used, and the next
    /// sequence in it.
    last: Vec<(IdTick, u16)>,
}

/// The time by which a busy partition may run ahead of the clock, in milliseconds.
pub const MAX_AHEAD_MILLIS: i64 = 1_000;
/// The sequence of the commits. They are numbered apart from the comments and subjects, so that a
/// commit needs no id of a partition that has none left.
const COMMITS: usize = PARTITIONS as usize;
const IDS_PER_TICK: u16 = 256;

impl IdGenerator {
    /// Creates a generator that works under `lease`.
    #[must_use]
    pub fn new(lease: IdLease) -> Self {
        debug_assert!(lease.worker < WORKERS);
        Self { lease, latest: lease.from, last: vec![(IdTick(-1), 0); COMMITS + 1] }
    }

    /// The current lease.
    #[must_use]
    pub fn lease(&self) -> IdLease {
        self.lease
    }

    /// The tick for new ids: `now`, or the latest tick that the clock has shown if it has stepped
    /// back.
    #[must_use]
    pub fn current_tick(&self, now: IdTick) -> IdTick {
        self.latest.max(now)
    }

    /// Returns by how many milliseconds the generator is ahead of `now`, beyond the second that a
    /// partition may borrow: the clock, or that of a former holder of the lease, was ahead. 0 if it
    /// is not. A generator that is ahead has few ids until the clock has caught up.
    #[must_use]
    pub fn millis_ahead(&self, now: IdTick) -> i64 {
        let ahead = self.latest.0 - now.0;
        if ahead > IdTick::span(MAX_AHEAD_MILLIS) { ahead.saturating_mul(IdTick::MILLIS) } else { 0 }
    }

    /// Moves the end of the lease after its row was extended. An end before the current end is
    /// ignored.
    pub fn extend(&mut self, until: IdTick) {
        self.lease.until = self.lease.until.max(until);
    }

    /// Generates a new id in `partition`. `now` may step back: the sequence then continues from the
    /// last tick used.
    ///
    /// # Errors
    /// [`IdError`] if the lease does not cover the tick, or the partition has no id left within the
    /// next second.
    pub fn generate(&mut self, partition: Partition, now: IdTick) -> Result<CommentId, IdError> {
        self.generate_in(usize::from(partition.get()), partition, now)
    }

    /// Generates a new id for a commit whose first change is in `partition`. No other commit of the
    /// data source has it; a comment may.
    ///
    /// # Errors
    /// [`IdError`] if the lease does not cover the tick, or too many commits were made within a
    /// second.
    pub fn generate_commit(&mut self, partition: Partition, now: IdTick) -> Result<CommentId, IdError> {
        self.generate_in(COMMITS, partition, now)
    }

    fn generate_in(&mut self, slot: usize, partition: Partition, now: IdTick) -> Result<CommentId, IdError> {
        let (last, used) = self.last[slot];
        self.latest = self.current_tick(now);
        let start = self.latest;
        let (tick, sequence) = match last {
            last if start > last => (start, 0),
            last if used < IDS_PER_TICK => (last, used),
            last => (IdTick(last.0 + 1), 0),
        };
        if tick >= self.lease.until || tick > IdTick::MAX {
            return Err(IdError::LeaseExpired);
        }
        if tick.0 > start.0 + IdTick::span(MAX_AHEAD_MILLIS) {
            return Err(IdError::Exhausted);
        }
        self.last[slot] = (tick, sequence + 1);
        // Sequence 0 of tick 0, worker 0, partition 0 would be id 0, which means "none" in
        // messages.
        let id = CommentId::compose(tick, partition, self.lease.worker, sequence as u8);
        if id.get() == 0 { self.generate_in(slot, partition, now) } else { Ok(id) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{IdError, IdGenerator, IdLease};
    use crate::domain::ids::{IdTick, Partition};

    fn lease(worker: u8, from: i64, until: i64) -> IdLease {
        IdLease { worker, from: IdTick(from), until: IdTick(until) }
    }

    #[test]
    fn ids_stay_unique_when_the_clock_steps_back() {
        let mut generator = IdGenerator::new(lease(3, 0, 100_000));
        let mut ids = HashSet::new();
        for now in [5_000, 5_000, 2_000, 2_001, 5_001, 0] {
            for _ in 0..600 {
                let id =
                    generator.generate(Partition::number(7), IdTick(now)).unwrap_or_else(|e| panic!("{now}: {e:?}"));
                assert!(ids.insert(id), "{id:?} came twice");
            }
        }
    }

    #[test]
    fn no_id_is_generated_at_or_past_the_end_of_the_lease() {
        let mut generator = IdGenerator::new(lease(0, 10, 12));
        assert!(generator.generate(Partition::number(0), IdTick(5)).is_ok_and(|id| id.tick() == IdTick(10)));
        assert_eq!(generator.generate(Partition::number(0), IdTick(12)), Err(IdError::LeaseExpired));
        generator.extend(IdTick(13));
        assert!(generator.generate(Partition::number(0), IdTick(12)).is_ok());
    }

    #[test]
    fn the_current_tick_never_goes_back() {
        let mut generator = IdGenerator::new(lease(0, 10, 90));
        assert_eq!(generator.current_tick(IdTick(5)), IdTick(10), "no former holder can have used a tick of the lease");
        assert!(generator.generate(Partition::number(0), IdTick(40)).is_ok());
        assert_eq!([generator.current_tick(IdTick(20)), generator.current_tick(IdTick(41))], [IdTick(40), IdTick(41)]);
    }

    #[test]
    fn a_successor_shares_no_id_with_its_predecessor() {
        let (mut a, mut b) = (IdGenerator::new(lease(9, 0, 50)), IdGenerator::new(lease(9, 50, 90)));
        let mut ids = HashSet::new();
        for now in [10, 40, 49, 49] {
            assert!(a.generate(Partition::number(1), IdTick(now)).is_ok_and(|id| ids.insert(id)));
            // The successor's clock is behind; it still starts at its own first tick.
            assert!(b.generate(Partition::number(1), IdTick(now)).is_ok_and(|id| ids.insert(id)));
        }
    }

    #[test]
    fn a_partition_runs_ahead_of_the_clock_by_at_most_a_second() {
        let mut generator = IdGenerator::new(lease(0, 0, 1 << 30));
        let count = (0..100_000).take_while(|_| generator.generate(Partition::number(5), IdTick(1)).is_ok()).count();
        assert_eq!(count, 256 * 251, "the current tick and 250 ticks ahead of the clock");
        assert_eq!(generator.generate(Partition::number(5), IdTick(1)), Err(IdError::Exhausted));
        assert!(generator.generate(Partition::number(6), IdTick(1)).is_ok(), "other partitions are not affected");
    }

    #[test]
    fn commits_have_a_sequence_of_their_own() {
        let mut generator = IdGenerator::new(lease(0, 0, 1 << 30));
        while generator.generate(Partition::number(5), IdTick(1)).is_ok() {}
        let commits = [5, 5, 6].map(|partition| generator.generate_commit(Partition::number(partition), IdTick(1)));
        let found = commits.map(|id| id.map(|id| (id.tick().0, id.partition().get(), id.get() & 0xff)));
        assert_eq!(found, [Ok((1, 5, 0)), Ok((1, 5, 1)), Ok((1, 6, 2))]);
    }

    #[test]
    fn a_generator_is_ahead_if_the_clock_went_back_by_more_than_the_borrowed_second() {
        let mut generator = IdGenerator::new(lease(0, 0, 1 << 30));
        assert!(generator.generate(Partition::number(5), IdTick(1_000)).is_ok());
        assert_eq!([1_000, 750, 749].map(|now| generator.millis_ahead(IdTick(now))), [0, 0, 1_004]);
        let successor = IdGenerator::new(lease(0, 1_000, 1 << 30));
        assert_eq!(successor.millis_ahead(IdTick(500)), 2_000, "the clock of the former holder was ahead");
    }

    #[test]
    fn a_sequence_counts_up_within_a_tick_and_begins_again_in_the_next() {
        let mut generator = IdGenerator::new(lease(2, 0, 90));
        let mut generate =
            |now| generator.generate(Partition::number(1), IdTick(now)).map(|id| (id.tick().0, id.get() & 0xff));
        let first: Vec<_> = (0..258).map(|_| generate(7)).collect();
        let expected = (0..256).map(|n| Ok((7, n))).chain([Ok((8, 0)), Ok((8, 1))]);
        assert_eq!(first, expected.collect::<Vec<_>>(), "the next tick is used when one is full");
        assert_eq!([generate(8), generate(9)], [Ok((8, 2)), Ok((9, 0))]);
    }

    #[test]
    fn a_lease_is_extended_and_never_shortened() {
        let mut generator = IdGenerator::new(lease(5, 10, 20));
        for (until, end) in [(30, 30), (25, 30), (31, 31)] {
            generator.extend(IdTick(until));
            assert_eq!(generator.lease(), lease(5, 10, end));
        }
    }

    #[test]
    fn ids_are_generated_in_the_last_tick_and_not_after_it() {
        let mut generator = IdGenerator::new(lease(0, 0, i64::MAX));
        assert!(generator.generate(Partition::number(0), IdTick::MAX).is_ok_and(|id| id.tick() == IdTick::MAX));
        assert_eq!(generator.generate(Partition::number(0), IdTick(IdTick::MAX.0 + 1)), Err(IdError::LeaseExpired));
    }

    #[test]
    fn the_smallest_id_is_not_zero() {
        let mut generator = IdGenerator::new(lease(0, 0, 90));
        let first =
            [0, 0, 1].map(|partition| generator.generate(Partition::number(partition), IdTick(0)).map(|id| id.get()));
        assert_eq!(first, [Ok(1), Ok(2), Ok(1 << 14)]);
    }
}
