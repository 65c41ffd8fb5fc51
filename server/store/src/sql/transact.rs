//! Transactions that may run twice: reads of a whole data source, and writes that are retried after
//! a conflict and after an unknown outcome.

use std::future::Future;
use std::sync::Arc;

use riposte_core::{Error, Result};

use super::bulkhead::{Bulkhead, BulkheadPermit};
use super::pool::{DataSources, SourceTx};
use super::retry::RetryPolicy;
use super::task;
use crate::error::StoreError;

/// The body of one transaction on a data source. Running it twice has the same effect as running it
/// once.
pub(super) trait TransactionBody: Send + Sync + 'static {
    /// The result of the transaction.
    type Output: Send + 'static;
    /// The name of the transaction.
    const NAME: &'static str;
    /// True if the first statements of the body are a phase, with which the transaction begins.
    const BEGINS_WITH_PHASE: bool = false;
    /// True if the body reads rows of several partitions. A body that writes never does, as long as
    /// the store is confined.
    const READS_PARTITIONS: bool = false;

    /// Runs the body; an error ends the transaction without effect.
    fn run(&self, tx: &SourceTx) -> impl Future<Output = std::result::Result<Self::Output, StoreError>> + Send;
}

/// Runs a body in a snapshot of a data source.
///
/// # Errors
/// Those of the body, and [`riposte_core::Error::ShardUnavailable`] if the source cannot be
/// reached.
pub(super) async fn read<B: TransactionBody>(sources: &Arc<DataSources>, source: usize, body: B) -> Result<B::Output> {
    task::read(sources, source, B::NAME, snapshot(Arc::clone(sources), source, body)).await
}

/// Runs a body in a snapshot as [`read`] does, but does not wait for the read limit that callers
/// share. It serves the relay's reads of its own tables, of which one runs at a time. The relay's
/// reads of comments for the cache and the histories use the limit.
pub(super) async fn read_without_limit<B: TransactionBody>(
    sources: &Arc<DataSources>,
    source: usize,
    body: B,
) -> Result<B::Output> {
    task::run(sources.runner(), (source, B::NAME), snapshot(Arc::clone(sources), source, body)).await
}

async fn snapshot<B: TransactionBody>(
    sources: Arc<DataSources>,
    source: usize,
    body: B,
) -> std::result::Result<B::Output, StoreError> {
    let snapshot =
        if B::READS_PARTITIONS { sources.begin_wide_read(source).await? } else { sources.begin_read(source).await? };
    body.run(&snapshot).await
}

/// Runs a body in a writing transaction; its first statement takes a lock.
///
/// # Errors
/// As for [`read`], and [`riposte_core::Error::Overloaded`] after several conflicts.
pub(super) async fn write<B: TransactionBody>(sources: &Arc<DataSources>, source: usize, body: B) -> Result<B::Output> {
    write_with(sources, source, body, None).await
}

/// Runs a body as [`write`] does, within the bound of its kind of writes.
///
/// # Errors
/// Those of [`write`] and of [`Bulkhead::enter`].
pub(super) async fn write_within<B: TransactionBody>(
    bulkhead: &Bulkhead,
    sources: &Arc<DataSources>,
    source: usize,
    body: B,
) -> Result<B::Output> {
    let permit = bulkhead.enter(source).await?;
    write_with(sources, source, body, Some(permit)).await
}

async fn write_with<B: TransactionBody>(
    sources: &Arc<DataSources>,
    source: usize,
    body: B,
    permit: Option<BulkheadPermit>,
) -> Result<B::Output> {
    let sources = Arc::clone(sources);
    let runner = sources.runner().clone();
    task::run(&runner, (source, B::NAME), async move {
        // The write runs to its end even if its caller has gone, and has its permit until then.
        let _permit = permit;
        let mut retry = RetryPolicy::default();
        let mut outcome_unknown = false;
        loop {
            match try_once(&sources, source, &body, &mut outcome_unknown).await {
                Err(fault) if retry.wait_before_retry(fault.class(), outcome_unknown).await => {
                    tracing::debug!(error = %fault, outcome_unknown, "a transaction is retried");
                }
                // An earlier COMMIT may have taken effect, so the error must not claim that it did
                // not, whatever the last failure was.
                Err(_) if outcome_unknown => return Err(Error::ShardUnavailable.into()),
                done => return done,
            }
        }
    })
    .await
}

async fn try_once<B: TransactionBody>(
    sources: &Arc<DataSources>,
    source: usize,
    body: &B,
    outcome_unknown: &mut bool,
) -> std::result::Result<B::Output, StoreError> {
    let tx = if B::BEGINS_WITH_PHASE {
        sources.open_write(source, *outcome_unknown).await?
    } else {
        sources.begin_write(source, *outcome_unknown).await?
    };
    let (tx, output) = tx.write(async |tx: &SourceTx| body.run(tx).await).await?;
    tx.commit().await.inspect_err(|_| *outcome_unknown = true)?;
    Ok(output)
}
