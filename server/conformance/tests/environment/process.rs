//! Processes over one store that share a cache for their reads.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use riposte_cache::{
    Cache, CacheStats, CacheUpdater, CachedReader, CachedWriter, DbReadLimit, InvalidPartitions, RelayCursor,
};
use riposte_conformance::stores::{self, Backend, Process, StepClock, WalkSettings};
use riposte_core::Partition;
use riposte_core::Writer;
use riposte_core::ids::PARTITIONS;
use riposte_core::ports::{Clock, Reader};
use riposte_store::config::DatabaseKind;
use riposte_store::{SqlStore, StoreConfig};

/// A process, with the parts that tests use.
#[derive(Debug, Clone)]
pub(crate) struct CachedProcess {
    pub(crate) store: SqlStore,
    pub(crate) reader: CachedReader,
    pub(crate) writer: Arc<dyn Writer>,
}

/// Starts one more process over the rows of `config`.
pub(crate) fn start(config: &StoreConfig, cache: &Arc<dyn Cache>, clock: Arc<dyn Clock>) -> CachedProcess {
    let store = SqlStore::open(config, clock).expect("the configuration is sound");
    let stats = CacheStats::default();
    let invalid = InvalidPartitions::new(Arc::clone(cache), stats.clone());
    let updater = Arc::new(CacheUpdater::new(Arc::clone(cache), invalid.clone(), stats.clone()));
    let writer = CachedWriter::new(store.observed_writer(updater), Arc::clone(cache), invalid.clone());
    let (sources, map) = (store.sources().all().len(), Arc::clone(store.sources()));
    let read_limit = DbReadLimit::new(sources, Box::new(move |at| map.map().source(at)), 8, Duration::from_secs(20));
    let reader = CachedReader::new(store.reader(), Arc::clone(cache), invalid, read_limit, stats);
    CachedProcess { store, reader, writer: Arc::new(writer) }
}

/// Returns the configuration of a SQLite store in a folder of its own, at the current schema. The
/// folder is removed when the returned guard is dropped.
pub(crate) async fn migrated_sqlite() -> (StoreConfig, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let config = sqlite_config(folder.path());
    migrate(&config).await;
    (config, folder)
}

/// Returns the configuration of a SQLite store in this folder. The store is not durable, because no
/// test here depends on its state after a power cut.
pub(crate) fn sqlite_config(folder: &Path) -> StoreConfig {
    let mut config = StoreConfig::sqlite(Some(folder.to_owned()));
    if let DatabaseKind::Sqlite { durable, .. } = &mut config.kind {
        *durable = false;
    }
    config
}

pub(crate) async fn migrate(config: &StoreConfig) {
    let store = SqlStore::open(config, StepClock::at(StepClock::START)).expect("the configuration is sound");
    riposte_migrations::up(&store, |_| ()).await.expect("migrated");
    store.close().await;
}

/// Registers the relays of all partitions in the cache, at the beginning of their outboxes.
pub(crate) async fn register_relays(cache: &dyn Cache) {
    for number in 0..PARTITIONS {
        // On a busy machine a call may exceed its time limit; it has then registered nothing.
        while cache.renew(Partition::number(number), RelayCursor(0), rand::random()).await.is_err() {
            tokio::task::yield_now().await;
        }
    }
}

/// Returns the backend for the suite of the stores, over processes that share a cache.
pub(crate) fn backend(config: StoreConfig, cache: Arc<dyn Cache>) -> Backend {
    let first = process(&start(&config, &cache, StepClock::at(StepClock::START)));
    let start_another = move |clock| {
        let another = process(&start(&config, &cache, clock));
        Box::pin(std::future::ready(another)) as futures::future::BoxFuture<'static, Process>
    };
    Backend::new(first, Arc::new(start_another), WalkSettings { steps: 200, ..WalkSettings::default() })
}

fn process(cached: &CachedProcess) -> Process {
    let CachedProcess { store, reader, writer } = cached;
    let (rank_index, rankings) = store.ranks(stores::ranking_config());
    Process {
        reader: Arc::new(reader.clone()) as Arc<dyn Reader>,
        writer: Arc::clone(writer),
        ids: store.ids(),
        outbox: store.outbox(),
        positions: store.positions(),
        histories: store.histories(),
        rank_indexes: rank_index,
        rankings,
        repairer: store.repairer(),
        reviews: store.reviews(),
        reports: store.reports(),
        standings: store.standings(),
    }
}
