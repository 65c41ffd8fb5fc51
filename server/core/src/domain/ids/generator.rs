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
    /// The latest current tick ever seen. It does not go back when the clock does.
    present: IdTick,
    /// For each partition: the last tick used, and the next sequence in it.
    last: Vec<(IdTick, u16)>,
}

/// The time by which a busy partition may run ahead of the clock, in milliseconds.
const BORROW_MILLIS: i64 = 1_000;
const PER_TICK: u16 = 256;

impl IdGenerator {
    /// Creates a generator that works under `lease`.
    #[must_use]
    pub fn new(lease: IdLease) -> Self {
        debug_assert!(lease.worker < WORKERS);
        Self { lease, present: lease.from, last: vec![(IdTick(-1), 0); usize::from(PARTITIONS)] }
    }

    /// The current lease.
    #[must_use]
    pub fn lease(&self) -> IdLease {
        self.lease
    }

    /// The current tick for new ids: `now`, or the latest one ever seen if the clock has stepped
    /// back.
    #[must_use]
    pub fn present(&self, now: IdTick) -> IdTick {
        self.present.max(now)
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
    pub fn mint(&mut self, partition: Partition, now: IdTick) -> Result<CommentId, IdError> {
        let (last, used) = self.last[usize::from(partition.get())];
        self.present = self.present(now);
        let start = self.present;
        let (tick, sequence) = match last {
            last if start > last => (start, 0),
            last if used < PER_TICK => (last, used),
            last => (IdTick(last.0 + 1), 0),
        };
        if tick >= self.lease.until || tick > IdTick::MAX {
            return Err(IdError::LeaseExpired);
        }
        if tick.0 > start.0 + IdTick::span(BORROW_MILLIS) {
            return Err(IdError::Exhausted);
        }
        self.last[usize::from(partition.get())] = (tick, sequence + 1);
        // Sequence 0 of tick 0, worker 0, partition 0 would be id 0, which means "none" in
        // messages.
        let id = CommentId::compose(tick, partition, self.lease.worker, sequence as u8);
        if id.get() == 0 { self.mint(partition, now) } else { Ok(id) }
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
        let mut minter = IdGenerator::new(lease(3, 0, 100_000));
        let mut seen = HashSet::new();
        for now in [5_000, 5_000, 2_000, 2_001, 5_001, 0] {
            for _ in 0..600 {
                let id = minter.mint(Partition::number(7), IdTick(now)).unwrap_or_else(|e| panic!("{now}: {e:?}"));
                assert!(seen.insert(id), "{id:?} came twice");
            }
        }
    }

    #[test]
    fn nothing_is_minted_at_or_past_the_end_of_the_lease() {
        let mut minter = IdGenerator::new(lease(0, 10, 12));
        assert!(minter.mint(Partition::number(0), IdTick(5)).is_ok_and(|id| id.tick() == IdTick(10)));
        assert_eq!(minter.mint(Partition::number(0), IdTick(12)), Err(IdError::LeaseExpired));
        minter.extend(IdTick(13));
        assert!(minter.mint(Partition::number(0), IdTick(12)).is_ok());
    }

    #[test]
    fn the_present_never_goes_back() {
        let mut minter = IdGenerator::new(lease(0, 10, 90));
        assert_eq!(minter.present(IdTick(5)), IdTick(10), "no former holder can have used what lies before the lease");
        assert!(minter.mint(Partition::number(0), IdTick(40)).is_ok());
        assert_eq!([minter.present(IdTick(20)), minter.present(IdTick(41))], [IdTick(40), IdTick(41)]);
    }

    #[test]
    fn a_successor_shares_no_id_with_its_predecessor() {
        let (mut a, mut b) = (IdGenerator::new(lease(9, 0, 50)), IdGenerator::new(lease(9, 50, 90)));
        let mut seen = HashSet::new();
        for now in [10, 40, 49, 49] {
            assert!(a.mint(Partition::number(1), IdTick(now)).is_ok_and(|id| seen.insert(id)));
            // The successor's clock is behind; it still starts at its own first tick.
            assert!(b.mint(Partition::number(1), IdTick(now)).is_ok_and(|id| seen.insert(id)));
        }
    }

    #[test]
    fn a_partition_borrows_at_most_a_second() {
        let mut minter = IdGenerator::new(lease(0, 0, 1 << 30));
        let minted = (0..100_000).take_while(|_| minter.mint(Partition::number(5), IdTick(1)).is_ok()).count();
        assert_eq!(minted, 256 * 251, "the present tick and 250 borrowed ones");
        assert_eq!(minter.mint(Partition::number(5), IdTick(1)), Err(IdError::Exhausted));
        assert!(minter.mint(Partition::number(6), IdTick(1)).is_ok(), "other partitions are not affected");
    }

    #[test]
    fn a_sequence_counts_up_within_a_tick_and_begins_again_in_the_next() {
        let mut minter = IdGenerator::new(lease(2, 0, 90));
        let mut mint = |now| minter.mint(Partition::number(1), IdTick(now)).map(|id| (id.tick().0, id.get() & 0xff));
        let first: Vec<_> = (0..258).map(|_| mint(7)).collect();
        let counted = (0..256).map(|n| Ok((7, n))).chain([Ok((8, 0)), Ok((8, 1))]);
        assert_eq!(first, counted.collect::<Vec<_>>(), "the next tick is borrowed when one is full");
        assert_eq!([mint(8), mint(9)], [Ok((8, 2)), Ok((9, 0))]);
    }

    #[test]
    fn a_lease_is_extended_and_never_shortened() {
        let mut minter = IdGenerator::new(lease(5, 10, 20));
        for (until, told) in [(30, 30), (25, 30), (31, 31)] {
            minter.extend(IdTick(until));
            assert_eq!(minter.lease(), lease(5, 10, told));
        }
    }

    #[test]
    fn ids_are_generated_in_the_last_tick_and_not_after_it() {
        let mut minter = IdGenerator::new(lease(0, 0, i64::MAX));
        assert!(minter.mint(Partition::number(0), IdTick::MAX).is_ok_and(|id| id.tick() == IdTick::MAX));
        assert_eq!(minter.mint(Partition::number(0), IdTick(IdTick::MAX.0 + 1)), Err(IdError::LeaseExpired));
    }

    #[test]
    fn the_first_id_of_all_is_not_zero() {
        let mut minter = IdGenerator::new(lease(0, 0, 90));
        let first = [0, 0, 1].map(|partition| minter.mint(Partition::number(partition), IdTick(0)).map(|id| id.get()));
        assert_eq!(first, [Ok(1), Ok(2), Ok(1 << 14)]);
    }
}
