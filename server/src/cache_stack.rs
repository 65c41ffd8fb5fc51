//! The copies of what is read often, as the composition root puts them together: a reader before the rows, a writer and a
//! witness behind them, and what the relay tells.

use std::sync::Arc;
use std::time::Duration;

use riposte_cache::{
    Cache, CacheAuditor, CacheRepair, CacheStats, CacheUpdater, CachedReader, CachedWriter, DbReadLimit,
    InvalidPartitions, MemoryCache, RankingCache, RedisCache, RelayState, SourceRoute, StalenessMonitor,
};
use riposte_core::Partition;
use riposte_core::ids::PARTITIONS;
use riposte_core::ports::{Clock, Outbox, Rankings, Reader, Writer};
use riposte_store::SqlStore;

use crate::config::{self, CacheKind, ConfigError, ConfigErrors, SourceUrl};
use crate::rpc::ListPageRenderer;
use crate::telemetry::Metrics;

/// How long a start waits for Redis before it goes on without.
const CONNECT: Duration = Duration::from_secs(2);

/// The copies of this process, or none. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct CacheStack(Option<Kept>);

#[derive(Debug, Clone)]
struct Kept {
    cache: Arc<dyn Cache>,
    owed: InvalidPartitions,
    redis: Option<Arc<RedisCache>>,
    reader: CachedReader,
    tally: CacheStats,
    store: SqlStore,
    /// How long copies are read that nobody mends.
    unmended: Duration,
}

/// Which data source a partition lies on.
fn route(store: &SqlStore) -> SourceRoute {
    let sources = Arc::clone(store.sources());
    Box::new(move |at: Partition| sources.map().source(at))
}

impl Kept {
    /// The partitions of a source, from 0 on.
    fn partitions(&self, source: usize) -> Vec<Partition> {
        let here = |at: &Partition| self.store.sources().map().source(*at) == source;
        (0..PARTITIONS).map(Partition::number).filter(here).collect()
    }
}

impl CacheStack {
    /// No copies: every read asks the rows.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// What the configuration says, over `store`, in the runtime in which this is called. `metrics` tell what is counted.
    ///
    /// # Errors
    /// When the address of Redis cannot be read or makes no sense. One that does not answer is no error: the rows are read until
    /// it does.
    pub fn open(config: &config::CacheSettings, store: &SqlStore, metrics: &Metrics) -> Result<Self, ConfigErrors> {
        let redis = match config.address()? {
            Some(address) => {
                let redis =
                    RedisCache::start(config.redis(&address)).map_err(|why| ConfigError::at("cache.url", why))?;
                let redis = redis.observed(Arc::new(metrics.clone())).printing(Arc::new(ListPageRenderer::new()));
                Some(Arc::new(redis))
            }
            None => None,
        };
        let cache: Arc<dyn Cache> = match (&redis, config.kind) {
            (Some(redis), _) => Arc::clone(redis) as _,
            (None, CacheKind::Memory) => Arc::new(MemoryCache::new(config.limits())),
            (None, CacheKind::None | CacheKind::Redis) => return Ok(Self::none()),
        };
        #[cfg(feature = "planted")]
        let cache = crate::planted::cache(cache);
        let tally = CacheStats::default();
        metrics.copies(tally.clone());
        let owed = InvalidPartitions::new(Arc::clone(&cache), tally.clone());
        let room = DbReadLimit::new(
            store.sources().all().len(),
            route(store),
            config.database_reads,
            config.database_wait.duration(),
        );
        let reader = CachedReader::new(store.reader(), Arc::clone(&cache), owed.clone(), room, tally.clone());
        let unmended = config.unmended.duration();
        Ok(Self(Some(Kept { cache, owed, redis, reader, tally, store: store.clone(), unmended })))
    }

    /// Gives Redis a moment to be there from the first call on.
    pub async fn connect(&self) {
        if let Some(redis) = self.0.as_ref().and_then(|kept| kept.redis.as_ref())
            && let Err(why) = redis.ready(CONNECT).await
        {
            tracing::warn!(%why, "Redis cannot be used yet; the rows are read");
        }
    }

    /// Reads, through the copies if there are any.
    #[must_use]
    pub fn reader(&self, store: &SqlStore) -> Arc<dyn Reader> {
        match &self.0 {
            Some(kept) => Arc::new(kept.reader.clone()),
            None => store.reader(),
        }
    }

    /// Rankings, the last ones remembered where copies are kept.
    #[must_use]
    pub fn rankings(&self, rankings: &Arc<dyn Rankings>) -> Arc<dyn Rankings> {
        if self.0.is_some() { Arc::new(RankingCache::new(Arc::clone(rankings))) } else { Arc::clone(rankings) }
    }

    /// Commits, and brings them to the copies.
    #[must_use]
    pub fn writer(&self, store: &SqlStore) -> Arc<dyn Writer> {
        let Some(kept) = &self.0 else { return store.writer() };
        let hearer = Arc::new(CacheUpdater::new(Arc::clone(&kept.cache), kept.owed.clone(), kept.tally.clone()));
        let inner = store.witnessed_writer(hearer);
        Arc::new(CachedWriter::new(inner, Arc::clone(&kept.cache), kept.owed.clone()))
    }

    /// What brings a source's events to the copies, from 0 on; `None` where there are none.
    #[must_use]
    pub fn mender(&self, outbox: &Arc<dyn Outbox>, source: usize) -> Option<CacheRepair> {
        let kept = self.0.as_ref()?;
        let Kept { cache, tally, store, .. } = kept;
        let (cache, outbox) = (Arc::clone(cache), Arc::clone(outbox));
        Some(CacheRepair::new(cache, outbox, store.reader(), tally.clone(), source, kept.partitions(source)))
    }

    /// What looks whether anybody mends a source's copies, from 0 on; `None` where this process does it itself, and where there are
    /// none.
    #[must_use]
    pub fn vigil(&self, outbox: &Arc<dyn Outbox>, source: usize) -> Option<StalenessMonitor> {
        let kept = self.0.as_ref().filter(|kept| kept.redis.is_some())?;
        let (cache, outbox, owed) = (Arc::clone(&kept.cache), Arc::clone(outbox), kept.owed.clone());
        Some(StalenessMonitor::new(cache, outbox, owed, source, kept.partitions(source), kept.unmended))
    }

    /// Whether each process mends its own copies: they are in it.
    #[must_use]
    pub fn are_here(&self) -> bool {
        self.0.as_ref().is_some_and(|kept| kept.redis.is_none())
    }

    /// Whether all processes share them, and one mends them for all.
    #[must_use]
    pub fn are_shared(&self) -> bool {
        self.0.as_ref().is_some_and(|kept| kept.redis.is_some())
    }

    /// Compares copies with rows, as soon as the copies have been told of them.
    #[must_use]
    pub fn auditor(&self, outbox: &Arc<dyn Outbox>, clock: &Arc<dyn Clock>) -> Option<(CacheAuditor, RelayState)> {
        let kept = self.0.as_ref()?;
        let (cache, outbox, route) = (Arc::clone(&kept.cache), Arc::clone(outbox), route(&kept.store));
        Some((CacheAuditor::new(kept.reader.clone()), RelayState::new(cache, outbox, route, Arc::clone(clock))))
    }

    /// The reader that can make copies anew, and knows whether they can be asked.
    #[must_use]
    pub fn cached(&self) -> Option<CachedReader> {
        self.0.as_ref().map(|kept| kept.reader.clone())
    }

    /// From now on connections to Redis are made with the user and password of this address.
    ///
    /// # Errors
    /// In words, without the address, when it makes no sense or leads elsewhere; then nothing has changed.
    pub async fn exchange(&self, address: &SourceUrl) -> Result<(), String> {
        match self.0.as_ref().and_then(|kept| kept.redis.as_ref()) {
            Some(redis) => redis.exchange(address.expose()).await,
            None => Ok(()),
        }
    }

    /// Ends the connections.
    pub async fn close(&self) {
        if let Some(redis) = self.0.as_ref().and_then(|kept| kept.redis.as_ref()) {
            redis.shut().await;
        }
    }
}
