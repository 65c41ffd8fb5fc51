//! What it takes to open a store, as plain data that somebody else has checked.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use crate::shard::TableCounts;

/// What a transaction that writes may take where nothing else is said.
const LIMIT: Duration = Duration::from_secs(20);

/// Where comments are kept, and how the work is spread.
#[derive(Debug, Clone)]
pub struct StoreConfig {
    /// The kind of database.
    pub kind: DatabaseKind,
    /// How many tables the rows are spread over; fixed for ever by the first migration.
    pub tables: TableCounts,
    /// Connections that read, to each data source.
    pub read: PoolConfig,
    /// Connections that write, to each data source.
    pub write: PoolConfig,
    /// How long a transaction waits for a row that another one holds; whole seconds.
    pub lock_wait: Duration,
    /// How long a transaction that writes may take, and how long its COMMIT: a server that stays silent for longer is given up.
    pub transaction_limit: Duration,
}

/// The kind of database.
#[derive(Clone)]
pub enum DatabaseKind {
    /// One file, one process.
    Sqlite {
        /// The folder of the file; `None` = a private temporary one that goes with the store.
        folder: Option<PathBuf>,
        /// Whether a commit waits for the disk.
        durable: bool,
    },
    /// Servers of the MySQL family.
    MySql(Vec<SourceConfig>),
}

/// One data source.
#[derive(Clone)]
pub struct SourceConfig {
    /// `mysql://user:password@host:port/database`.
    pub url: String,
    /// The subject tables it holds, first and last.
    pub subject_tables: RangeInclusive<u16>,
}

/// One pool of connections.
#[derive(Debug, Clone, Copy)]
pub struct PoolConfig {
    /// The most connections that are open at once.
    pub connections: u32,
    /// How long to wait for a free one.
    pub acquire_timeout: Duration,
    /// Prepared statements that each connection keeps. A server of the MySQL family has a limit for all of them together
    /// (`max_prepared_stmt_count`, by default 16,382), beyond which it refuses.
    pub statements: usize,
}

impl PoolConfig {
    /// What fits into the default limit of a server for two processes with the default connections.
    const fn sized(connections: u32, acquire_timeout: Duration, statements: usize) -> Self {
        Self { connections, acquire_timeout, statements }
    }
}

impl StoreConfig {
    /// SQLite with one table of each kind, as development uses it; `None` = in a temporary folder, without durability.
    #[must_use]
    pub fn sqlite(folder: Option<PathBuf>) -> Self {
        let durable = folder.is_some();
        let wait = Duration::from_secs(5);
        Self {
            kind: DatabaseKind::Sqlite { folder, durable },
            tables: TableCounts { subject: 1, index: 1 },
            read: PoolConfig::sized(4, wait, 512),
            write: PoolConfig::sized(1, wait, 1_024),
            lock_wait: wait,
            transaction_limit: LIMIT,
        }
    }

    /// Servers of the MySQL family at `urls`, the subject tables dealt evenly over them.
    #[must_use]
    pub fn mysql(urls: &[String], tables: TableCounts) -> Self {
        let wait = Duration::from_secs(5);
        let count = u16::try_from(urls.len()).unwrap_or(u16::MAX).max(1);
        let first = |n: u16| (u32::from(tables.subject) * u32::from(n) / u32::from(count)) as u16;
        let source = |(n, url): (u16, &String)| SourceConfig {
            url: url.clone(),
            subject_tables: first(n)..=first(n + 1).saturating_sub(1),
        };
        Self {
            kind: DatabaseKind::MySql((0..count).zip(urls).map(source).collect()),
            tables,
            read: PoolConfig::sized(8, wait, 256),
            write: PoolConfig::sized(8, wait, 512),
            lock_wait: wait,
            transaction_limit: LIMIT,
        }
    }
}

impl std::fmt::Debug for DatabaseKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Sqlite { folder, durable } => {
                f.debug_struct("Sqlite").field("folder", folder).field("durable", durable).finish()
            }
            Self::MySql(sources) => f.debug_tuple("MySql").field(sources).finish(),
        }
    }
}

impl std::fmt::Debug for SourceConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The address carries the password.
        f.debug_struct("SourceConfig").field("subject_tables", &self.subject_tables).finish_non_exhaustive()
    }
}
