//! Transactions that may run twice: reads of a whole data source, and writes that are tried again after a conflict and
//! where their outcome is not known.

use std::future::Future;
use std::sync::Arc;

use riposte_core::{Error, Result};

use super::pool::{DataSources, SourceTx};
use super::retry::RetryPolicy;
use super::task;
use crate::error::StoreError;

/// What one transaction on a data source does. Done twice it leaves what once leaves.
pub(super) trait TransactionBody: Send + Sync + 'static {
    /// What it answers.
    type Answer: Send + 'static;
    /// The name of the transaction.
    const NAME: &'static str;

    /// Does it; an error ends the transaction without effect.
    fn run(&self, tx: &SourceTx) -> impl Future<Output = std::result::Result<Self::Answer, StoreError>> + Send;
}

/// Runs a unit in a snapshot of a data source.
///
/// # Errors
/// Those of the unit, and [`riposte_core::Error::ShardUnavailable`] where the source cannot be reached.
pub(super) async fn read<U: TransactionBody>(sources: &Arc<DataSources>, source: usize, unit: U) -> Result<U::Answer> {
    task::read(sources, source, U::NAME, snapshot(Arc::clone(sources), source, unit)).await
}

/// The same for what the relay itself asks of its tables, one after the other: numbers and events do not wait for room among the reads of
/// callers. (What it reads beside them to bring to copies and histories does.)
pub(super) async fn read_aside<U: TransactionBody>(
    sources: &Arc<DataSources>,
    source: usize,
    unit: U,
) -> Result<U::Answer> {
    task::run(sources.desk(), (source, U::NAME), snapshot(Arc::clone(sources), source, unit)).await
}

async fn snapshot<U: TransactionBody>(
    sources: Arc<DataSources>,
    source: usize,
    unit: U,
) -> std::result::Result<U::Answer, StoreError> {
    let snapshot = sources.begin_read(source).await?;
    unit.run(&snapshot).await
}

/// Runs a unit in a transaction that writes; its first statement takes a lock.
///
/// # Errors
/// As for [`read`]; and [`riposte_core::Error::Overloaded`] after several conflicts.
pub(super) async fn write<U: TransactionBody>(sources: &Arc<DataSources>, source: usize, unit: U) -> Result<U::Answer> {
    let sources = Arc::clone(sources);
    let desk = sources.desk().clone();
    task::run(&desk, (source, U::NAME), async move {
        let mut patience = RetryPolicy::default();
        let mut outcome_unknown = false;
        loop {
            match once(&sources, source, &unit, &mut outcome_unknown).await {
                Err(fault) if patience.again(fault.meaning(), outcome_unknown).await => {
                    tracing::debug!(?fault, outcome_unknown, "a transaction is tried again");
                }
                // Whatever went wrong last, what may have happened may not be called undone.
                Err(_) if outcome_unknown => return Err(Error::ShardUnavailable.into()),
                done => return done,
            }
        }
    })
    .await
}

async fn once<U: TransactionBody>(
    sources: &Arc<DataSources>,
    source: usize,
    unit: &U,
    outcome_unknown: &mut bool,
) -> std::result::Result<U::Answer, StoreError> {
    let tx = sources.begin_write(source, *outcome_unknown).await?;
    let (tx, answer) = tx.write(async |tx: &SourceTx| unit.run(tx).await).await?;
    tx.commit().await.inspect_err(|_| *outcome_unknown = true)?;
    Ok(answer)
}
