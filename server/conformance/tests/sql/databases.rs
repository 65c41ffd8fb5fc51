//! Databases for one test, and a clock that the test sets.

#![expect(clippy::expect_used, reason = "a test ends with a panic that names what did not hold")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};

use riposte_core::Millis;
use riposte_core::ports::Clock;
use riposte_store::shard::TableCounts;
use riposte_store::{SqlStore, StoreConfig};
use sea_orm::{ConnectionTrait, Database};

/// A fixed start time in 2026.
pub(crate) const NOON: i64 = 1_790_000_000_000;

/// A clock that does not move until it is set.
#[derive(Debug)]
pub(crate) struct ManualClock(pub(crate) AtomicI64);

impl ManualClock {
    pub(crate) fn at_noon() -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(NOON)))
    }

    pub(crate) fn forward(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Millis {
        Millis(self.0.load(Ordering::Relaxed))
    }
}

/// The rows that the stores of a test share.
pub(crate) enum TestDatabase {
    /// SQLite in a folder that is removed with the test.
    Sqlite(tempfile::TempDir),
    /// A database on each of these servers of the MySQL family.
    Servers(Vec<String>, TableCounts),
}

impl TestDatabase {
    pub(crate) fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().expect("a temporary folder"))
    }

    /// Creates a fresh database on each of `count` servers. Returns `None`, with a message, if the
    /// environment does not name them.
    pub(crate) async fn servers(count: usize, tables: TableCounts) -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let mut urls = Vec::new();
        for variable in ["RIPOSTE_TEST_MYSQL_1", "RIPOSTE_TEST_MYSQL_2"].into_iter().take(count) {
            #[expect(clippy::disallowed_methods, reason = "the servers of a test run are named by the environment")]
            let Some(server) = std::env::var(variable).ok().filter(|url| !url.is_empty()) else {
                eprintln!("SKIPPED on MariaDB: {variable} names no server");
                return None;
            };
            let database = format!("store_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
            let connection = Box::pin(Database::connect(&server)).await.expect("the test server is up");
            connection.execute_unprepared(&format!("CREATE DATABASE {database}")).await.expect("a fresh database");
            connection.close().await.expect("closed");
            urls.push(format!("{server}/{database}"));
        }
        Some(Self::Servers(urls, tables))
    }

    pub(crate) fn config(&self) -> StoreConfig {
        match self {
            Self::Sqlite(folder) => StoreConfig::sqlite(Some(folder.path().to_owned())),
            Self::Servers(urls, tables) => StoreConfig::mysql(urls, *tables),
        }
    }

    /// Opens one more store on these rows.
    pub(crate) fn open(&self, clock: &Arc<ManualClock>) -> SqlStore {
        let clock: Arc<ManualClock> = Arc::clone(clock);
        SqlStore::open(&self.config(), clock).expect("the configuration is sound")
    }

    /// Opens one more store and migrates its tables.
    pub(crate) async fn migrated(&self, clock: &Arc<ManualClock>) -> SqlStore {
        let store = self.open(clock);
        riposte_migrations::up(&store, |_| ()).await.expect("migrated");
        store
    }

    /// Opens a store at the start time and migrates its tables.
    pub(crate) async fn fresh(&self) -> SqlStore {
        self.migrated(&ManualClock::at_noon()).await
    }

    /// Drops the databases.
    pub(crate) async fn drop(self) {
        let Self::Servers(urls, _) = self else { return };
        for url in urls {
            let (server, database) = url.rsplit_once('/').expect("server/database");
            let connection = Box::pin(Database::connect(server)).await.expect("the test server is up");
            connection.execute_unprepared(&format!("DROP DATABASE {database}")).await.expect("dropped");
        }
    }
}

/// Returns SQLite, and MariaDB with one table of each kind where the environment names a server.
pub(crate) async fn all_databases() -> Vec<TestDatabase> {
    let mut databases = vec![TestDatabase::sqlite()];
    databases.extend(TestDatabase::servers(1, TableCounts { subject: 1, index: 1 }).await);
    databases
}
