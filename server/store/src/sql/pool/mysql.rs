//! Connections to a server of the MySQL family.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use riposte_core::{Error, Result};
use sea_orm::SqlxMySqlConnector;
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection, MySqlPool, MySqlPoolOptions};
use sqlx::{ConnectOptions, Connection, Executor, Row};
use tokio::time::timeout;

use super::DataSource;
use super::breaker::{PROBE_AFTER, SourceBreaker};
use crate::config::{PoolConfig, StoreConfig, TextMode};
use crate::error;

/// The idle time after which a connection is tested before use.
const TEST_AFTER_IDLE: Duration = Duration::from_secs(30);
/// The lifetime of a connection. An old account stays in use that long after its address was
/// exchanged (docs/secure.md).
const CONNECTION_LIFETIME: Duration = Duration::from_secs(30 * 60);
/// An upper bound of the statements that one transaction prepares. Until it is released, a
/// connection may exceed its statement limit by this number.
const STATEMENTS_PER_TRANSACTION: usize = 4096;

/// Returns whether a text is the address of a server of the MySQL family, with no option that the
/// driver does not know. No connection is made.
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
    text: Arc<TextSupport>,
}

impl MysqlServer {
    /// Returns the text queries that the server takes.
    pub(super) fn text(&self) -> &TextSupport {
        &self.text
    }
}

/// The text queries of several statements that a server takes, as its connections found when they
/// were opened.
#[derive(Debug)]
pub(in crate::sql) struct TextSupport {
    mode: TextMode,
    /// The bytes of a packet that the server takes; 0 before the first connection.
    packet_len_max: AtomicUsize,
    /// True if the server, or a proxy before it, refuses a query of several statements.
    refused: AtomicBool,
}

/// The longest text query. A server takes a longer one, in several packets, but its text would be
/// in memory several times on both sides.
const QUERY_LEN_MAX: usize = 15 << 20;
/// The bytes of a packet that are not part of its query.
const PACKET_FRAME: usize = 64;
/// Two statements, so that a proxy that takes one statement only is found.
const TEXT_PROBE: &str = "SELECT CAST(@@max_allowed_packet AS CHAR); SELECT CAST(1 AS CHAR)";

impl TextSupport {
    fn new(mode: TextMode) -> Self {
        Self { mode, packet_len_max: AtomicUsize::new(0), refused: AtomicBool::new(false) }
    }

    /// Returns true if phases may be sent as text.
    pub(in crate::sql) fn takes_text(&self) -> bool {
        self.mode != TextMode::Off
            && !self.refused.load(Ordering::Acquire)
            && self.packet_len_max.load(Ordering::Acquire) > 0
    }

    /// Returns the number of statement groups from which a phase is sent as text; `auto` is that of
    /// [`TextMode::Auto`].
    pub(in crate::sql) fn groups_min(&self, auto: usize) -> usize {
        if self.mode == TextMode::Always { 1 } else { auto }
    }

    /// Returns the longest text query, in bytes.
    pub(in crate::sql) fn query_len_max(&self) -> usize {
        self.packet_len_max.load(Ordering::Acquire).saturating_sub(PACKET_FRAME).min(QUERY_LEN_MAX)
    }

    /// Probes a new connection.
    async fn probe(&self, connection: &mut MySqlConnection) -> sqlx::Result<()> {
        if self.mode == TextMode::Off {
            return Ok(());
        }
        match packet_len_max(connection).await {
            Ok(Some(bytes)) => self.packet_len_max.store(bytes, Ordering::Release),
            Ok(None) => self.refuse(),
            Err(sqlx::Error::Database(_)) => self.refuse(),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn refuse(&self) {
        if !self.refused.swap(true, Ordering::AcqRel) {
            tracing::warn!("a data source refuses queries of several statements; each statement is sent by itself");
        }
    }
}

/// The queries of several statements that a server, and the proxies before it, take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextQueries {
    /// They are taken, up to a length.
    Taken {
        /// `max_allowed_packet` of the server.
        packet_bytes: u64,
    },
    /// They are refused, or their results are not those of the statements.
    Refused,
}

/// Probes the queries that a server takes on a connection of a pool.
pub(super) async fn text_queries(pool: &MySqlPool) -> Option<TextQueries> {
    // Boxed: the future of the driver is large.
    let mut connection = Box::pin(pool.acquire()).await.ok()?;
    match packet_len_max(&mut connection).await {
        Ok(Some(bytes)) => Some(TextQueries::Taken { packet_bytes: bytes as u64 }),
        Ok(None) | Err(sqlx::Error::Database(_)) => Some(TextQueries::Refused),
        Err(_) => None,
    }
}

/// Returns the bytes of a packet that the server takes, read by a query of two statements; `None`
/// if their results are not those of the statements.
async fn packet_len_max(connection: &mut MySqlConnection) -> sqlx::Result<Option<usize>> {
    let rows = sqlx::raw_sql(TEXT_PROBE).fetch_all(connection).await?;
    let [bytes, one] = &rows[..] else { return Ok(None) };
    if one.try_get::<String, _>(0)? != "1" {
        return Ok(None);
    }
    Ok(bytes.try_get::<String, _>(0)?.parse().ok())
}

/// Prepares both pools of a source.
pub(super) fn open(url: &str, config: &StoreConfig) -> Result<DataSource> {
    let options = options(url).map_err(Error::internal)?;
    let lock_wait_statement = lock_wait_statement(config.lock_wait);
    let text = Arc::new(TextSupport::new(config.text));
    let read = pool(
        &options,
        &config.read,
        ConnectionSetup {
            statements: vec![isolation_statement("REPEATABLE READ"), lock_wait_statement.clone()],
            text: Arc::clone(&text),
        },
        Release::Unchanged,
    );
    let write = pool(
        &options,
        &config.write,
        ConnectionSetup {
            statements: vec![isolation_statement("READ COMMITTED"), lock_wait_statement],
            text: Arc::clone(&text),
        },
        Release::RolledBack,
    );
    let server = MysqlServer {
        breaker: SourceBreaker::new(read.clone(), PROBE_AFTER),
        read: config.read,
        write: config.write,
        text,
    };
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

/// Returns why no connection can be made, in words for operators. A pool that waits for one reports
/// only that its time is over. Returns `None` if one can be made.
pub(super) async fn connection_fault(source: &DataSource) -> Option<String> {
    let options = source.read.get_mysql_connection_pool().connect_options();
    match timeout(PROBE_AFTER, MySqlConnection::connect_with(&options)).await {
        Ok(Ok(connection)) => {
            let _ = timeout(PROBE_AFTER, connection.close()).await;
            None
        }
        Ok(Err(fault)) => Some(error::operator_text_of_driver(&fault)),
        Err(_elapsed) => Some(format!("the server does not respond within {} s", PROBE_AFTER.as_secs())),
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

/// The options of an address that the driver knows. It ignores others, and a misspelt `ssl-mode`
/// would mean plaintext.
const OPTIONS: [&str; 13] = [
    "charset",
    "collation",
    "socket",
    "ssl-ca",
    "ssl-cert",
    "ssl-key",
    "ssl-mode",
    "sslca",
    "sslcert",
    "sslkey",
    "sslmode",
    "time-zone",
    "timezone",
];

/// Returns the connect options of an address.
fn options(url: &str) -> std::result::Result<MySqlConnectOptions, &'static str> {
    let given = url.split_once('?').map_or("", |(_, options)| options);
    let names = given.split('&').filter(|option| !option.is_empty()).map(|option| option.split('=').next());
    if !names.flatten().all(|name| OPTIONS.contains(&name)) {
        return Err(INVALID_ADDRESS);
    }
    let options: MySqlConnectOptions = url.parse().map_err(|_| INVALID_ADDRESS)?;
    // The driver would set sql_mode on connect, which changes `||` and costs Vitess a reserved
    // connection. It would also log statements, and a text query has values in it.
    Ok(options.pipes_as_concat(false).no_engine_substitution(false).disable_statement_logging())
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

/// The first statements of every connection of a pool.
#[derive(Clone)]
struct ConnectionSetup {
    statements: Vec<String>,
    text: Arc<TextSupport>,
}

/// Creates a pool whose connections all start with this setup.
fn pool(options: &MySqlConnectOptions, limits: &PoolConfig, setup: ConnectionSetup, release: Release) -> MySqlPool {
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
            let setup = setup.clone();
            Box::pin(async move {
                for statement in setup.statements {
                    connection.execute(sqlx::AssertSqlSafe(statement)).await?;
                }
                setup.text.probe(connection).await
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

#[cfg(test)]
mod tests {
    use super::is_address;

    #[test]
    fn an_option_that_the_driver_would_ignore_is_no_part_of_an_address() {
        for options in ["", "?", "?ssl-mode=VERIFY_IDENTITY&ssl-ca=/ca.pem", "?charset=utf8mb4"] {
            assert!(is_address(&format!("mysql://u:p@h:3306/d{options}")), "{options}");
        }
        for options in ["?ssl_mode=VERIFY_IDENTITY", "?foo=bar", "?ssl-mode=required&useSSL=true", "?ssl-mode=foo"] {
            assert!(!is_address(&format!("mysql://u:p@h:3306/d{options}")), "{options}");
        }
    }
}
