//! The data sources and their connections.

mod breaker;
mod explain;
mod mysql;
mod mysql_tx;
mod source_tx;
mod sqlite;

pub(in crate::sql) use mysql::TextSupport;
pub use mysql::{TextQueries, is_address};
pub(in crate::sql) use mysql_tx::{MysqlTx, TextResult};
pub(crate) use source_tx::SourceTx;
pub use sqlite::FILE_NAME as SQLITE_FILE;

use std::sync::Arc;
use std::time::{Duration, Instant};

use riposte_core::ports::Epoch;
use riposte_core::{Error, Partition, Result};
use sea_orm::sea_query::SelectStatement;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, QueryResult, SqliteTransactionMode,
    Statement, TransactionOptions, TransactionTrait,
};
use tempfile::TempDir;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;
use tracing::Instrument;

use crate::config::{DatabaseKind, StoreConfig};
use crate::error::{StoreError, is_conflict, is_lost};
use crate::layout::LayoutMap;
use crate::on_shard::OnShard;
use crate::shard::{ShardMap, TableSlot};
use crate::sql::subject_id_cache::SubjectIdCache;
use crate::sql::transaction_runner::TransactionRunner;
use source_tx::SourceConnection;

/// A transaction bound to the tables of one partition.
pub(crate) type Tx = OnShard<DatabaseTransaction>;

/// One data source: two pools, one for each isolation level.
#[derive(Debug)]
pub struct DataSource {
    read: DatabaseConnection,
    write: DatabaseConnection,
    /// `None` for a SQLite file, which is never unavailable and has no password.
    server: Option<mysql::MysqlServer>,
}

/// The state of a connection pool at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolState {
    /// `read` or `write`.
    pub name: &'static str,
    /// The number of connections in use.
    pub used: u64,
    /// The number of idle connections.
    pub idle: u64,
    /// The highest number of connections.
    pub max: u64,
}

impl PoolState {
    fn of(name: &'static str, pool: &DatabaseConnection) -> Self {
        let (open, idle, max) = if pool.get_database_backend() == DbBackend::Sqlite {
            let pool = pool.get_sqlite_connection_pool();
            (pool.size(), pool.num_idle(), pool.options().get_max_connections())
        } else {
            let pool = pool.get_mysql_connection_pool();
            (pool.size(), pool.num_idle(), pool.options().get_max_connections())
        };
        let idle = idle as u64;
        Self { name, used: u64::from(open).saturating_sub(idle), idle, max: max.into() }
    }
}

/// All data sources of a deployment, and the shard map.
#[derive(Debug)]
pub struct DataSources {
    all: Vec<DataSource>,
    layout: LayoutMap,
    folder: Option<TempDir>,
    subject_ids: SubjectIdCache,
    transaction_limit: Duration,
    /// Runs all work on the connections in the runtime that opened them.
    runner: TransactionRunner,
    /// The limit of reads in progress on each source, including those that wait for a connection.
    read_limits: Vec<Arc<Semaphore>>,
    /// For each source of a confined store, the epoch in which this process has claimed the waiting
    /// commits; empty for other stores.
    claims: Vec<EpochClaim>,
}

/// The epoch in which this process claimed the waiting commits of a source, locked while it numbers
/// them: a run of numbering is several transactions.
pub(crate) type EpochClaim = Mutex<Option<Epoch>>;

impl DataSource {
    /// Begins a transaction whose reads see one state, that of its first SELECT. It is rolled back
    /// if the caller no longer waits for it.
    ///
    /// It begins in a task of its own, in this runtime: a BEGIN that was dropped while pending
    /// would leave its snapshot open on a connection that the driver considers idle, and this pool
    /// sends no ROLLBACK when a connection is released.
    ///
    /// # Errors
    /// No connection was available.
    pub async fn begin_read(&self) -> std::result::Result<DatabaseTransaction, DbErr> {
        let pool = self.read.clone();
        let (sender, begun) = oneshot::channel();
        let begin = async move {
            let tx = on_live_connection(|| pool.begin(), || !sender.is_closed()).await;
            // A transaction that the caller no longer waits for is dropped, and so rolled back.
            drop(sender.send(tx));
        };
        tokio::spawn(begin.in_current_span());
        begun.await.unwrap_or_else(|_| Err(DbErr::Custom("the runtime ended".to_owned())))
    }

    /// Begins a writing transaction; its first statement takes the lock.
    ///
    /// # Errors
    /// No connection was available; on SQLite, another process held the file for too long.
    pub async fn begin_write(&self) -> std::result::Result<DatabaseTransaction, DbErr> {
        let sqlite_transaction_mode = Some(SqliteTransactionMode::Immediate);
        let options = || TransactionOptions { sqlite_transaction_mode, ..Default::default() };
        on_live_connection(|| self.write.begin_with_options(options()), || true).await
    }

    /// Returns whether the connections stay on this machine; `None` for a file.
    pub(crate) fn is_local(&self) -> Option<bool> {
        self.server.as_ref().map(|_| mysql::is_local(self))
    }

    /// Sets whether the source is reported as unavailable because its schema is unknown. A file is
    /// always available.
    pub fn set_schema_unknown(&self, unknown: bool) {
        self.server.iter().for_each(|server| server.breaker.set_schema_unknown(unknown));
    }

    /// Uses this address for new connections from now on. It may differ from the previous one in
    /// user, password and options; a file has no address. Open connections stay in use, for half an
    /// hour at most.
    ///
    /// # Errors
    /// A description of the fault, without the address itself, if the address is invalid or the
    /// server denies access with it; then nothing has changed. A server that does not respond is
    /// not an error.
    pub async fn exchange(&self, url: &str) -> std::result::Result<(), &'static str> {
        match &self.server {
            Some(server) => mysql::exchange(self, server, url).await,
            None => Ok(()),
        }
    }

    /// Returns the queries of several statements that the server takes; `None` for a file, and if
    /// the server cannot be reached.
    pub(crate) async fn text_queries(&self) -> Option<TextQueries> {
        self.server.as_ref()?;
        mysql::text_queries(self.write.get_mysql_connection_pool()).await
    }

    /// Returns the state of both pools, the read pool first.
    #[must_use]
    pub fn pools(&self) -> [PoolState; 2] {
        [PoolState::of("read", &self.read), PoolState::of("write", &self.write)]
    }

    /// Returns the highest number of connections of the write pool.
    pub(crate) fn write_connections(&self) -> usize {
        usize::try_from(PoolState::of("write", &self.write).max).unwrap_or(usize::MAX)
    }

    /// Runs a statement that only reads without a transaction: it sees one state by itself.
    ///
    /// # Errors
    /// The error of the database.
    pub(crate) async fn query_alone(&self, statement: &Statement) -> std::result::Result<Vec<QueryResult>, DbErr> {
        on_live_connection(|| self.read.query_all_raw(statement.clone()), || true).await
    }

    /// Returns the write pool, for statements that do not run in a transaction: CREATE TABLE.
    #[must_use]
    pub fn write_pool(&self) -> &DatabaseConnection {
        &self.write
    }
}

/// The highest number of dead connections that one call discards.
const DEAD_CONNECTIONS_MAX: u32 = 64;
/// The time that two processes may block each other while both open a new SQLite file: the switch
/// to WAL does not wait for the lock as statements do.
const SQLITE_OPEN_TIMEOUT: Duration = Duration::from_secs(2);
const SQLITE_OPEN_RETRY_PAUSE: Duration = Duration::from_millis(10);

/// Runs the first statement of some work on a live connection. A server that restarted, or a proxy
/// that closed idle connections, leaves dead connections in the pool. A statement on a dead
/// connection has no effect, and the pool drops that connection, so the next one is tried as long
/// as the caller waits.
async fn on_live_connection<F, T>(begin: impl Fn() -> F, is_awaited: impl Fn() -> bool) -> std::result::Result<T, DbErr>
where
    F: Future<Output = std::result::Result<T, DbErr>>,
{
    let (start, mut dead) = (Instant::now(), 0);
    loop {
        match begin().await {
            Err(error) if is_lost(&error) && dead < DEAD_CONNECTIONS_MAX && is_awaited() => {
                tracing::debug!(%error, "a broken connection was dropped");
                dead += 1;
            }
            Err(error) if is_conflict(&error) && start.elapsed() < SQLITE_OPEN_TIMEOUT && is_awaited() => {
                tokio::time::sleep(SQLITE_OPEN_RETRY_PAUSE).await
            }
            begun => return begun,
        }
    }
}

/// The number of reads in progress for each connection, so that a connection that becomes free
/// finds work at once.
const READS_PER_CONNECTION: usize = 16;

fn read_limits(sources: &[DataSource]) -> Vec<Arc<Semaphore>> {
    let connections = sources.iter().map(|source| usize::try_from(source.pools()[0].max).unwrap_or(1));
    connections.map(|connections| Arc::new(Semaphore::new(READS_PER_CONNECTION * connections))).collect()
}

impl DataSources {
    /// Prepares the pools, inside a tokio runtime. Connections are opened when they are needed, so
    /// that an unavailable source does not prevent the others from being served.
    ///
    /// # Errors
    /// The addresses or the shard map are invalid, or the folder of the file cannot be created.
    pub fn open(config: &StoreConfig) -> Result<Self> {
        let (subject_ids, transaction_limit) = (SubjectIdCache::new(), config.transaction_limit);
        let layout = LayoutMap::new(config.layout.clone())?;
        let runner = |system, sources| TransactionRunner::new(Handle::current(), system, sources);
        match &config.kind {
            DatabaseKind::Sqlite { folder, durable } => {
                let temporary =
                    if folder.is_none() { Some(tempfile::tempdir().map_err(Error::internal)?) } else { None };
                let path = folder.as_deref().or(temporary.as_ref().map(TempDir::path));
                let source = sqlite::open(path.unwrap_or(std::path::Path::new(".")), *durable, config)?;
                let (all, runner) = (vec![source], runner("sqlite", 1));
                let read_limits = read_limits(&all);
                let claims = Vec::new();
                Ok(Self { all, layout, folder: temporary, subject_ids, transaction_limit, runner, read_limits, claims })
            }
            DatabaseKind::MySql(_) | DatabaseKind::Vitess(_) => {
                let all = config.kind.urls().iter().map(|url| mysql::open(url, config)).collect::<Result<Vec<_>>>()?;
                let read_limits = read_limits(&all);
                let runner = runner("mysql", all.len());
                let is_confined = matches!(config.kind, DatabaseKind::Vitess(_));
                let claims = if is_confined { all.iter().map(|_| EpochClaim::default()).collect() } else { Vec::new() };
                Ok(Self { all, layout, folder: None, subject_ids, transaction_limit, runner, read_limits, claims })
            }
        }
    }

    /// Returns a permit for a read of a source, counted from 0; the read holds it until it ends.
    pub(crate) async fn read_permit(&self, source: usize) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed, so this always succeeds.
        let permit = Arc::clone(&self.read_limits[source]).acquire_owned();
        self.runner.timed_begin((source, "read_limit"), permit).await.ok()
    }

    /// Returns the runner of all work on the connections.
    pub(crate) fn runner(&self) -> &TransactionRunner {
        &self.runner
    }

    /// Returns the cache of subject ids.
    pub(crate) fn subject_id_cache(&self) -> &SubjectIdCache {
        &self.subject_ids
    }

    /// Returns the shard map: that of a new database, until [`SqlStore::schema`] has found a source
    /// with tables. No rows are read or written before.
    ///
    /// [`SqlStore::schema`]: crate::SqlStore::schema
    #[must_use]
    pub fn map(&self) -> &ShardMap {
        self.layout.map()
    }

    /// Returns the layout, for the check of the sources.
    pub(crate) fn layout(&self) -> &LayoutMap {
        &self.layout
    }

    /// Returns true if each transaction of the store is confined to one partition, because the
    /// database may have distributed the partitions over servers. A statement that only reads may
    /// cover several partitions outside of transactions.
    pub(crate) fn is_confined(&self) -> bool {
        !self.claims.is_empty()
    }

    /// Returns the claim of this process on the waiting commits of a source of a confined store.
    pub(crate) fn claim(&self, source: usize) -> &EpochClaim {
        &self.claims[source]
    }

    /// Returns every data source, in order.
    #[must_use]
    pub fn all(&self) -> &[DataSource] {
        &self.all
    }

    /// Returns the data source of a partition.
    #[must_use]
    pub fn of(&self, partition: Partition) -> &DataSource {
        &self.all[self.map().source(partition)]
    }

    /// Returns the slot of a partition.
    #[must_use]
    pub fn slot(&self, partition: Partition) -> TableSlot {
        self.map().slot(partition)
    }

    /// Begins a snapshot of the data source of a partition, bound to its tables. Its first SELECT
    /// should be the subject's row.
    pub(crate) async fn snapshot(&self, partition: Partition) -> std::result::Result<Tx, StoreError> {
        let tx = self.begin_snapshot(self.map().source(partition)).await?;
        Ok(OnShard::new(tx, self.slot(partition)))
    }

    /// Returns the rows of one SELECT in the tables of a partition, without a transaction: a single
    /// statement sees one state by itself.
    pub(crate) async fn select(
        &self,
        partition: Partition,
        select: &SelectStatement,
    ) -> std::result::Result<Vec<QueryResult>, StoreError> {
        self.select_statement(partition, self.backend(partition).build(select)).await
    }

    /// As [`DataSources::select`], for a statement that is written as text.
    pub(crate) async fn select_statement(
        &self,
        partition: Partition,
        mut statement: Statement,
    ) -> std::result::Result<Vec<QueryResult>, StoreError> {
        statement.sql = self.slot(partition).bind(statement.sql);
        self.read_alone(self.map().source(partition), statement).await
    }

    /// Returns the kind of the database that holds a partition.
    pub(crate) fn backend(&self, partition: Partition) -> DbBackend {
        self.of(partition).read.get_database_backend()
    }

    /// Returns the rows of one SELECT in the tables that exist once in each data source, without a
    /// transaction.
    pub(crate) async fn select_unrouted(
        &self,
        source: usize,
        select: &SelectStatement,
    ) -> std::result::Result<Vec<QueryResult>, StoreError> {
        let statement = self.all[source].read.get_database_backend().build(select);
        self.read_alone(source, statement).await
    }

    /// Returns the rows of one SELECT whose tables are named, without a transaction.
    pub(in crate::sql) async fn read_alone(
        &self,
        source: usize,
        statement: Statement,
    ) -> std::result::Result<Vec<QueryResult>, StoreError> {
        self.call_guarded(source, async { Ok(self.all[source].query_alone(&statement).await?) }).await
    }

    /// Runs one locking read in the tables of a partition without a transaction, so that its locks
    /// end with it.
    pub(crate) async fn lock_for_an_instant(
        &self,
        partition: Partition,
        select: &SelectStatement,
    ) -> std::result::Result<(), StoreError> {
        let db = OnShard::new(self.of(partition).write.clone(), self.slot(partition));
        let statement = db.get_database_backend().build(select);
        let source = self.map().source(partition);
        let read = on_live_connection(|| db.query_all_raw(statement.clone()), || true);
        let read = timeout(self.transaction_limit, self.call_guarded(source, async { Ok(read.await?) }));
        read.await.map_err(|_| StoreError::NoResponse)?.map(drop)
    }

    /// Begins a snapshot of a data source, for all of its tables.
    pub(crate) async fn begin_read(self: &Arc<Self>, source: usize) -> std::result::Result<SourceTx, StoreError> {
        Ok(self.source_tx(source, SourceConnection::Begun(self.begin_snapshot(source).await?), false))
    }

    /// As [`Self::begin_read`], for reads of several partitions. On a confined store each statement
    /// runs by itself, and sees its own state.
    pub(crate) async fn begin_wide_read(self: &Arc<Self>, source: usize) -> std::result::Result<SourceTx, StoreError> {
        if !self.is_confined() {
            return self.begin_read(source).await;
        }
        let pool = self.call_guarded(source, async { Ok(SourceConnection::Pool) }).await?;
        Ok(self.source_tx(source, pool, false))
    }

    /// Takes a connection for a snapshot that begins with its first phase. The snapshot must end
    /// with COMMIT or ROLLBACK, or its connection is closed.
    pub(crate) async fn open_read(self: &Arc<Self>, source: usize) -> std::result::Result<SourceTx, StoreError> {
        let pool = self.all[source].read.get_mysql_connection_pool().clone();
        let acquire = async { Ok(MysqlTx::acquire(pool, false).await?) };
        let tx = self.runner.timed_begin((source, "read"), self.call_guarded(source, acquire)).await?;
        Ok(self.source_tx(source, SourceConnection::Mysql(tx), false))
    }

    fn source_tx(self: &Arc<Self>, source: usize, connection: SourceConnection, past_breaker: bool) -> SourceTx {
        SourceTx { connection, sources: Arc::clone(self), source, past_breaker }
    }

    async fn begin_snapshot(&self, source: usize) -> std::result::Result<DatabaseTransaction, StoreError> {
        let begin = async { Ok(self.all[source].begin_read().await?) };
        self.runner.timed_begin((source, "read"), self.call_guarded(source, begin)).await
    }

    /// Begins a writing transaction on a data source. `unknown` says that an earlier one may have
    /// been committed. The source is then called even if the circuit breaker is open, because only
    /// a retry resolves the outcome.
    pub(crate) async fn begin_write(
        self: &Arc<Self>,
        source: usize,
        unknown: bool,
    ) -> std::result::Result<SourceTx, StoreError> {
        let tx = self.open_write(source, unknown).await?;
        let begun =
            async { Ok(timeout(self.transaction_limit, tx.begin()).await.map_err(|_| StoreError::NoResponse)??) };
        tx.guarded(begun).await?;
        Ok(tx)
    }

    /// As [`Self::begin_write`], but the transaction begins with its first phase or statement.
    pub(crate) async fn open_write(
        self: &Arc<Self>,
        source: usize,
        unknown: bool,
    ) -> std::result::Result<SourceTx, StoreError> {
        let open = async {
            let open = async {
                Ok(match &self.all[source].server {
                    None => SourceConnection::Begun(self.all[source].begin_write().await?),
                    Some(_) => {
                        let pool = self.all[source].write.get_mysql_connection_pool().clone();
                        SourceConnection::Mysql(MysqlTx::acquire(pool, true).await?)
                    }
                })
            };
            timeout(self.transaction_limit, open).await.map_err(|_| StoreError::NoResponse)?
        };
        let guarded = async { if unknown { open.await } else { self.call_guarded(source, open).await } };
        Ok(self.source_tx(source, self.runner.timed_begin((source, "write"), guarded).await?, unknown))
    }

    /// Returns the text queries that a data source takes; `None` if it takes none.
    pub(in crate::sql) fn text_support(&self, source: usize) -> Option<&TextSupport> {
        self.all[source].server.as_ref().map(mysql::MysqlServer::text).filter(|text| text.takes_text())
    }

    /// Calls a data source, unless its circuit breaker is open.
    async fn call_guarded<T>(
        &self,
        source: usize,
        call: impl Future<Output = std::result::Result<T, StoreError>>,
    ) -> std::result::Result<T, StoreError> {
        match &self.all[source].server {
            Some(server) => server.breaker.call(source, call).await,
            None => call.await,
        }
    }

    /// Closes every connection after the work on it has ended, and removes a temporary folder. It
    /// waits for a server that does not respond for at most the transaction limit.
    pub async fn close(&self) {
        for source in &self.all {
            for pool in [&source.read, &source.write] {
                match timeout(self.transaction_limit, pool.close_by_ref()).await {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => tracing::debug!(%error, "a pool could not be closed"),
                    Err(_) => tracing::warn!("a data source did not respond while its connections were closed"),
                }
            }
        }
        if let Some(folder) = &self.folder
            && let Err(error) = std::fs::remove_dir_all(folder.path())
        {
            tracing::debug!(%error, "the temporary folder could not be removed");
        }
    }
}
