//! Reads through the cache. Data that is not cached is read from the database, once for all callers
//! that wait for it, and then stored in the cache.

mod audit_samples;
mod audited_answer;
mod cached_pages;
mod comments;
mod load_key;
mod pages;
mod parts;
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
pub(crate) use audited_answer::AuditedAnswer;
pub(crate) use load_key::LoadKey;
pub(crate) use sample::AuditSample;

use crate::floor_index::FloorIndex;
use crate::invalid_partitions::InvalidPartitions;
use crate::port::{Cache, CacheFill, CachedPage, EntryLookup, FillLease, FillOutcome, Unavailable};
use crate::read_limit::DbReadLimit;
use crate::stats::{CacheEvent, CacheStats};

/// The time for which a fill waits until the cache has applied the commits that the data of the
/// fill contains.
const SOON: Duration = Duration::from_millis(5);

/// A [`Reader`] that caches the rows of an inner reader. Cloning is cheap, and clones share all
/// state.
#[derive(Debug, Clone)]
pub struct CachedReader(Arc<Parts>);

/// Coalesced loads that can fail.
type Loads<K, V> = SingleFlight<K, Result<V>>;

#[derive(Debug)]
struct Parts {
    inner: Arc<dyn Reader>,
    cache: Arc<dyn Cache>,
    invalid: InvalidPartitions,
    read_limit: DbReadLimit,
    stats: CacheStats,
    pages: Loads<LoadKey, Option<Arc<CachedPage>>>,
    places: FloorIndex,
    subjects: Loads<Vec<SubjectKey>, Arc<Vec<Option<Subject>>>>,
    /// Samples of the responses served from the cache; [`CacheAuditor`](crate::CacheAuditor)
    /// compares them with the rows.
    seen: AuditSamples,
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
        let (pages, subjects, places) = (SingleFlight::default(), SingleFlight::default(), FloorIndex::new());
        let seen = AuditSamples::default();
        Self(Arc::new(Parts { inner, cache, invalid, read_limit, stats, pages, places, subjects, seen }))
    }

    /// Returns the counters of cache events.
    #[must_use]
    pub fn stats(&self) -> &CacheStats {
        &self.0.stats
    }

    pub(crate) fn inner(&self) -> &Arc<dyn Reader> {
        &self.0.inner
    }

    pub(crate) fn seen(&self) -> &AuditSamples {
        &self.0.seen
    }
}

impl Parts {
    /// Returns whether the cached data of a partition must be neither read nor filled.
    fn leaves(&self, at: Partition) -> bool {
        self.cache.is_away() || self.invalid.clear(at).is_err()
    }

    /// Runs a read of the rows of a partition as soon as the read limit of its data source has a
    /// free permit.
    async fn rows<T>(&self, at: Partition, read: impl Future<Output = Result<T>>) -> Result<T> {
        let _room = self.read_limit.enter(at).await?;
        self.stats.one(CacheEvent::PrimaryRead);
        read.await
    }

    /// Counts a lookup, and returns the value that it found.
    fn looked<T>(&self, looked: std::result::Result<EntryLookup<T>, Unavailable>) -> Option<T> {
        match looked {
            Ok(EntryLookup::Hit(found)) => {
                self.stats.one(CacheEvent::Hit);
                Some(found)
            }
            Ok(EntryLookup::Miss) => {
                self.stats.one(CacheEvent::Miss);
                None
            }
            Err(Unavailable) => {
                record_fallback();
                self.stats.one(CacheEvent::Unavailable);
                None
            }
        }
    }

    /// Fills the cache with data that was read. If the cache has not applied all commits of the
    /// data, the fill is repeated once after a short wait; the second attempt makes the entry start
    /// anew.
    async fn keep(&self, fill_lease: &FillLease, mut fill: CacheFill) {
        for last in [false, true] {
            fill.force = last;
            match self.cache.fill(fill_lease, &fill).await {
                Ok(FillOutcome::Kept) => return self.stats.one(CacheEvent::Fill),
                Ok(FillOutcome::Behind) => tokio::time::sleep(SOON).await,
                Ok(FillOutcome::Refused) => break,
                Err(Unavailable) => return,
            }
        }
        self.stats.one(CacheEvent::FillRefused);
        let _ = self.cache.close(fill_lease).await;
    }
}
