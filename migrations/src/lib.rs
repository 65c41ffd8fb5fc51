//! The schema of Riposte, step by step, in every shard of every data source. The steps are data
//! (migrations/steps), from which `cargo xtask gen` generates their code and the store's entities.
//! A run may stop at any point, and the next run continues there. Two runs may start at once; one
//! of them waits for the other. A step never changes after its release.
//!
//! This crate must never be called by `serve` for MySQL or MariaDB: on an old schema, `serve` stays
//! not ready until an operator has migrated it. The file of an embedded store is migrated at the
//! start, because no other process could do it.

mod alter;
mod apply;
mod cost;
mod error;
#[rustfmt::skip]
mod generated;
mod lock;
mod step;
mod steps;
mod table;

use riposte_store::schema::{Layout, SourceSchema, compare};
use riposte_store::{DataSource, DataSources, OnShard, SqlStore, operator_text};
use sea_orm_migration::prelude::{ConnectionTrait, DbErr};
use sea_orm_migration::sea_orm::{DatabaseTransaction, DbBackend, Statement};
use tokio::sync::mpsc;

pub use cost::StatementCost;
pub use error::{Error, Result};
use step::TableChange;

/// The progress of a run in one data source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrationProgress {
    /// The number of the source.
    pub source: usize,
    /// The number of tables that are done.
    pub done: usize,
    /// The number of tables of this run in this source.
    pub total: usize,
    /// The table that was created or changed last.
    pub table: String,
}

/// One statement that `up` would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedStatement {
    /// The number of the source.
    pub source: usize,
    /// The name of its step.
    pub step: &'static str,
    /// The statement.
    pub sql: String,
    /// Its cost on this source's server.
    pub cost: StatementCost,
}

/// Migrates every data source to the schema of this version, all sources at the same time.
///
/// # Errors
/// A source cannot be reached, or its tables were created for another layout; in the second case
/// nothing is changed in any source.
pub async fn up(store: &SqlStore, mut progress: impl FnMut(MigrationProgress)) -> Result<()> {
    follow_layout(store).await;
    // All sources are checked before the first is changed: a configuration error must not create
    // tables in any of them.
    for source in 0..store.sources().all().len() {
        missing(store.sources(), source).await?;
    }
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let runs: Vec<_> = (0..store.sources().all().len())
        .map(|source| tokio::spawn(apply::up(store.clone(), source, sender.clone())))
        .collect();
    drop(sender);
    while let Some(report) = receiver.recv().await {
        progress(report);
    }
    for (source, run) in runs.into_iter().enumerate() {
        run.await.map_err(|panicked| Error::Failed { source, text: panicked.to_string() })??;
    }
    Ok(())
}

/// Returns the schema state of every data source, in order.
pub async fn status(store: &SqlStore) -> Vec<SourceSchema> {
    store.schema().await
}

/// Returns the statements that [`up`] would run now, source by source and in order.
///
/// # Errors
/// As [`up`].
pub async fn plan(store: &SqlStore) -> Result<Vec<PlannedStatement>> {
    follow_layout(store).await;
    let mut planned = Vec::new();
    for (source_index, source) in store.sources().all().iter().enumerate() {
        let steps = missing(store.sources(), source_index).await?;
        let statements = planned_on(store.sources(), source_index, source, steps).await;
        planned
            .extend(statements.map_err(|error| Error::Failed { source: source_index, text: operator_text(&error) })?);
    }
    Ok(planned)
}

/// Returns the number of tables of a data source that has the schema of this version.
pub fn table_count(sources: &DataSources, source: usize) -> usize {
    steps::ALL.iter().map(|step| step.added_tables(sources.map(), source)).sum::<usize>()
        - steps::ALL.iter().map(|step| step.dropped.len()).sum::<usize>()
}

/// Lets the layout follow a database that has tables. The states are not used: an error is reported
/// for the source that is changed.
async fn follow_layout(store: &SqlStore) {
    store.schema().await;
}

async fn planned_on(
    sources: &DataSources,
    source_index: usize,
    source: &DataSource,
    steps: Vec<&'static step::MigrationStep>,
) -> std::result::Result<Vec<PlannedStatement>, DbErr> {
    let tx = source.begin_read().await?;
    let version = version(&tx).await?;
    let mut tx = OnShard::new(tx, sources.map().slot(riposte_core::Partition::number(0)));
    let mut planned = Vec::new();
    for step in steps {
        for change in TableChange::of(step, sources, source_index) {
            tx.route(change.slot);
            for statement in change.statements {
                if !apply::is_done(&tx, &statement).await? {
                    let sql = change.slot.bind(statement.statement.to_string());
                    let cost = statement.cost.on(&version);
                    planned.push(PlannedStatement { source: source_index, step: step.name, sql, cost });
                }
            }
        }
    }
    tx.commit().await?;
    Ok(planned)
}

/// Returns the version of a server.
async fn version(tx: &DatabaseTransaction) -> std::result::Result<String, DbErr> {
    let backend = tx.get_database_backend();
    let function = if backend == DbBackend::MySql { "VERSION()" } else { "sqlite_version()" };
    let row = tx.query_one_raw(Statement::from_string(backend, format!("SELECT {function} AS version"))).await?;
    row.map_or_else(|| Ok(String::new()), |row| row.try_get("", "version"))
}

/// Returns the steps that a source lacks, or an error if the source must not be migrated.
async fn missing(sources: &DataSources, source: usize) -> Result<Vec<&'static step::MigrationStep>> {
    let data_source = &sources.all()[source];
    let applied = match riposte_store::schema::applied(data_source).await {
        Ok(applied) => applied,
        Err(error) => return Err(Error::Failed { source, text: data_source.explain(&error).await }),
    };
    match compare(&applied, Layout::configured(sources.map(), source, sources.all().len())) {
        SourceSchema::Ready => Ok(Vec::new()),
        SourceSchema::Missing(names) => Ok(steps::ALL.iter().filter(|step| names.contains(&step.name)).collect()),
        SourceSchema::Mismatch(text) | SourceSchema::Unreadable(text) | SourceSchema::Unreachable(text) => {
            Err(Error::Refused { source, text })
        }
    }
}
