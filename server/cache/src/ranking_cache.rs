//! Caches the ranking snapshot with which a new walk of a ranked list starts. A snapshot is cached
//! for the time in which no process creates a newer one.

use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use moka::sync::Cache as Bounded;
use riposte_core::page::ListOrder;
use riposte_core::ports::Rankings;
use riposte_core::rank::{RankedList, Ranking, WALKED_ANEW};
use riposte_core::{Error, Millis, Result};
use riposte_sync::SingleFlight;

/// The number of lists whose last ranking snapshot is cached.
const LISTS: u64 = 10_000;

/// Caches the last ranking snapshot of each list of `inner`. A list that changes gets a new
/// snapshot when its last one has reached the age [`WALKED_ANEW`], and not before. Until then every
/// new walk starts with the last snapshot, so no database read is needed to find it. The list's
/// next floor, which is cached with the snapshot, may be outdated; a walk goes on with the next
/// floor that its first page has read.
#[derive(Debug)]
pub struct RankingCache {
    inner: Arc<dyn Rankings>,
    last: Bounded<RankedList, (Ranking, i32)>,
    looks: SingleFlight<RankedList, Result<Option<(Ranking, i32)>>>,
}

impl RankingCache {
    /// Creates an empty cache of the ranking snapshots of `inner`.
    #[must_use]
    pub fn new(inner: Arc<dyn Rankings>) -> Self {
        let last = Bounded::builder().max_capacity(LISTS).time_to_live(WALKED_ANEW).build();
        Self { inner, last, looks: SingleFlight::default() }
    }
}

#[async_trait]
impl Rankings for RankingCache {
    async fn current(&self, list: &RankedList, now: Millis) -> Result<Option<(Ranking, i32)>> {
        let known = self.last.get(list);
        if let Some(known) = known.filter(|(ranking, _)| now < ranking.made.plus(WALKED_ANEW)) {
            return Ok(Some(known));
        }
        let (inner, last, of) = (Arc::clone(&self.inner), self.last.clone(), list.clone());
        let look = move || async move {
            let found = inner.current(&of, now).await?;
            if let Some(found) = &found {
                last.insert(of, found.clone());
            }
            Ok(found)
        };
        self.looks.join(list.clone(), look).await.map_err(Error::internal)?
    }

    async fn frozen(&self, list: &RankedList, epoch: i64) -> Result<Option<Ranking>> {
        self.inner.frozen(list, epoch).await
    }

    async fn others(
        &self,
        list: &RankedList,
        ranking: &Ranking,
        floors: Range<i32>,
        order: ListOrder,
        limit: usize,
    ) -> Result<Vec<i32>> {
        self.inner.others(list, ranking, floors, order, limit).await
    }

    async fn trim(&self, source: usize, before: Millis, limit: usize) -> Result<usize> {
        self.inner.trim(source, before, limit).await
    }
}
