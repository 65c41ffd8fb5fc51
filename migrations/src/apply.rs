//! The application of missing migration steps to a data source.

use crate::error::{Error, Result};
use crate::step::{MigrationStep, TableChange};
use crate::{MigrationProgress, lock, missing};
use futures::stream::{self, TryStreamExt};
use riposte_core::Millis;
use riposte_store::schema::{Layout, record};
use riposte_store::{DataSource, DataSources, OnShard, SqlStore};
use sea_orm_migration::prelude::{ConnectionTrait, DbErr};
use sea_orm_migration::sea_orm::DbBackend;
use tokio::sync::mpsc::UnboundedSender;

/// The number of CREATE TABLE statements in progress at a time in one source. More of them only
/// wait for each other inside the server.
const AT_ONCE: usize = 4;

/// Migrates one source to the schema of this version.
pub(crate) async fn up(store: SqlStore, source: usize, told: UnboundedSender<MigrationProgress>) -> Result<()> {
    let run = Run { sources: store.sources(), number: source, now: store.clock().now(), told };
    if run.source().write_pool().get_database_backend() == DbBackend::MySql {
        run.on_mysql().await
    } else {
        run.on_sqlite().await
    }
}

struct Run<'a> {
    sources: &'a DataSources,
    number: usize,
    now: Millis,
    told: UnboundedSender<MigrationProgress>,
}

impl Run<'_> {
    fn source(&self) -> &DataSource {
        &self.sources.all()[self.number]
    }

    fn failed(&self, error: &DbErr) -> Error {
        Error::Failed { source: self.number, text: error.to_string() }
    }

    fn layout(&self) -> Layout {
        Layout::configured(self.sources.map(), self.number, self.sources.all().len())
    }

    /// DDL commits implicitly here, so an advisory lock excludes other runs. Its connection comes
    /// from the read pool, which leaves the write pool to the CREATE TABLE statements.
    async fn on_mysql(&self) -> Result<()> {
        let failed = |error| self.failed(&error);
        let guard = self.source().begin_read().await.map_err(failed)?;
        lock::take(&guard).await.map_err(failed)?;
        let made = self.tables_on_mysql().await;
        lock::free(&guard).await.map_err(failed)?;
        guard.rollback().await.map_err(failed)?;
        made
    }

    async fn tables_on_mysql(&self) -> Result<()> {
        let failed = |error| self.failed(&error);
        // Checked again under the lock: another run may have applied the steps in the meantime.
        let steps = missing(self.sources, self.number).await?;
        let counter = Counter::new(self, &steps);
        for step in steps {
            let counter = &counter;
            stream::iter(TableChange::of(step, self.sources, self.number).into_iter().map(Ok))
                .try_for_each_concurrent(AT_ONCE, |work| async move {
                    let table = OnShard::new(self.source().write_pool().clone(), work.slot);
                    for statement in work.statements {
                        table.execute_raw(statement).await?;
                    }
                    counter.tell(work.table);
                    Ok(())
                })
                .await
                .map_err(failed)?;
            let tx = self.source().begin_write().await.map_err(failed)?;
            record(&tx, step.name, self.layout(), self.now).await.map_err(failed)?;
            tx.commit().await.map_err(failed)?;
        }
        Ok(())
    }

    /// Applies all steps or none, in one transaction that takes the write lock of the file first.
    async fn on_sqlite(&self) -> Result<()> {
        let failed = |error| self.failed(&error);
        let slot = self.sources.slot(riposte_core::Partition::number(0));
        let mut tx = OnShard::new(self.source().begin_write().await.map_err(failed)?, slot);
        let steps = missing(self.sources, self.number).await?;
        let counter = Counter::new(self, &steps);
        for step in steps {
            for work in TableChange::of(step, self.sources, self.number) {
                tx.route(work.slot);
                for statement in work.statements {
                    tx.execute_raw(statement).await.map_err(failed)?;
                }
                counter.tell(work.table);
            }
            record(&tx, step.name, self.layout(), self.now).await.map_err(failed)?;
        }
        tx.commit().await.map_err(failed)
    }
}

/// Counts the finished tables and reports each of them.
struct Counter<'a> {
    run: &'a Run<'a>,
    done: std::sync::atomic::AtomicUsize,
    total: usize,
}

impl<'a> Counter<'a> {
    fn new(run: &'a Run<'a>, steps: &[&'static MigrationStep]) -> Self {
        let total = steps.iter().map(|step| TableChange::of(step, run.sources, run.number).len()).sum();
        Self { run, done: 0.into(), total }
    }

    fn tell(&self, table: String) {
        let done = self.done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
        // The receiver is gone once the caller has stopped; the tables are created all the same.
        let _ = self.run.told.send(MigrationProgress { source: self.run.number, done, total: self.total, table });
    }
}
