//! The schema of Riposte, step by step, over every shard and data source. A run may stop anywhere and is taken up by
//! the next; two people may run it at once, and one of them waits. A step that has been released never changes.
//!
//! This crate must never be called by a process that serves: `serve` compares the schema and stays not ready.

mod apply;
mod error;
mod lock;
mod step;
mod steps;
mod table;

use riposte_store::schema::{Layout, SourceSchema, judge};
use riposte_store::{DataSources, SqlStore};
use tokio::sync::mpsc;

pub use error::{Error, Result};
use step::TableChange;

/// How far a run has come in one data source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MigrationProgress {
    /// The number of the source.
    pub source: usize,
    /// Tables that are done.
    pub done: usize,
    /// All tables of this run in this source.
    pub total: usize,
    /// The table that was just made.
    pub table: String,
}

/// One statement that `up` would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedStatement {
    /// The number of the source.
    pub source: usize,
    /// The step it belongs to.
    pub step: &'static str,
    /// The statement.
    pub sql: String,
}

/// Brings every data source to the schema of this version, all sources at the same time.
///
/// # Errors
/// When a source cannot be reached, or its tables were made for another layout: then nothing is changed anywhere.
pub async fn up(store: &SqlStore, mut progress: impl FnMut(MigrationProgress)) -> Result<()> {
    // All are asked before the first is changed: a mistake in the configuration must not make tables anywhere.
    for source in 0..store.sources().all().len() {
        missing(store.sources(), source).await?;
    }
    let (told, mut news) = mpsc::unbounded_channel();
    let runs: Vec<_> = (0..store.sources().all().len())
        .map(|source| tokio::spawn(apply::up(store.clone(), source, told.clone())))
        .collect();
    drop(told);
    while let Some(news) = news.recv().await {
        progress(news);
    }
    for (source, run) in runs.into_iter().enumerate() {
        run.await.map_err(|panicked| Error::Failed { source, text: panicked.to_string() })??;
    }
    Ok(())
}

/// What every data source has, in order.
pub async fn status(store: &SqlStore) -> Vec<SourceSchema> {
    store.schema().await
}

/// The statements that [`up`] would run now, source by source and in order.
///
/// # Errors
/// As [`up`].
pub async fn plan(store: &SqlStore) -> Result<Vec<PlannedStatement>> {
    let mut planned = Vec::new();
    for source in 0..store.sources().all().len() {
        for step in missing(store.sources(), source).await? {
            let work = TableChange::of(step, store.sources(), source);
            let statements = work.iter().flat_map(TableChange::bound);
            planned.extend(statements.map(|sql| PlannedStatement { source, step: step.name, sql }));
        }
    }
    Ok(planned)
}

/// The steps that a source lacks, if it may be migrated at all.
async fn missing(sources: &DataSources, source: usize) -> Result<Vec<&'static step::MigrationStep>> {
    let failed = |error: sea_orm_migration::DbErr| Error::Failed { source, text: error.to_string() };
    let tx = sources.all()[source].begin_read().await.map_err(failed)?;
    let applied = riposte_store::schema::applied(&tx).await.map_err(failed)?;
    tx.rollback().await.map_err(failed)?;
    match judge(&applied, Layout::configured(sources.map(), source, sources.all().len())) {
        SourceSchema::Ready => Ok(Vec::new()),
        SourceSchema::Missing(names) => Ok(steps::ALL.iter().filter(|step| names.contains(&step.name)).collect()),
        SourceSchema::Mismatch(text) | SourceSchema::Unreadable(text) | SourceSchema::Unreachable(text) => {
            Err(Error::Refused { source, text })
        }
    }
}
