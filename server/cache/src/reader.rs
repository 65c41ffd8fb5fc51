//! Reads through the cache. Data that is not cached is read from the database, once for all callers
//! that wait for it, and then stored in the cache.

mod audit_samples;
mod audited_response;
mod cached_pages;
mod comments;
mod load_key;
mod loaded_page;
mod pages;
mod primary;
mod sample;
mod states;
mod subjects;

use std::sync::Arc;
use std::time::Duration;

use riposte_core::ports::Reader;
use riposte_core::{Partition, Result, Subject, SubjectKey};
use riposte_sync::{SingleFlight, record_fallback};

use audit_samples::AuditSamples;
pub(crate) use audited_response::AuditedResponse;
pub(crate) use load_key::LoadKey;
pub(crate) use sample::AuditSample;

use crate::floor_index::FloorIndex;
use crate::invalid_partitions::InvalidPartitions;
use crate::port::{Cache, CacheFill, CachedPage, EntryLookup, FillLease, FillOutcome, Unavailable};
use crate::read_limit::DbReadLimit;
use crate::stats::{CacheEvent, CacheStats};

/// The wait before the second attempt of a fill whose data contains commits that the cache has not
/// applied yet.
const FILL_RETRY_DELAY: Duration = Duration::from_millis(5);

/// A [`Reader`] that caches the rows of an inner reader. Cloning is cheap, and clones share all
/// state.
#[derive(Debug, Clone)]
pub struct CachedReader(Arc<ReaderState>);

/// Coalesced loads that can fail.
type Loads<K, V> = SingleFlight<K, Result<V>>;

#[derive(Debug)]
struct ReaderState {
    inner: Arc<dyn Reader>,
    cache: Arc<dyn Cache>,
    invalid: InvalidPartitions,
    read_limit: DbReadLimit,
    stats: CacheStats,
    pages: Loads<LoadKey, Option<Arc<CachedPage>>>,
    floors: FloorIndex,
    subjects: Loads<Vec<SubjectKey>, Arc<Vec<Option<Subject>>>>,
    /// Samples of the requests served from the cache. [`CacheAuditor`](crate::CacheAuditor) repeats
    /// them against the cache and the rows.
    samples: AuditSamples,
}

impl CachedReader {
    /// Creates a reader of `inner` through `cache`. Partitions in `invalid` are neither read from
    /// the cache nor filled. `read_limit` limits the reads of `inner`, and `stats` counts the
    /// events.
    #[must_use]
    pub fn new(
        inner: Arc<dyn Reader>,
        cache: Arc<dyn Cache>,
        invalid: InvalidPartitions,
        read_limit: DbReadLimit,
        stats: CacheStats,
    ) -> Self {
        let (pages, subjects, floors) = (SingleFlight::default(), SingleFlight::default(), FloorIndex::new());
        let samples = AuditSamples::default();
        Self(Arc::new(ReaderState { inner, cache, invalid, read_limit, stats, pages, floors, subjects, samples }))
    }

    /// Returns the counters of cache events.
    #[must_use]
    pub fn stats(&self) -> &CacheStats {
        &self.0.stats
    }

    pub(crate) fn inner(&self) -> &Arc<dyn Reader> {
        &self.0.inner
    }

    pub(crate) fn samples(&self) -> &AuditSamples {
        &self.0.samples
    }
}

impl ReaderState {
    /// Returns whether the cached data of a partition must be neither read nor filled.
    fn bypasses_cache(&self, partition: Partition) -> bool {
        self.cache.is_unavailable() || self.invalid.check(partition).is_err()
    }

    /// Runs a read of the rows of a partition as soon as the read limit of its data source has a
    /// free permit.
    async fn read_rows<T>(&self, partition: Partition, read: impl Future<Output = Result<T>>) -> Result<T> {
        self.read_rows_of([partition], read).await
    }

    /// Runs a read of the rows of several partitions as soon as the read limits of all their data
    /// sources have a free permit.
    async fn read_rows_of<T>(
        &self,
        partitions: impl IntoIterator<Item = Partition>,
        read: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        let _permits = self.read_limit.acquire(partitions).await?;
        self.stats.increment(CacheEvent::PrimaryRead);
        read.await
    }

    /// Counts a lookup, and returns the value that it found.
    fn counted<T>(&self, lookup: std::result::Result<EntryLookup<T>, Unavailable>) -> Option<T> {
        match lookup {
            Ok(EntryLookup::Hit(found)) => {
                self.stats.increment(CacheEvent::Hit);
                Some(found)
            }
            Ok(EntryLookup::Miss) => {
                self.stats.increment(CacheEvent::Miss);
                None
            }
            Err(Unavailable) => {
                record_fallback();
                self.stats.increment(CacheEvent::Unavailable);
                None
            }
        }
    }

    /// Fills the cache with data that was read. If the cache has not applied all commits of the
    /// data, the fill is repeated once after a short wait; the second attempt makes the entry start
    /// anew.
    async fn fill_cache(&self, fill_lease: &FillLease, mut fill: CacheFill) {
        for force in [false, true] {
            fill.force = force;
            match self.cache.fill(fill_lease, &fill).await {
                Ok(FillOutcome::Stored) => return self.stats.increment(CacheEvent::Fill),
                Ok(FillOutcome::Behind) => tokio::time::sleep(FILL_RETRY_DELAY).await,
                Ok(FillOutcome::Refused) => break,
                Err(Unavailable) => return,
            }
        }
        self.stats.increment(CacheEvent::FillRefused);
        let _ = self.cache.close(fill_lease).await;
    }
}
