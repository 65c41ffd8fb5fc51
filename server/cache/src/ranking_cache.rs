//! Caches the ranking snapshot with which a new walk of a ranked list starts. A snapshot is cached
//! until a process may create a newer one.

use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use moka::sync::Cache as Bounded;
use riposte_core::page::ListOrder;
use riposte_core::ports::RankingSnapshots;
use riposte_core::rank::{RankedList, Ranking, SNAPSHOT_RENEWAL};
use riposte_core::{Error, Millis, Result};
use riposte_sync::SingleFlight;

/// The number of lists whose last ranking snapshot is cached.
const LISTS: u64 = 10_000;

/// Caches the last ranking snapshot of each list of `inner`. A list that changes gets a new
/// snapshot when its last one has reached the age [`SNAPSHOT_RENEWAL`], and not before. Until then
/// every new walk starts with the last snapshot, without a database read. The list's next floor,
/// which is cached with the snapshot, may be outdated; a walk continues with the next floor that
/// its first page has read.
#[derive(Debug)]
pub struct RankingCache {
    inner: Arc<dyn RankingSnapshots>,
    last: Bounded<RankedList, (Ranking, i32)>,
    loads: SingleFlight<RankedList, Result<Option<(Ranking, i32)>>>,
}

impl RankingCache {
    /// Creates an empty cache of the ranking snapshots of `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn RankingSnapshots>) -> Self {
        let last = Bounded::builder().max_capacity(LISTS).time_to_live(SNAPSHOT_RENEWAL).build();
        Self { inner, last, loads: SingleFlight::default() }
    }
}

#[async_trait]
impl RankingSnapshots for RankingCache {
    async fn current(&self, list: &RankedList, now: Millis) -> Result<Option<(Ranking, i32)>> {
        let cached = self.last.get(list);
        if let Some(cached) = cached.filter(|(ranking, _)| now < ranking.create_time.plus(SNAPSHOT_RENEWAL)) {
            return Ok(Some(cached));
        }
        let (inner, last, key) = (Arc::clone(&self.inner), self.last.clone(), list.clone());
        let load = move || async move {
            let found = inner.current(&key, now).await?;
            if let Some(found) = &found {
                last.insert(key, found.clone());
            }
            Ok(found)
        };
        self.loads.join(list.clone(), load).await.map_err(Error::internal)?
    }

    async fn snapshot(&self, list: &RankedList, epoch: i64) -> Result<Option<Ranking>> {
        self.inner.snapshot(list, epoch).await
    }

    async fn unranked(
        &self,
        list: &RankedList,
        ranking: &Ranking,
        floors: Range<i32>,
        order: ListOrder,
        limit: usize,
    ) -> Result<Vec<i32>> {
        self.inner.unranked(list, ranking, floors, order, limit).await
    }

    async fn trim(&self, source: usize, before: Millis, limit: usize) -> Result<usize> {
        self.inner.trim(source, before, limit).await
    }
}
