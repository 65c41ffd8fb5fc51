//! An open store: its ports, and its operations for operators.

use std::sync::Arc;
use std::time::{Duration, Instant};

use riposte_core::ids::IdTick;
use riposte_core::ports::{
    Clock, ConsumerPositions, CountRepair, EventRows, IdSource, MemberHistories, MemberStandings, ModerationSwitch,
    Outbox, RankIndexes, RankingSnapshots, Reader, Reports, Reviews,
};
use riposte_core::rank::RankingConfig;
use riposte_core::{CommitObserver, Millis, Result, Writer};
use sea_orm::{ConnectionTrait, DbErr, Statement};

use crate::config::StoreConfig;
use crate::schema::{self, SourceSchema};
use crate::sql::{
    DataSource, DataSources, ModerationGates, SqlCountRepair, SqlHistories, SqlIds, SqlOutbox, SqlRanks, SqlReader,
    SqlReports, SqlReviews, SqlStandings, SqlWriter, TextQueries, TransactionObserver, holders,
};

/// The tables of a deployment behind the domain's ports. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct SqlStore {
    sources: Arc<DataSources>,
    reader: Arc<SqlReader>,
    writer: Arc<SqlWriter>,
    ids: Arc<SqlIds>,
    gates: Arc<ModerationGates>,
    clock: Arc<dyn Clock>,
}

/// The state of one data source, as `riposte doctor` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diagnosis {
    /// The round trip of the smallest query, in microseconds.
    pub latency_micros: u64,
    /// The names and values of the variables on which correctness and durability depend, as the
    /// server returns them on a writing connection; `None` if the server does not know the name.
    pub variables: Vec<(&'static str, Option<String>)>,
    /// The number of tables in its database, for a server of the MySQL family.
    pub tables: Option<u64>,
    /// The queries of several statements that a server of the MySQL family takes.
    pub text_queries: Option<TextQueries>,
    /// The encryption of its connections, for a server of the MySQL family.
    pub transport: Option<SourceTransport>,
    /// The milliseconds by which its ids are ahead of the clock of this process; negative if they
    /// are behind. `None` if no id was generated yet, or the source has no tables.
    pub ids_ahead_ms: Option<i64>,
    /// The reason why the source could not be reached, if so.
    pub unreachable: Option<String>,
}

/// The encryption of the connections to a server of the MySQL family.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceTransport {
    /// The version of TLS and the cipher; `None` if the connections are plaintext.
    pub tls: Option<String>,
    /// True if the address is a socket file or a loopback address, so that nothing passes over a
    /// network.
    pub is_local: bool,
}

impl SqlStore {
    /// Opens a store, inside a tokio runtime. No server is contacted yet: [`SqlStore::schema`]
    /// reports a source that is unavailable or has an old schema.
    ///
    /// # Errors
    /// The configuration is invalid, or the folder of a SQLite file cannot be created.
    pub fn open(config: &StoreConfig, clock: Arc<dyn Clock>) -> Result<Self> {
        let sources = Arc::new(DataSources::open(config)?);
        let ids = Arc::new(SqlIds::new(Arc::clone(&sources), Arc::clone(&clock)));
        let gates = Arc::new(ModerationGates::new(Arc::clone(&sources), Arc::clone(&clock)));
        let writer = SqlWriter::new(Arc::clone(&sources), Arc::clone(&ids), Arc::clone(&gates), None);
        Ok(Self {
            reader: Arc::new(SqlReader::new(Arc::clone(&sources))),
            writer: Arc::new(writer),
            ids,
            gates,
            sources,
            clock,
        })
    }

    /// Sets the observer of this store's work. Later calls have no effect.
    pub fn observe(&self, observer: Arc<dyn TransactionObserver>) {
        self.sources.runner().observe(observer);
    }

    /// Returns the reader.
    #[must_use]
    pub fn reader(&self) -> Arc<dyn Reader> {
        Arc::clone(&self.reader) as Arc<dyn Reader>
    }

    /// Returns the rows that events name.
    #[must_use]
    pub fn event_rows(&self) -> Arc<dyn EventRows> {
        Arc::clone(&self.reader) as Arc<dyn EventRows>
    }

    /// Returns a writer without a commit observer.
    #[must_use]
    pub fn writer(&self) -> Arc<dyn Writer> {
        Arc::clone(&self.writer) as Arc<dyn Writer>
    }

    /// Returns a writer that notifies `observer` of each commit.
    #[must_use]
    pub fn observed_writer(&self, observer: Arc<dyn CommitObserver>) -> Arc<dyn Writer> {
        let (sources, ids, gates) = (Arc::clone(&self.sources), Arc::clone(&self.ids), Arc::clone(&self.gates));
        Arc::new(SqlWriter::new(sources, ids, gates, Some(observer)))
    }

    /// Returns the id generator.
    #[must_use]
    pub fn ids(&self) -> Arc<dyn IdSource> {
        Arc::clone(&self.ids) as Arc<dyn IdSource>
    }

    /// Returns the outbox, which holds the events of the commits.
    #[must_use]
    pub fn outbox(&self) -> Arc<dyn Outbox> {
        Arc::new(SqlOutbox::new(Arc::clone(&self.sources)))
    }

    /// Returns the positions of the event consumers.
    #[must_use]
    pub fn positions(&self) -> Arc<dyn ConsumerPositions> {
        Arc::new(SqlOutbox::new(Arc::clone(&self.sources)))
    }

    /// Returns the member histories.
    #[must_use]
    pub fn histories(&self) -> Arc<dyn MemberHistories> {
        Arc::new(SqlHistories::new(Arc::clone(&self.sources), Arc::clone(&self.reader)))
    }

    /// Returns the ranked orders under `rules`: the rank indexes, and the rankings computed from
    /// them.
    #[must_use]
    pub fn ranks(&self, rules: RankingConfig) -> (Arc<dyn RankIndexes>, Arc<dyn RankingSnapshots>) {
        let ranks = Arc::new(SqlRanks::new(Arc::clone(&self.sources), Arc::clone(&self.reader), rules));
        (Arc::clone(&ranks) as _, ranks)
    }

    /// Returns the repair of counts.
    #[must_use]
    pub fn repairer(&self) -> Arc<dyn CountRepair> {
        Arc::new(SqlCountRepair::new(Arc::clone(&self.sources), Arc::clone(&self.reader), Arc::clone(&self.ids)))
    }

    /// Returns the queue of open reviews.
    #[must_use]
    pub fn reviews(&self) -> Arc<dyn Reviews> {
        Arc::new(SqlReviews::new(Arc::clone(&self.sources)))
    }

    /// Returns the reports of members.
    #[must_use]
    pub fn reports(&self) -> Arc<dyn Reports> {
        Arc::new(SqlReports::new(Arc::clone(&self.sources), Arc::clone(&self.gates), Arc::clone(&self.ids)))
    }

    /// Returns the standings of members.
    #[must_use]
    pub fn standings(&self) -> Arc<dyn MemberStandings> {
        Arc::new(SqlStandings::new(Arc::clone(&self.sources)))
    }

    /// Returns the switch of moderation.
    #[must_use]
    pub fn moderation_switch(&self) -> Arc<dyn ModerationSwitch> {
        Arc::clone(&self.gates) as Arc<dyn ModerationSwitch>
    }

    /// Returns the clock that the store was opened with.
    #[must_use]
    pub fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// Returns the data sources, for the migrations.
    #[must_use]
    pub fn sources(&self) -> &Arc<DataSources> {
        &self.sources
    }

    /// Returns the schema state of every data source, in order. The parts of the layout that the
    /// configuration leaves open follow the database from the first call on that finds a source
    /// with tables, so this call comes before any that reads or writes rows.
    pub async fn schema(&self) -> Vec<SourceSchema> {
        let read = |number| {
            let sources = Arc::clone(&self.sources);
            let runner = sources.runner().clone();
            runner.spawn(async move { schema::read(&sources, number).await })
        };
        let applied_steps = futures::future::join_all((0..self.sources.all().len()).map(read)).await;
        let applied_steps = applied_steps
            .into_iter()
            .map(|steps| steps.unwrap_or_else(|error| Err(SourceSchema::Unreachable(error.to_string()))));
        schema::check(&self.sources, applied_steps.collect())
    }

    /// Returns the number of processes that generated ids in the last seconds: the greatest number
    /// of any data source. A source that cannot be read counts as 0.
    pub async fn processes(&self, now: Millis) -> usize {
        let holders = (0..self.sources.all().len()).map(|source| holders(&self.sources, source, now));
        let holders = futures::future::join_all(holders).await;
        holders.into_iter().map(Result::unwrap_or_default).max().unwrap_or_default()
    }

    /// Returns the diagnosis of every data source, in order.
    pub async fn diagnose(&self) -> Vec<Diagnosis> {
        let now = self.clock.now();
        futures::future::join_all(self.sources.all().iter().map(|source| diagnose(source, now))).await
    }

    /// Returns the encryption of the connections to each data source, in order; `None` for SQLite,
    /// and for a source that cannot be asked.
    pub async fn transports(&self) -> Vec<Option<SourceTransport>> {
        futures::future::join_all(self.sources.all().iter().map(transport)).await
    }

    /// Waits for running work, releases the worker numbers and closes every connection.
    pub async fn close(&self) {
        self.ids.close().await;
        self.sources.close().await;
    }
}

/// The variables of a server of the MySQL family; of each line, one name exists on a server.
const MYSQL_VARIABLES: [(&str, &[&str]); 12] = [
    ("version", &["version"]),
    ("innodb_flush_log_at_trx_commit", &["innodb_flush_log_at_trx_commit"]),
    ("sync_binlog", &["sync_binlog"]),
    ("log_bin", &["log_bin"]),
    ("isolation", &["transaction_isolation", "tx_isolation"]),
    ("innodb_lock_wait_timeout", &["innodb_lock_wait_timeout"]),
    ("sql_mode", &["sql_mode"]),
    ("max_prepared_stmt_count", &["max_prepared_stmt_count"]),
    ("table_definition_cache", &["table_definition_cache"]),
    ("table_open_cache", &["table_open_cache"]),
    ("innodb_open_files", &["innodb_open_files"]),
    ("open_files_limit", &["open_files_limit"]),
];
const MYSQL_TABLES: &str =
    "SELECT CAST(COUNT(*) AS CHAR) FROM information_schema.tables WHERE table_schema = DATABASE()";
const SQLITE_VARIABLES: [(&str, &[&str]); 3] = [
    ("version", &["SELECT sqlite_version()"]),
    ("journal_mode", &["PRAGMA journal_mode"]),
    ("synchronous", &["PRAGMA synchronous"]),
];

/// The highest tick for which a worker may have generated ids.
const LAST_TICK: &str = "SELECT MAX(minted_until) FROM worker_lease";
/// The encryption of a connection.
const TLS_STATUS: &str = "SHOW SESSION STATUS WHERE Variable_name IN ('Ssl_version', 'Ssl_cipher')";

async fn transport(source: &DataSource) -> Option<SourceTransport> {
    let is_local = source.is_local()?;
    let pool = source.write_pool();
    let statement = Statement::from_string(pool.get_database_backend(), TLS_STATUS);
    let rows = pool.query_all_raw(statement).await.ok()?;
    let mut status: Vec<(String, String)> = rows
        .iter()
        .filter_map(|row| Some((row.try_get_by_index::<String>(0).ok()?, row.try_get_by_index::<String>(1).ok()?)))
        .filter(|(_, value)| !value.is_empty())
        .collect();
    // The version comes first.
    status.sort_by(|(a, _), (b, _)| b.cmp(a));
    let values: Vec<String> = status.into_iter().map(|(_, value)| value).collect();
    Some(SourceTransport { tls: (!values.is_empty()).then(|| values.join(", ")), is_local })
}

async fn diagnose(source: &DataSource, now: Millis) -> Diagnosis {
    let mut diagnosis = Diagnosis::default();
    let mysql = source.write_pool().get_database_backend() == sea_orm::DbBackend::MySql;
    let variables: &[(&'static str, &[&str])] = if mysql { &MYSQL_VARIABLES } else { &SQLITE_VARIABLES };
    if let Err(error) = query(source, "SELECT 1").await {
        diagnosis.unreachable = Some(source.explain(&error).await);
        return diagnosis;
    }
    let mut latency = Duration::MAX;
    // A query that opens a connection takes the time of its handshake too.
    for _ in 0..3 {
        let begin = Instant::now();
        let _ = query(source, "SELECT 1").await;
        latency = latency.min(begin.elapsed());
    }
    diagnosis.latency_micros = u64::try_from(latency.as_micros()).unwrap_or(u64::MAX);
    for (name, spellings) in variables {
        let mut value = None;
        for spelling in *spellings {
            let sql = if mysql { format!("SELECT CAST(@@{spelling} AS CHAR)") } else { (*spelling).to_owned() };
            value = value.or(query(source, &sql).await.ok().flatten());
        }
        diagnosis.variables.push((name, value));
    }
    if mysql {
        let counted = query(source, MYSQL_TABLES).await.ok().flatten();
        diagnosis.tables = counted.and_then(|count| count.parse().ok());
        diagnosis.text_queries = source.text_queries().await;
    }
    diagnosis.transport = transport(source).await;
    let last_tick = query(source, LAST_TICK).await.ok().flatten().and_then(|tick| tick.parse::<i64>().ok());
    let ahead_ms = |tick: i64| tick.saturating_sub(IdTick::at(now).0).saturating_mul(IdTick::MILLIS);
    diagnosis.ids_ahead_ms = last_tick.filter(|tick| *tick > 0).map(ahead_ms);
    diagnosis
}

async fn query(source: &DataSource, sql: &str) -> std::result::Result<Option<String>, DbErr> {
    let pool = source.write_pool();
    let row = pool.query_one_raw(Statement::from_string(pool.get_database_backend(), sql)).await?;
    let Some(row) = row else { return Ok(None) };
    // SQLite returns a number or a word for a pragma.
    Ok(row.try_get_by_index::<String>(0).ok().or_else(|| row.try_get_by_index::<i64>(0).ok().map(|n| n.to_string())))
}
