//! The store's settings, from the configuration's words.

use riposte_store::config::{Kind, PoolConfig, SourceConfig, StoreConfig};
use riposte_store::shard::Tables;

use crate::config::{Pool, Store, StoreKind, TableRange};

/// What the store is opened with.
pub(crate) fn settings(store: &Store) -> StoreConfig {
    let Store { kind, data_dir, sources: _, subject_tables, index_tables, pools, lock_wait_timeout } = store;
    let kind = match kind {
        StoreKind::Sqlite => Kind::Sqlite { folder: data_dir.clone(), durable: data_dir.is_some() },
        StoreKind::Mysql => Kind::MySql(sources(store)),
    };
    StoreConfig {
        kind,
        tables: Tables { subject: *subject_tables, index: *index_tables },
        read: pool(&pools.read),
        write: pool(&pools.write),
        lock_wait: lock_wait_timeout.duration(),
    }
}

fn sources(store: &Store) -> Vec<SourceConfig> {
    let source = |(source, TableRange(subject_tables)): (&crate::config::Source, TableRange)| SourceConfig {
        url: source.url.expose().to_owned(),
        subject_tables,
    };
    store.sources.iter().zip(store.table_ranges()).map(source).collect()
}

fn pool(pool: &Pool) -> PoolConfig {
    PoolConfig { connections: pool.connections, acquire_timeout: pool.acquire_timeout.duration() }
}

/// How many batches may commit at once: SQLite has one writer, every server of the MySQL family its own connections.
pub(super) fn write_slots(store: &Store) -> usize {
    match store.kind {
        StoreKind::Sqlite => 1,
        StoreKind::Mysql => store.sources.len() * store.pools.write.connections as usize,
    }
}
