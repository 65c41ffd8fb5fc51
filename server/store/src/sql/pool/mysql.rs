//! Connections to a server of the MySQL family.

use std::path::PathBuf;
use std::time::Duration;

use riposte_core::{Error, Result};
use sea_orm::SqlxMySqlConnector;
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection, MySqlPool, MySqlPoolOptions};
use sqlx::{Connection, Executor};
use tokio::time::timeout;

use super::DataSource;
use super::breaker::{SILENT, SourceBreaker};
use crate::config::{PoolConfig, SourceConfig, StoreConfig};
use crate::error;

/// A connection that rested for longer is tried before it is used.
const TRY_AFTER: Duration = Duration::from_secs(30);
/// How long a connection lives: so long an account is still used after its address was exchanged (docs/secure.md).
const LIFETIME: Duration = Duration::from_secs(30 * 60);
/// More statements than one transaction prepares. Up to so many beyond its limit a connection keeps until its release.
const SPARE: usize = 4096;

/// Whether a text is the address of a server of the MySQL family, with options that its driver knows. Nothing is asked.
#[must_use]
pub fn is_address(url: &str) -> bool {
    options(url).is_ok()
}

/// What is said of an address that is none.
const FORM: &str = "the address of a data source is not mysql://…";

/// What a source of the MySQL family has beside its pools.
#[derive(Debug)]
pub(super) struct MysqlServer {
    pub(super) door: SourceBreaker,
    read: PoolConfig,
    write: PoolConfig,
}

/// Prepares both pools of a source.
pub(super) fn open(source: &SourceConfig, config: &StoreConfig) -> Result<DataSource> {
    let options = options(&source.url).map_err(Error::internal)?;
    let waits = waits(config.lock_wait);
    let read = pool(&options, &config.read, vec![isolation("REPEATABLE READ"), waits.clone()], Release::AsItIs);
    let write = pool(&options, &config.write, vec![isolation("READ COMMITTED"), waits], Release::RolledBack);
    let server = MysqlServer { door: SourceBreaker::new(read.clone(), SILENT), read: config.read, write: config.write };
    let [read, write] = [read, write].map(SqlxMySqlConnector::from_sqlx_mysql_pool);
    Ok(DataSource { read, write, server: Some(server) })
}

/// Makes the connections of both pools by another address from now on; it differs in nothing but user, password and options.
/// Connections that are open live on.
pub(super) async fn exchange(
    source: &DataSource,
    server: &MysqlServer,
    url: &str,
) -> std::result::Result<(), &'static str> {
    let new = options(url)?;
    let old = source.read.get_mysql_connection_pool().connect_options();
    if place(&old) != place(&new) {
        return Err("names another server or database than before, which needs a restart");
    }
    if is_denied(&new).await {
        return Err(
            "is refused by the server, which knows no such user or password or does not let them in; it is tried again",
        );
    }
    for (pool, limits) in [(&source.read, &server.read), (&source.write, &server.write)] {
        pool.get_mysql_connection_pool().set_connect_options(remembering(new.clone(), limits));
    }
    Ok(())
}

/// Whether the server refuses these credentials in its own words.
async fn is_denied(options: &MySqlConnectOptions) -> bool {
    let tried = timeout(SILENT, MySqlConnection::connect_with(options)).await;
    match tried {
        Ok(Ok(connection)) => {
            // It was made for nothing else; that its end fails says nothing.
            let _ = timeout(SILENT, connection.close()).await;
            false
        }
        Ok(Err(error)) => error::denies(&error),
        Err(_) => false,
    }
}

/// How an address is connected to.
fn options(url: &str) -> std::result::Result<MySqlConnectOptions, &'static str> {
    let options: MySqlConnectOptions = url.parse().map_err(|_| FORM)?;
    // The driver would set sql_mode on connect, which changes `||` and costs Vitess a reserved connection.
    Ok(options.pipes_as_concat(false).no_engine_substitution(false))
}

/// What makes a data source the one it is.
fn place(options: &MySqlConnectOptions) -> (&str, u16, Option<&PathBuf>, Option<&str>) {
    (options.get_host(), options.get_port(), options.get_socket(), options.get_database())
}

/// With room for as many prepared statements as a pool's connections need.
fn remembering(options: MySqlConnectOptions, limits: &PoolConfig) -> MySqlConnectOptions {
    options.statement_cache_capacity(limits.statements + SPARE)
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

/// How a connection comes back to its pool. The driver itself ends the transactions that it knows of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Release {
    /// A BEGIN that was given up while pending is unknown to the driver: the transaction would stay open, and take the next
    /// borrower's write with it when it dies. So nothing that writes goes back without a ROLLBACK.
    RolledBack,
    /// Nothing is ever lost with a transaction that reads, and its BEGIN is never given up ([`DataSource::begin_read`]). A round
    /// trip for each read is worth more than a second net.
    AsItIs,
}

/// A pool whose connections all begin with these settings.
fn pool(options: &MySqlConnectOptions, limits: &PoolConfig, settings: Vec<String>, release: Release) -> MySqlPool {
    let statements = limits.statements;
    MySqlPoolOptions::new()
        .max_connections(limits.connections)
        .min_connections(0)
        .max_lifetime(LIFETIME)
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
        .after_release(move |connection, _| {
            Box::pin(async move {
                if release == Release::RolledBack {
                    connection.execute("ROLLBACK").await?;
                }
                if connection.cached_statements_size() > statements {
                    forget_statements(connection).await?;
                }
                Ok(true)
            })
        })
        .connect_lazy_with(remembering(options.clone(), limits))
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
