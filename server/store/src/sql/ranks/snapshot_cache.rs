//! A cache of rankings. A ranking never changes, so the later pages of a walk do not read its 8 KB
//! again.

use moka::sync::Cache;
use riposte_core::rank::{RankedList, Ranking, SNAPSHOT_RETENTION};

/// The size of the cache, in bytes.
const CAPACITY: u64 = 16 << 20;
/// The size of an entry without its floors and the texts of its subject key.
const ENTRY_OVERHEAD: usize = 256;

/// A ranking's key: its list and its number.
type SnapshotKey = (RankedList, i64);

/// The cache of one process.
#[derive(Debug, Clone)]
pub(super) struct SnapshotCache {
    rankings: Cache<SnapshotKey, Ranking>,
}

impl SnapshotCache {
    pub(super) fn new() -> Self {
        let weigher =
            |(list, _): &SnapshotKey, ranking: &Ranking| u32::try_from(weight(list, ranking)).unwrap_or(u32::MAX);
        Self {
            rankings: Cache::builder().max_capacity(CAPACITY).weigher(weigher).time_to_live(SNAPSHOT_RETENTION).build(),
        }
    }

    pub(super) fn get(&self, list: &RankedList, epoch: i64) -> Option<Ranking> {
        self.rankings.get(&(list.clone(), epoch))
    }

    pub(super) fn insert(&self, list: &RankedList, ranking: &Ranking) {
        self.rankings.insert((list.clone(), ranking.epoch), ranking.clone());
    }
}

fn weight(list: &RankedList, ranking: &Ranking) -> usize {
    let key = list.subject();
    ENTRY_OVERHEAD + key.object_type().as_str().len() + key.object_id().len() + ranking.floors.len() * size_of::<i32>()
}
