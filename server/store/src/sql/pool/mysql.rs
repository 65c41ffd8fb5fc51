//! Connections to a server of the MySQL family.

use std::time::Duration;

use riposte_core::{Error, Result};
use sea_orm::SqlxMySqlConnector;
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection, MySqlPool, MySqlPoolOptions};
use sqlx::{Connection, Executor};

use super::Source;
use super::door::{Door, SILENT};
use crate::config::{PoolConfig, SourceConfig, StoreConfig};

/// A connection that rested for longer is tried before it is used.
const TRY_AFTER: Duration = Duration::from_secs(30);
/// More statements than one transaction prepares. Up to so many beyond its limit a connection keeps until its release.
const SPARE: usize = 4096;

/// Prepares both pools of a source.
pub(super) fn open(source: &SourceConfig, config: &StoreConfig) -> Result<Source> {
    let options: MySqlConnectOptions =
        source.url.parse().map_err(|_| Error::internal("the address of a data source is not mysql://…"))?;
    // The driver would set sql_mode on connect, which changes `||` and costs Vitess a reserved connection.
    let options = options.pipes_as_concat(false).no_engine_substitution(false);
    let waits = waits(config.lock_wait);
    let read = vec![isolation("REPEATABLE READ"), waits.clone()];
    let write = vec![isolation("READ COMMITTED"), waits];
    let pool = |limits, settings| SqlxMySqlConnector::from_sqlx_mysql_pool(pool(options.clone(), limits, settings));
    let door = Some(Door::new(options.clone(), SILENT));
    Ok(Source { read: pool(&config.read, read), write: pool(&config.write, write), door })
}

fn isolation(level: &str) -> String {
    format!("SET SESSION TRANSACTION ISOLATION LEVEL {level}")
}

/// How long a connection waits for a row. A process that stalls with a transaction open would keep others from its
/// subjects for as long as it stalls: MariaDB ends such a transaction after the same time, others know no such thing. The
/// process then finds its connection lost.
fn waits(lock_wait: Duration) -> String {
    let seconds = lock_wait.as_secs().max(1);
    format!("SET SESSION innodb_lock_wait_timeout = {seconds} /*M!, SESSION idle_transaction_timeout = {seconds} */")
}

/// A pool whose connections all begin with these settings.
fn pool(options: MySqlConnectOptions, limits: &PoolConfig, settings: Vec<String>) -> MySqlPool {
    let statements = limits.statements;
    let options = options.statement_cache_capacity(statements + SPARE);
    MySqlPoolOptions::new()
        .max_connections(limits.connections)
        .min_connections(0)
        .acquire_timeout(limits.acquire_timeout)
        .test_before_acquire(false)
        .before_acquire(|connection, facts| {
            Box::pin(async move {
                if facts.idle_for >= TRY_AFTER {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
        .after_connect(move |connection, _| {
            let settings = settings.clone();
            Box::pin(async move {
                for setting in settings {
                    connection.execute(sqlx::AssertSqlSafe(setting)).await?;
                }
                Ok(())
            })
        })
        // A BEGIN that was cancelled while pending is unknown to the driver: the transaction would stay open, and take
        // the next borrower's write with it when it dies. So nothing goes back to the pool without this.
        .after_release(move |connection, _| {
            Box::pin(async move {
                connection.execute("ROLLBACK").await?;
                if connection.cached_statements_size() > statements {
                    forget_statements(connection).await?;
                }
                Ok(true)
            })
        })
        .connect_lazy_with(options)
}

/// Closes all prepared statements of a connection, and waits until the server has seen it.
///
/// A server does not answer when a statement is closed, and the driver leaves Nagle's algorithm on (sqlx 0.9.0, its issue
/// 4335): whatever is sent next waits until the network has acknowledged that packet, for 40 ms. The driver closes one
/// statement for each new one when its own limit is reached, so that every statement would wait; all at once wait once.
async fn forget_statements(connection: &mut MySqlConnection) -> sqlx::Result<()> {
    connection.clear_cached_statements().await?;
    connection.ping().await
}
