//! The application of missing migration steps to a data source.

use crate::alter::{AddColumn, TableStatement};
use crate::error::Error;
use crate::step::{MigrationStep, TableChange};
use crate::{MigrationProgress, lock, missing};
use futures::stream::{self, TryStreamExt};
use riposte_core::Millis;
use riposte_store::schema::{Layout, is_locked, is_missing_column, record};
use riposte_store::{DataSource, DataSources, OnShard, SqlStore, operator_text};
use sea_orm_migration::prelude::{ConnectionTrait, DbErr};
use sea_orm_migration::sea_orm::{DbBackend, Statement};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedSender;

/// The number of tables in progress at a time in one source. More tables would only wait for each
/// other inside the server.
const CONCURRENT_TABLES: usize = 4;

/// The longest time that a statement waits until no transaction uses its table, in seconds. During
/// this wait all later statements on the table wait too, including those of serving processes.
const LOCK_WAIT_STATEMENT: &str = "SET SESSION lock_wait_timeout = 2";
/// The pause before the statement is tried again. Transactions continue during the pause.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// The number of attempts; with them, a read of several minutes does not end the run.
const ATTEMPTS_MAX: usize = 200;

/// Migrates one source to the schema of this version.
pub(crate) async fn up(
    store: SqlStore,
    source: usize,
    progress: UnboundedSender<MigrationProgress>,
) -> Result<(), Error> {
    let run = MigrationRun::new(&store, source, progress);
    if run.source().write_pool().get_database_backend() == DbBackend::MySql {
        run.on_mysql().await
    } else {
        run.on_sqlite().await
    }
}

struct MigrationRun<'a> {
    sources: &'a DataSources,
    source_number: usize,
    now: Millis,
    progress: UnboundedSender<MigrationProgress>,
}

impl<'a> MigrationRun<'a> {
    fn new(store: &'a SqlStore, source_number: usize, progress: UnboundedSender<MigrationProgress>) -> Self {
        Self { sources: store.sources(), source_number, now: store.clock().now(), progress }
    }

    fn source(&self) -> &DataSource {
        &self.sources.all()[self.source_number]
    }

    fn failed(&self, error: &DbErr) -> Error {
        Error::Failed { source: self.source_number, text: operator_text(error) }
    }

    fn layout(&self) -> Layout {
        Layout::configured(self.sources.map(), self.source_number, self.sources.all().len())
    }

    /// DDL commits implicitly here, so an advisory lock excludes other runs. Its connection comes
    /// from the read pool, which leaves the write pool to the statements.
    async fn on_mysql(&self) -> Result<(), Error> {
        let failed = |error| self.failed(&error);
        let guard = self.source().begin_read().await.map_err(failed)?;
        lock::acquire(&guard).await.map_err(failed)?;
        let outcome = self.tables_on_mysql().await;
        // What was applied stands. The lock ends with its connection at the latest, and a tablet of
        // Vitess ends a connection that was idle for half a minute.
        drop(lock::release(&guard).await);
        drop(guard.rollback().await);
        outcome
    }

    async fn tables_on_mysql(&self) -> Result<(), Error> {
        let failed = |error| self.failed(&error);
        // Checked again under the lock: another run may have applied the steps in the meantime.
        let steps = missing(self.sources, self.source_number).await?;
        let counter = ProgressCounter::new(self, &steps);
        for step in steps {
            let counter = &counter;
            stream::iter(TableChange::of(step, self.sources, self.source_number).into_iter().map(Ok))
                .try_for_each_concurrent(CONCURRENT_TABLES, |change| async move {
                    self.change_on_mysql(&change).await?;
                    counter.report(change.table);
                    Ok(())
                })
                .await
                .map_err(failed)?;
            let tx = self.source().begin_write().await.map_err(failed)?;
            record(&tx, step.name, self.layout(), self.now).await.map_err(failed)?;
            tx.commit().await.map_err(failed)?;
            self.until_known(step).await.map_err(failed)?;
        }
        Ok(())
    }

    /// Waits until the new columns can be read: a vtgate of Vitess learns of them from the shards,
    /// some time after the statement that adds them.
    async fn until_known(&self, step: &MigrationStep) -> Result<(), DbErr> {
        for AddColumn { table, column, .. } in step.columns {
            let Some(slot) = self.sources.map().index_slots(self.source_number).next() else { return Ok(()) };
            let select = slot.bind(format!("SELECT {} FROM {table} LIMIT 1", column.name));
            for _ in 1..ATTEMPTS_MAX {
                match self.source().write_pool().query_one_raw(Statement::from_string(DbBackend::MySql, &select)).await
                {
                    Err(error) if is_missing_column(&error) => tokio::time::sleep(RETRY_PAUSE).await,
                    known => {
                        known?;
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    async fn change_on_mysql(&self, change: &TableChange) -> Result<(), DbErr> {
        for _ in 1..ATTEMPTS_MAX {
            match self.try_on_mysql(change).await {
                Err(error) if is_locked(&error) => tokio::time::sleep(RETRY_PAUSE).await,
                outcome => return outcome,
            }
        }
        self.try_on_mysql(change).await
    }

    /// Runs the statements on a connection of their own, which then waits for locks on tables only
    /// briefly. Each DDL statement commits by itself.
    async fn try_on_mysql(&self, change: &TableChange) -> Result<(), DbErr> {
        let tx = self.source().begin_write().await?;
        tx.execute_unprepared(LOCK_WAIT_STATEMENT).await?;
        let table = OnShard::new(tx, change.slot);
        for statement in &change.statements {
            run_once(&table, statement).await?;
        }
        table.commit().await
    }

    /// Applies all steps or none, in one transaction that takes the write lock of the file first.
    async fn on_sqlite(&self) -> Result<(), Error> {
        let failed = |error| self.failed(&error);
        let slot = self.sources.slot(riposte_core::Partition::number(0));
        let mut tx = OnShard::new(self.source().begin_write().await.map_err(failed)?, slot);
        let steps = missing(self.sources, self.source_number).await?;
        let counter = ProgressCounter::new(self, &steps);
        for step in steps {
            for change in TableChange::of(step, self.sources, self.source_number) {
                tx.route(change.slot);
                for statement in &change.statements {
                    run_once(&tx, statement).await.map_err(failed)?;
                }
                counter.report(change.table);
            }
            record(&tx, step.name, self.layout(), self.now).await.map_err(failed)?;
        }
        tx.commit().await.map_err(failed)
    }
}

/// Runs a statement unless an earlier run did.
async fn run_once<C: ConnectionTrait>(table: &OnShard<C>, statement: &TableStatement) -> Result<(), DbErr> {
    if !is_done(table, statement).await? {
        table.execute_raw(statement.statement.clone()).await?;
    }
    Ok(())
}

/// Returns whether an earlier run made the change of a statement that cannot run again.
pub(crate) async fn is_done<C: ConnectionTrait>(table: &OnShard<C>, statement: &TableStatement) -> Result<bool, DbErr> {
    match &statement.applied_query {
        Some(query) => Ok(table.query_one_raw(query.clone()).await?.is_some()),
        None => Ok(false),
    }
}

/// Counts the finished tables and reports each of them.
struct ProgressCounter<'a> {
    run: &'a MigrationRun<'a>,
    done: std::sync::atomic::AtomicUsize,
    total: usize,
}

impl<'a> ProgressCounter<'a> {
    fn new(run: &'a MigrationRun<'a>, steps: &[&'static MigrationStep]) -> Self {
        let total = steps.iter().map(|step| TableChange::of(step, run.sources, run.source_number).len()).sum();
        Self { run, done: 0.into(), total }
    }

    fn report(&self, table: String) {
        let done = self.done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
        // The caller may have dropped the receiver. The tables are created nevertheless.
        let _ = self.run.progress.send(MigrationProgress {
            source: self.run.source_number,
            done,
            total: self.total,
            table,
        });
    }
}

#[cfg(test)]
mod tests;
