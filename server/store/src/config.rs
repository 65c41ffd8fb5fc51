//! The configuration of a store, as plain data that the caller has already validated.

use std::path::PathBuf;
use std::time::Duration;

use crate::layout::LayoutConfig;
use crate::shard::TableCounts;

/// The default time limit of a writing transaction.
const TRANSACTION_LIMIT: Duration = Duration::from_secs(20);

/// The databases of a store, the number of tables and the connection pools.
#[derive(Debug, Clone)]
pub struct StoreConfig {
    /// The kind of database.
    pub kind: DatabaseKind,
    /// The tables and their distribution over the sources; the first migration fixes them
    /// permanently.
    pub layout: LayoutConfig,
    /// The form in which the statements of many tables are sent to a server of the MySQL family.
    pub text: TextMode,
    /// The pool of reading connections to each data source.
    pub read: PoolConfig,
    /// The pool of writing connections to each data source.
    pub write: PoolConfig,
    /// The time that a transaction waits for a row lock, in whole seconds.
    pub lock_wait: Duration,
    /// The time limit of a writing transaction, and separately of its COMMIT. A transaction whose
    /// server has not responded by then fails.
    pub transaction_limit: Duration,
}

/// The kind of database.
#[derive(Clone)]
pub enum DatabaseKind {
    /// One file, one process.
    Sqlite {
        /// The folder of the file; `None` = a private temporary folder that is removed with the
        /// store.
        folder: Option<PathBuf>,
        /// True if a commit waits for the disk.
        durable: bool,
    },
    /// Servers of the MySQL family, with the address of each:
    /// `mysql://user:password@host:port/database`.
    MySql(Vec<String>),
    /// A keyspace that Vitess may distribute over shards, with the address of a vtgate. The store
    /// is then confined: each of its transactions covers one partition.
    Vitess(String),
}

/// The form in which statements of many tables are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextMode {
    /// As one query of several statements for each phase of a transaction that has enough of them,
    /// if the server takes it.
    Auto,
    /// As [`Self::Auto`], whatever the number of statements. The suite of the stores runs with it,
    /// so that every statement is sent as text too.
    Always,
    /// Each statement by itself.
    Off,
}

/// One pool of connections.
#[derive(Debug, Clone, Copy)]
pub struct PoolConfig {
    /// The highest number of open connections.
    pub connections: u32,
    /// The time that a caller waits for a free connection.
    pub acquire_timeout: Duration,
    /// The number of prepared statements that each connection keeps. A server of the MySQL family
    /// limits the sum over all connections (`max_prepared_stmt_count`, by default 16,382) and
    /// rejects statements beyond it.
    pub statements: usize,
}

impl PoolConfig {
    /// Returns a pool whose statements fit into the default limit of a server for two processes
    /// with the default number of connections.
    const fn new(connections: u32, acquire_timeout: Duration, statements: usize) -> Self {
        Self { connections, acquire_timeout, statements }
    }
}

impl StoreConfig {
    /// Returns the configuration of a SQLite file with one table of each kind, as development uses
    /// it; `None` = in a temporary folder, without durability.
    #[must_use]
    pub fn sqlite(folder: Option<PathBuf>) -> Self {
        let durable = folder.is_some();
        let wait = Duration::from_secs(5);
        Self {
            kind: DatabaseKind::Sqlite { folder, durable },
            layout: LayoutConfig::sqlite(),
            text: TextMode::Off,
            read: PoolConfig::new(4, wait, 512),
            write: PoolConfig::new(1, wait, 1_024),
            lock_wait: wait,
            transaction_limit: TRANSACTION_LIMIT,
        }
    }

    /// Returns the configuration of servers of the MySQL family at `urls`, with the subject tables
    /// distributed evenly over them.
    #[must_use]
    pub fn mysql(urls: &[String], tables: TableCounts) -> Self {
        let wait = Duration::from_secs(5);
        Self {
            kind: DatabaseKind::MySql(urls.to_vec()),
            layout: LayoutConfig::mysql(urls.len()).with_counts(tables),
            text: TextMode::Auto,
            read: PoolConfig::new(8, wait, 256),
            write: PoolConfig::new(8, wait, 512),
            lock_wait: wait,
            transaction_limit: TRANSACTION_LIMIT,
        }
    }

    /// Returns the configuration of the Vitess keyspace at `url`, with one table of each kind.
    #[must_use]
    pub fn vitess(url: String) -> Self {
        let tables = TableCounts { subject: 1, index: 1 };
        let mysql = Self::mysql(std::slice::from_ref(&url), tables);
        Self { kind: DatabaseKind::Vitess(url), layout: LayoutConfig::vitess(), text: TextMode::Off, ..mysql }
    }
}

impl DatabaseKind {
    /// Returns the addresses of the data sources, in order; none for a file.
    pub(crate) fn urls(&self) -> &[String] {
        match self {
            Self::Sqlite { .. } => &[],
            Self::MySql(urls) => urls,
            Self::Vitess(url) => std::slice::from_ref(url),
        }
    }
}

impl std::fmt::Debug for DatabaseKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sqlite { folder, durable } => {
                f.debug_struct("Sqlite").field("folder", folder).field("durable", durable).finish()
            }
            // An address contains the password.
            Self::MySql(sources) => f.debug_struct("MySql").field("sources", &sources.len()).finish_non_exhaustive(),
            Self::Vitess(_) => f.debug_struct("Vitess").finish_non_exhaustive(),
        }
    }
}
