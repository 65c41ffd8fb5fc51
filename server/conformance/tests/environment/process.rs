//! Processes over one store that share a cache for their reads.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use riposte_cache::{
    Cache, CacheStats, CacheUpdater, CachedReader, CachedWriter, DbReadLimit, InvalidPartitions, RelayCursor,
};
use riposte_conformance::stores::{self, Backend, Process, StepClock, Walk};
use riposte_core::Partition;
use riposte_core::Writer;
use riposte_core::ids::PARTITIONS;
use riposte_core::ports::{Clock, Reader};
use riposte_store::config::DatabaseKind;
use riposte_store::{SqlStore, StoreConfig};

/// A process, with the parts that tests use.
#[derive(Debug, Clone)]
pub(crate) struct Cached {
    pub(crate) store: SqlStore,
    pub(crate) reader: CachedReader,
    pub(crate) writer: Arc<dyn Writer>,
}

/// Returns a process over the rows of `config`, in addition to others.
pub(crate) fn cached(config: &StoreConfig, cache: &Arc<dyn Cache>, clock: Arc<dyn Clock>) -> Cached {
    let store = SqlStore::open(config, clock).expect("the configuration is sound");
    let stats = CacheStats::default();
    let invalid = InvalidPartitions::new(Arc::clone(cache), stats.clone());
    let hearer = Arc::new(CacheUpdater::new(Arc::clone(cache), invalid.clone(), stats.clone()));
    let writer = CachedWriter::new(store.witnessed_writer(hearer), Arc::clone(cache), invalid.clone());
    let (sources, map) = (store.sources().all().len(), Arc::clone(store.sources()));
    let room = DbReadLimit::new(sources, Box::new(move |at| map.map().source(at)), 8, Duration::from_secs(20));
    let reader = CachedReader::new(store.reader(), Arc::clone(cache), invalid, room, stats);
    Cached { store, reader, writer: Arc::new(writer) }
}

/// Returns a store in a folder of its own, at the current schema; the folder is removed when the
/// returned guard is dropped.
pub(crate) async fn sqlite() -> (StoreConfig, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let config = sqlite_in(folder.path());
    migrate(&config).await;
    (config, folder)
}

/// Returns a store in this folder, without its tables. It is not durable, because no test here
/// depends on its state after a power cut.
pub(crate) fn sqlite_in(folder: &Path) -> StoreConfig {
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

/// Registers the relays of all partitions, at the beginning of their outboxes.
pub(crate) async fn warm(cache: &dyn Cache) {
    for number in 0..PARTITIONS {
        // A call that is late on a busy machine has not registered the relay.
        while cache.renew(Partition::number(number), RelayCursor(0), rand::random()).await.is_err() {
            tokio::task::yield_now().await;
        }
    }
}

/// Returns the backend for the suite of the stores, over processes that share a cache.
pub(crate) fn backend(config: StoreConfig, cache: Arc<dyn Cache>) -> Backend {
    let first = process(&cached(&config, &cache, StepClock::at(StepClock::START)));
    let start = move |clock| {
        let another = process(&cached(&config, &cache, clock));
        Box::pin(std::future::ready(another)) as futures::future::BoxFuture<'static, Process>
    };
    Backend::new(first, Arc::new(start), Walk { steps: 200, ..Walk::default() })
}

fn process(cached: &Cached) -> Process {
    let Cached { store, reader, writer } = cached;
    let (boards, rankings) = store.ranks(stores::rules());
    Process {
        reader: Arc::new(reader.clone()) as Arc<dyn Reader>,
        writer: Arc::clone(writer),
        ids: store.ids(),
        outbox: store.outbox(),
        positions: store.positions(),
        histories: store.histories(),
        boards,
        rankings,
        repairer: store.repairer(),
    }
}
