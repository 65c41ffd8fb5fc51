//! Connections to a server of the MySQL family.

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use riposte_core::{Error, Result};
use sea_orm::SqlxMySqlConnector;
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection, MySqlPool, MySqlPoolOptions};
use sqlx::{Connection, Executor};
use tokio::time::timeout;

use super::DataSource;
use super::breaker::{PROBE_AFTER, SourceBreaker};
use crate::config::{PoolConfig, SourceConfig, StoreConfig};
use crate::error;

/// The idle time after which a connection is tested before use.
const TEST_AFTER_IDLE: Duration = Duration::from_secs(30);
/// The lifetime of a connection. An old account stays in use that long after its address was
/// exchanged (docs/secure.md).
const CONNECTION_LIFETIME: Duration = Duration::from_secs(30 * 60);
/// An upper bound of the statements that one transaction prepares. Until it is released, a
/// connection may exceed its statement limit by this number.
const STATEMENTS_PER_TRANSACTION: usize = 4096;

/// Returns whether a text is the address of a server of the MySQL family, with options that the
/// driver knows. No connection is made.
#[must_use]
pub fn is_address(url: &str) -> bool {
    options(url).is_ok()
}

/// The error text for an invalid address.
const INVALID_ADDRESS: &str = "the address of a data source is not mysql://…";

/// The state of a MySQL-family source apart from its pools.
#[derive(Debug)]
pub(super) struct MysqlServer {
    pub(super) breaker: SourceBreaker,
    read: PoolConfig,
    write: PoolConfig,
}

/// Prepares both pools of a source.
pub(super) fn open(source: &SourceConfig, config: &StoreConfig) -> Result<DataSource> {
    let options = options(&source.url).map_err(Error::internal)?;
    let lock_wait_statement = lock_wait_statement(config.lock_wait);
    let read = pool(
        &options,
        &config.read,
        vec![isolation_statement("REPEATABLE READ"), lock_wait_statement.clone()],
        Release::Unchanged,
    );
    let write = pool(
        &options,
        &config.write,
        vec![isolation_statement("READ COMMITTED"), lock_wait_statement],
        Release::RolledBack,
    );
    let server =
        MysqlServer { breaker: SourceBreaker::new(read.clone(), PROBE_AFTER), read: config.read, write: config.write };
    let [read, write] = [read, write].map(SqlxMySqlConnector::from_sqlx_mysql_pool);
    Ok(DataSource { read, write, server: Some(server) })
}

/// Uses another address for the new connections of both pools. It differs only in user, password
/// and options. Open connections stay in use.
pub(super) async fn exchange(
    source: &DataSource,
    server: &MysqlServer,
    url: &str,
) -> std::result::Result<(), &'static str> {
    let new = options(url)?;
    let old = source.read.get_mysql_connection_pool().connect_options();
    if source_identity(&old) != source_identity(&new) {
        return Err("names another server or database than before, which needs a restart");
    }
    if is_denied(&new).await {
        return Err(
            "is refused by the server: it does not know this user or password, or denies access; the change is tried again",
        );
    }
    for (pool, limits) in [(&source.read, &server.read), (&source.write, &server.write)] {
        pool.get_mysql_connection_pool().set_connect_options(with_statement_cache(new.clone(), limits));
    }
    Ok(())
}

/// Returns whether the server rejects these credentials with its own error.
async fn is_denied(options: &MySqlConnectOptions) -> bool {
    let attempt = timeout(PROBE_AFTER, MySqlConnection::connect_with(options)).await;
    match attempt {
        Ok(Ok(connection)) => {
            // The connection served only this check; an error at its end is irrelevant.
            let _ = timeout(PROBE_AFTER, connection.close()).await;
            false
        }
        Ok(Err(error)) => error::is_access_denied(&error),
        Err(_) => false,
    }
}

/// Returns whether the connections of a source stay on this machine: they use a socket file, or a
/// loopback address.
pub(super) fn is_local(source: &DataSource) -> bool {
    let options = source.read.get_mysql_connection_pool().connect_options();
    let host = options.get_host().trim_matches(['[', ']']);
    options.get_socket().is_some()
        || host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

/// Returns the connect options of an address.
fn options(url: &str) -> std::result::Result<MySqlConnectOptions, &'static str> {
    let options: MySqlConnectOptions = url.parse().map_err(|_| INVALID_ADDRESS)?;
    // The driver would set sql_mode on connect, which changes `||` and costs Vitess a reserved
    // connection.
    Ok(options.pipes_as_concat(false).no_engine_substitution(false))
}

/// Returns the parts of an address that identify a data source.
fn source_identity(options: &MySqlConnectOptions) -> (&str, u16, Option<&PathBuf>, Option<&str>) {
    (options.get_host(), options.get_port(), options.get_socket(), options.get_database())
}

/// Sets the statement cache to the size that a pool's connections need.
fn with_statement_cache(options: MySqlConnectOptions, limits: &PoolConfig) -> MySqlConnectOptions {
    options.statement_cache_capacity(limits.statements + STATEMENTS_PER_TRANSACTION)
}

fn isolation_statement(level: &str) -> String {
    format!("SET SESSION TRANSACTION ISOLATION LEVEL {level}")
}

/// Returns the statement that sets the time a connection waits for a row lock. A process that
/// stalls with an open transaction would block others from its subjects for as long as it stalls.
/// MariaDB ends such a transaction after the same time, and the process then finds its connection
/// lost; other servers have no such setting.
fn lock_wait_statement(lock_wait: Duration) -> String {
    let seconds = lock_wait.as_secs().max(1);
    format!("SET SESSION innodb_lock_wait_timeout = {seconds} /*M!, SESSION idle_transaction_timeout = {seconds} */")
}

/// The handling of a connection that returns to its pool. The driver itself ends the transactions
/// that it knows of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Release {
    /// Rolled back: the driver does not know of a BEGIN that was dropped while pending. The
    /// transaction would stay open, and the next borrower's write would be lost with it. So every
    /// writing connection is released with a ROLLBACK.
    RolledBack,
    /// Released as it is: a read transaction holds nothing that could be lost, and its BEGIN is
    /// never dropped ([`DataSource::begin_read`]). A second safeguard is not worth a round trip for
    /// each read.
    Unchanged,
}

/// Creates a pool whose connections all start with these settings.
fn pool(options: &MySqlConnectOptions, limits: &PoolConfig, settings: Vec<String>, release: Release) -> MySqlPool {
    let statements = limits.statements;
    MySqlPoolOptions::new()
        .max_connections(limits.connections)
        .min_connections(0)
        .max_lifetime(CONNECTION_LIFETIME)
        .acquire_timeout(limits.acquire_timeout)
        .test_before_acquire(false)
        .before_acquire(|connection, meta| {
            Box::pin(async move {
                if meta.idle_for >= TEST_AFTER_IDLE {
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
                    close_statements(connection).await?;
                }
                Ok(true)
            })
        })
        .connect_lazy_with(with_statement_cache(options.clone(), limits))
}

/// Closes all prepared statements of a connection, and waits until the server has processed it.
///
/// A server sends no response when a statement is closed, and the driver leaves Nagle's algorithm
/// on (sqlx 0.9.0, its issue 4335): the next packet waits until the network has acknowledged that
/// packet, for 40 ms. At its own limit the driver closes one statement for each new one, so every
/// statement would wait; closing all at once waits once.
async fn close_statements(connection: &mut MySqlConnection) -> sqlx::Result<()> {
    connection.clear_cached_statements().await?;
    connection.ping().await
}
