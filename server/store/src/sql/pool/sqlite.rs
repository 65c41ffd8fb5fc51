//! Connections to one SQLite file: a single writer, and readers that see the last commit.

use std::path::Path;

use riposte_core::{Error, Result};
use sea_orm::SqlxSqliteConnector;
use sqlx::Executor;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous};

use super::DataSource;
use crate::config::{PoolConfig, StoreConfig};

/// The name of the database file in its folder.
pub const FILE_NAME: &str = "riposte.db";

/// Creates the pools of the database file in `folder`; connections open when they are needed. If
/// `durable`, a commit returns after its data has reached the disk.
pub(super) fn open(folder: &Path, durable: bool, config: &StoreConfig) -> Result<DataSource> {
    std::fs::create_dir_all(folder).map_err(|error| Error::internal(format!("{}: {error}", folder.display())))?;
    let synchronous = if durable { SqliteSynchronous::Full } else { SqliteSynchronous::Off };
    let options = SqliteConnectOptions::new()
        .filename(folder.join(FILE_NAME))
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(synchronous)
        .busy_timeout(config.lock_wait);
    let single_connection = PoolConfig { connections: 1, ..config.write };
    Ok(DataSource {
        read: SqlxSqliteConnector::from_sqlx_sqlite_pool(pool(
            options.clone().pragma("query_only", "ON"),
            &config.read,
        )),
        write: SqlxSqliteConnector::from_sqlx_sqlite_pool(pool(options, &single_connection)),
        server: None,
    })
}

fn pool(options: SqliteConnectOptions, limits: &PoolConfig) -> SqlitePool {
    let options = options.statement_cache_capacity(limits.statements);
    SqlitePoolOptions::new()
        .max_connections(limits.connections)
        .min_connections(0)
        .acquire_timeout(limits.acquire_timeout)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        // As on MySQL, a transaction that its owner left open is rolled back here. If none is open,
        // SQLite returns an error, which is ignored.
        .after_release(|connection, _| {
            Box::pin(async move {
                let _ = connection.execute("ROLLBACK").await;
                Ok(true)
            })
        })
        .connect_lazy_with(options)
}
