//! The cache as the composition root assembles it: a reader in front of the store, a writer and a
//! commit observer that update the cache, and the repair by the relay.

mod staleness_watch;

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use riposte_cache::{
    Cache, CacheAuditor, CacheKind, CacheRepair, CacheRepairConsumer, CacheSettings, CacheStats, CacheUpdater,
    CachedReader, CachedWriter, DbReadLimit, InvalidPartitions, MemoryCache, RankingCache, RedisCache, RedisConfig,
    RelayState, SourcePartitions, SourceRoute, StalenessMonitor,
};
use riposte_core::Partition;
use riposte_core::Writer;
use riposte_core::ids::PARTITIONS;
use riposte_core::ports::{CachedPages, Clock, EventLog, RankingSnapshots, Reader};
use riposte_pipeline::Notifier;
use riposte_settings::{ConfigError, ConfigErrors, SourceUrl};
use riposte_store::SqlStore;
use riposte_telemetry::Metrics;

use crate::decorators::{Decorators, decorate};
use crate::observers::{MetricsObserver, observe_cache};
use riposte_grpc::ListPageRenderer;
use staleness_watch::StalenessWatch;

/// The time for which a start waits for Redis before it continues without Redis.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// The cache of this process, or no cache. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct CacheStack(Option<CacheParts>);

#[derive(Debug, Clone)]
struct CacheParts {
    cache: Arc<dyn Cache>,
    invalid: InvalidPartitions,
    /// `None` for an in-process cache.
    redis: Option<Arc<RedisCache>>,
    reader: CachedReader,
    stats: CacheStats,
    store: SqlStore,
    /// The time for which the cache is read although no relay repairs it.
    stale_after: Duration,
}

/// Returns the function that maps a partition to its data source.
fn route(store: &SqlStore) -> SourceRoute {
    let sources = Arc::clone(store.sources());
    Box::new(move |partition: Partition| sources.map().source(partition))
}

impl CacheParts {
    /// Returns the partitions of a source, counted from 0.
    fn partitions(&self, source: usize) -> SourcePartitions {
        let route = route(&self.store);
        SourcePartitions::new(move || {
            (0..PARTITIONS).map(Partition::number).filter(|partition| route(*partition) == source).collect()
        })
    }
}

impl CacheStack {
    /// Creates no cache: every read goes to the store.
    #[must_use]
    pub fn none() -> Self {
        Self(None)
    }

    /// Opens the configured cache over `store`, in the runtime in which this is called. Its
    /// statistics are reported by `metrics`; `decorators` may wrap it and replace its functions.
    ///
    /// # Errors
    /// When the address of Redis cannot be parsed. An unavailable Redis is not an error: reads go
    /// to the store until Redis is available.
    pub fn open(
        config: &CacheSettings,
        timeline: u16,
        store: &SqlStore,
        metrics: &Metrics,
        decorators: &Decorators,
    ) -> Result<Self, ConfigErrors> {
        let redis = match config.address()? {
            Some(address) => {
                let redis = RedisConfig { library: decorators.lua.clone(), ..config.redis(&address, timeline) };
                let redis = RedisCache::start(redis).map_err(|error| ConfigError::at("cache.url", error))?;
                let observer = Arc::new(MetricsObserver(metrics.clone()));
                Some(Arc::new(redis.with_observer(observer).with_renderer(Arc::new(ListPageRenderer::new()))))
            }
            None => None,
        };
        let cache: Arc<dyn Cache> = match (&redis, config.kind) {
            (Some(redis), _) => Arc::clone(redis) as _,
            (None, CacheKind::Memory) => Arc::new(MemoryCache::new(config.limits())),
            (None, CacheKind::None | CacheKind::Redis) => return Ok(Self::none()),
        };
        let cache = decorate(&decorators.cache, cache);
        let stats = CacheStats::default();
        observe_cache(&stats, metrics);
        let invalid = InvalidPartitions::new(Arc::clone(&cache), stats.clone());
        let read_limit = DbReadLimit::new(
            store.sources().all().len(),
            route(store),
            config.database_reads,
            config.database_wait.duration(),
        );
        let reader = CachedReader::new(store.reader(), Arc::clone(&cache), invalid.clone(), read_limit, stats.clone());
        let stale_after = config.stale_after.duration();
        Ok(Self(Some(CacheParts { cache, invalid, redis, reader, stats, store: store.clone(), stale_after })))
    }

    /// Waits a short time for Redis, so that it is available from the first call on.
    pub async fn connect(&self) {
        if let Some(redis) = self.redis()
            && let Err(error) = redis.connect(CONNECT_TIMEOUT).await
        {
            tracing::warn!(%error, "Redis is unavailable at start; reads go to the database");
        }
    }

    /// Returns a reader that uses the cache, if there is one.
    #[must_use]
    pub fn reader(&self, store: &SqlStore) -> Arc<dyn Reader> {
        match &self.0 {
            Some(parts) => Arc::new(parts.reader.clone()),
            None => store.reader(),
        }
    }

    /// Returns the rankings, with a cache of the last ones if caching is enabled.
    #[must_use]
    pub fn rankings(&self, rankings: &Arc<dyn RankingSnapshots>) -> Arc<dyn RankingSnapshots> {
        if self.0.is_some() { Arc::new(RankingCache::new(Arc::clone(rankings))) } else { Arc::clone(rankings) }
    }

    /// Returns a writer that applies its commits to the cache.
    #[must_use]
    pub fn writer(&self, store: &SqlStore) -> Arc<dyn Writer> {
        let Some(parts) = &self.0 else { return store.writer() };
        let updater = Arc::new(CacheUpdater::new(Arc::clone(&parts.cache), parts.invalid.clone(), parts.stats.clone()));
        let inner = store.observed_writer(updater);
        Arc::new(CachedWriter::new(inner, Arc::clone(&parts.cache), parts.invalid.clone()))
    }

    /// Returns the event consumer that repairs the cache; `None` without a cache.
    #[must_use]
    pub fn repair(&self, outbox: &Arc<dyn EventLog>) -> Option<CacheRepairConsumer> {
        let parts = self.0.as_ref()?;
        let CacheParts { cache, stats, store, .. } = parts;
        let repair = |source| {
            let (cache, outbox) = (Arc::clone(cache), Arc::clone(outbox));
            CacheRepair::new(cache, outbox, store.reader(), stats.clone(), source, parts.partitions(source))
        };
        Some(CacheRepairConsumer::new(self.is_shared(), (0..outbox.sources()).map(repair).collect()))
    }

    /// Returns true if all processes share the cache, which one of them repairs for all.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.redis().is_some()
    }

    /// Returns the tasks of the cache that run independently of calls. One task for each data
    /// source checks that a shared cache is being repaired. The auditor compares cached data with
    /// rows once the cache has received their commits.
    #[must_use]
    pub fn tasks(
        &self,
        outbox: &Arc<dyn EventLog>,
        notifier: &Notifier,
        clock: &Arc<dyn Clock>,
        metrics: &Metrics,
    ) -> Vec<BoxFuture<'static, ()>> {
        let Some(parts) = &self.0 else { return Vec::new() };
        let watch = |source| {
            let (cache, invalid) = (Arc::clone(&parts.cache), parts.invalid.clone());
            let monitor = StalenessMonitor::new(cache, invalid, parts.partitions(source), parts.stale_after);
            let observations = notifier.observations(source);
            StalenessWatch { monitor, observations, metrics: metrics.clone(), source }.run().boxed()
        };
        let (cache, outbox_read, route) = (Arc::clone(&parts.cache), Arc::clone(outbox), route(&parts.store));
        let relay_state = RelayState::new(cache, outbox_read, route, Arc::clone(clock));
        let log_failure = |error| tracing::debug!(%error, "the cache audit could not compare entries with their rows");
        let audit = CacheAuditor::new(parts.reader.clone()).run(relay_state, log_failure).boxed();
        let watched_sources = if self.is_shared() { outbox.sources() } else { 0 };
        (0..watched_sources).map(watch).chain([audit]).collect()
    }

    /// Returns the cached pages; `None` without a cache.
    #[must_use]
    pub fn cached(&self) -> Option<Arc<dyn CachedPages>> {
        self.0.as_ref().map(|parts| Arc::new(parts.reader.clone()) as _)
    }

    /// Uses the user and password of this address for all following connections to Redis.
    ///
    /// # Errors
    /// A text without the address, when the address cannot be parsed or names another server; then
    /// nothing has changed.
    pub async fn exchange(&self, address: &SourceUrl) -> Result<(), String> {
        match self.redis() {
            Some(redis) => redis.replace_credentials(address.expose()).await,
            None => Ok(()),
        }
    }

    /// Closes the connections.
    pub async fn close(&self) {
        if let Some(redis) = self.redis() {
            redis.disconnect().await;
        }
    }

    /// Returns the client of Redis; `None` without a cache and for an in-process cache.
    fn redis(&self) -> Option<&Arc<RedisCache>> {
        self.0.as_ref()?.redis.as_ref()
    }
}
