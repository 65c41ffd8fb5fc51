//! The ids that Riposte generates, and the partition that they carry.
//!
//! Layout of an id, from the highest bit: 0 · 39 bits of 4 ms ticks since 2026-01-01T00:00:00Z (69
//! years) · 10 bits partition · 6 bits worker · 8 bits sequence within partition and tick. An id is
//! unique and contains its route; no visible order depends on it.

mod decision_id;
mod generator;

use xxhash_rust::xxh3::xxh3_64;

use crate::domain::time::Millis;
pub use decision_id::DecisionId;
pub use generator::{IdError, IdGenerator, IdLease, MAX_AHEAD_MILLIS};

/// The number of partitions. It never changes.
pub const PARTITIONS: u16 = 1024;

const SEQUENCE_BITS: u32 = 8;
const WORKER_BITS: u32 = 6;
const PARTITION_BITS: u32 = 10;
const TICK_BITS: u32 = 39;

/// The number of workers that may generate ids in one data source at a time.
pub const WORKERS: u8 = 1 << WORKER_BITS;

/// A share of all subjects: xxh3_64(object_type, NUL, object_id) mod 1024. It never changes and is
/// part of every id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Partition(u16);

impl Partition {
    /// The partition of a two-part key: (object_type, object_id) of a subject, (object_type,
    /// member_id) of a member.
    #[must_use]
    pub fn of(object_type: &str, id: &str) -> Self {
        let mut key = Vec::with_capacity(object_type.len() + 1 + id.len());
        key.extend_from_slice(object_type.as_bytes());
        key.push(0);
        key.extend_from_slice(id.as_bytes());
        Self((xxh3_64(&key) % u64::from(PARTITIONS)) as u16)
    }

    /// Returns the partition with this number; numbers wrap at [`PARTITIONS`].
    #[must_use]
    pub const fn number(n: u16) -> Self {
        Self(n % PARTITIONS)
    }

    /// The number, 0 to 1023.
    #[must_use]
    pub const fn get(self) -> u16 {
        self.0
    }
}

/// A time in ids: the number of 4 ms steps since 2026-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct IdTick(pub i64);

impl IdTick {
    /// The length of a tick in milliseconds.
    pub const MILLIS: i64 = 4;
    /// 2026-01-01T00:00:00Z in milliseconds since 1970.
    pub const EPOCH: i64 = 1_767_225_600_000;
    /// The last tick that an id can carry.
    pub const MAX: Self = Self((1 << TICK_BITS) - 1);

    /// Returns the tick that contains `time`; times before the epoch give tick 0.
    #[must_use]
    pub fn at(time: Millis) -> Self {
        Self(time.0.saturating_sub(Self::EPOCH).max(0) / Self::MILLIS)
    }

    /// Returns the number of whole ticks in `millis` milliseconds.
    #[must_use]
    pub const fn span(millis: i64) -> i64 {
        millis / Self::MILLIS
    }
}

macro_rules! id {
    ($name:ident, $doc:literal) => {
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(i64);

        impl $name {
            /// Creates an id from its number; `None` for zero and negative numbers, which are never
            /// generated.
            #[must_use]
            pub const fn new(id: i64) -> Option<Self> {
                if id > 0 { Some(Self(id)) } else { None }
            }

            /// The number as it is sent and stored.
            #[must_use]
            pub const fn get(self) -> i64 {
                self.0
            }

            /// The partition that the id routes to.
            #[must_use]
            pub const fn partition(self) -> Partition {
                Partition(((self.0 >> (WORKER_BITS + SEQUENCE_BITS)) & (PARTITIONS as i64 - 1)) as u16)
            }

            /// The tick in which the id was generated.
            #[must_use]
            pub const fn tick(self) -> IdTick {
                IdTick(self.0 >> (PARTITION_BITS + WORKER_BITS + SEQUENCE_BITS))
            }
        }
    };
}

id!(CommentId, "The id of a comment, root or reply.");
id!(SubjectId, "The internal id of a subject; callers know subjects by their key.");

impl CommentId {
    /// Returns the largest id of a partition that no tick from `tick` on has. In the first tick
    /// there is no earlier one, and no process has run.
    #[must_use]
    pub const fn last_before(tick: IdTick, partition: Partition) -> Self {
        let before = if tick.0 > 1 { tick.0 - 1 } else { 0 };
        Self::compose(IdTick(before), partition, WORKERS - 1, u8::MAX)
    }

    pub(crate) const fn compose(tick: IdTick, partition: Partition, worker: u8, sequence: u8) -> Self {
        Self(
            tick.0 << (PARTITION_BITS + WORKER_BITS + SEQUENCE_BITS)
                | (partition.0 as i64) << (WORKER_BITS + SEQUENCE_BITS)
                | (worker as i64) << SEQUENCE_BITS
                | sequence as i64,
        )
    }
}

impl From<SubjectId> for CommentId {
    /// Converts the id. One generator makes both kinds, so a generated number serves as either.
    fn from(id: SubjectId) -> Self {
        Self(id.0)
    }
}

impl From<CommentId> for SubjectId {
    fn from(id: CommentId) -> Self {
        Self(id.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{CommentId, IdTick, Partition, SubjectId, WORKERS};
    use crate::domain::time::Millis;

    #[test]
    fn partitions_keep_their_golden_values() {
        // The hash is part of the data: with another hash no stored comment would be found.
        let golden = [("video", "1", 631), ("article", "1", 896), ("video", "12345", 447), ("v", "\u{697c}", 304)];
        let found = golden.map(|(object_type, id, _)| (object_type, id, Partition::of(object_type, id).get()));
        assert_eq!(found, golden);
    }

    #[test]
    fn an_id_returns_its_parts_and_is_positive() {
        for (tick, partition, worker, sequence) in [(0, 0, 0, 1), (IdTick::MAX.0, 1023, 63, 255), (7, 512, 33, 8)] {
            let id = CommentId::compose(IdTick(tick), Partition::number(partition), worker, sequence);
            assert!(id.get() > 0);
            assert_eq!((id.tick().0, id.partition().get()), (tick, partition));
        }
    }

    #[test]
    fn an_id_has_the_layout_that_the_module_documents() {
        // Every width is part of stored ids, and the greatest parts fill all 63 bits.
        let id = |tick, partition, worker, sequence| {
            CommentId::compose(IdTick(tick), Partition::number(partition), worker, sequence).get()
        };
        assert_eq!([id(1, 0, 0, 0), id(0, 1, 0, 0), id(0, 0, 1, 0), id(0, 0, 0, 1)], [1 << 24, 1 << 14, 1 << 8, 1]);
        assert_eq!(id(IdTick::MAX.0, 1023, WORKERS - 1, u8::MAX), i64::MAX);
    }

    #[test]
    fn the_last_id_before_a_tick_is_below_all_of_that_tick_and_not_below_its_own() {
        let id = |tick, partition, worker, sequence| {
            CommentId::compose(IdTick(tick), Partition::number(partition), worker, sequence)
        };
        let last = CommentId::last_before(IdTick(9), Partition::number(512));
        assert_eq!((last.tick(), last.partition()), (IdTick(8), Partition::number(512)));
        assert!(last < id(9, 0, 0, 0) && last == id(8, 512, 63, 255));
        assert!(CommentId::last_before(IdTick(0), Partition::number(0)).get() > 0);
    }

    #[test]
    fn ids_are_positive_and_one_number_serves_as_either_kind() {
        assert_eq!([i64::MIN, -1, 0].map(CommentId::new), [None; 3]);
        let comment = CommentId::new(1 << 40).expect("positive");
        assert_eq!(SubjectId::from(comment).get(), 1 << 40);
        assert_eq!(CommentId::from(SubjectId::from(comment)), comment);
    }

    #[test]
    fn numbers_of_partitions_wrap() {
        let wrapped = [0, 1, 1023, 1024, 2047, u16::MAX].map(|n| Partition::number(n).get());
        assert_eq!(wrapped, [0, 1, 1023, 0, 1023, 1023]);
    }

    #[test]
    fn a_tick_spans_four_milliseconds_and_none_lies_before_the_epoch() {
        for (millis, tick) in [(-IdTick::EPOCH, 0), (-1, 0), (0, 0), (3, 0), (4, 1), (7, 1), (8, 2), (4_001, 1_000)] {
            assert_eq!(IdTick::at(Millis(IdTick::EPOCH + millis)), IdTick(tick), "{millis} ms after the epoch");
        }
        assert_eq!(IdTick::at(Millis(i64::MIN)), IdTick(0));
        assert_eq!([0, 3, 4, 1_000].map(IdTick::span), [0, 0, 1, 250]);
    }
}
