//! Runs each piece of database work in a task of its own, except commits, whose callers are
//! committers. The future of an RPC is dropped when its client disconnects. If it contained the
//! database work, a pending BEGIN could be dropped with it, and would leave an open transaction on
//! a pooled connection.

use std::future::Future;
use std::pin::Pin;

use riposte_core::{Error, Result};
use tokio::sync::oneshot;
use tracing::Instrument;

use super::pool::DataSources;
use super::transaction_runner::TransactionRunner;
use crate::error::StoreError;

/// Runs work that only reads one data source (from 0). The work starts, as in [`run`], when the
/// read limit of the source has a free permit. The limit bounds the memory: reads of callers that
/// have disconnected continue to run, possibly tens of thousands of them. The work must not call
/// this function again, because it would wait for a permit while it holds one.
pub(crate) fn read<'s, T, F>(
    sources: &'s DataSources,
    source: usize,
    name: &'static str,
    work: F,
) -> impl Future<Output = Result<T>> + Send + use<'s, T, F>
where
    T: Send + 'static,
    F: Future<Output = std::result::Result<T, StoreError>> + Send + 'static,
{
    // Boxed before the first await: otherwise every future around this one would be as large as the
    // work.
    let work = Box::pin(work);
    async move {
        let permit = sources.read_permit(source).await;
        let work = async move {
            let read = work.await;
            drop(permit);
            read
        };
        run(sources.runner(), (source, name), work).await
    }
}

/// Runs `work` on `runner` to its end, even if the caller stops waiting. The work is one
/// transaction with this name on this data source (from 0).
pub(crate) async fn run<T, F>(runner: &TransactionRunner, (source, name): (usize, &'static str), work: F) -> Result<T>
where
    T: Send + 'static,
    F: Future<Output = std::result::Result<T, StoreError>> + Send + 'static,
{
    let (sender, outcome) = oneshot::channel();
    let (span, observed_runner) = (runner.span(name), runner.clone());
    // Boxed, so that the runtime's task is compiled once and not for every transaction.
    let work: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(async move {
        // Sending fails if the caller no longer waits. The work is done, so its outcome may be
        // dropped.
        drop(sender.send(observed_runner.observed((source, name), work).await));
    });
    let task = runner.spawn(work.instrument(span));
    match outcome.await {
        Ok(outcome) => outcome.map_err(Error::from),
        Err(_) => {
            let reason = task.await.err().map_or_else(|| "no result".to_owned(), |error| error.to_string());
            Err(Error::internal(format!("transaction {name}: {reason}")))
        }
    }
}

/// Runs `work` as [`run`] does, but in the task of the caller, which is a committer and is
/// never cancelled. A second task for each batch would have to clone its commands.
pub(crate) async fn run_here<T>(
    runner: &TransactionRunner,
    (source, name): (usize, &'static str),
    work: impl Future<Output = std::result::Result<T, StoreError>>,
) -> Result<T> {
    let span = runner.span(name);
    runner.observed((source, name), work).instrument(span).await.map_err(Error::from)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use futures::FutureExt;
    use futures::future::join_all;
    use tokio::runtime::Handle;

    use super::read;
    use crate::config::StoreConfig;
    use crate::sql::pool::DataSources;

    #[tokio::test]
    async fn reads_without_a_caller_are_bounded_and_reads_that_wait_complete() {
        let mut config = StoreConfig::sqlite(None);
        config.read.acquire_timeout = Duration::from_secs(60);
        let sources = Arc::new(DataSources::open(&config).expect("opened"));
        // No connection is free.
        let transactions = join_all((0..config.read.connections).map(|_| sources.all()[0].begin_read())).await;
        let transactions: Vec<_> = transactions.into_iter().map(|begun| begun.expect("begun")).collect();
        let begin = || {
            let read_sources = Arc::clone(&sources);
            read(&sources, 0, "page", async move {
                drop(read_sources.begin_read(0).await?);
                Ok(())
            })
        };
        let tasks = || Handle::current().metrics().num_alive_tasks();
        let before = tasks();
        let abandoned = (0..1_000).filter(|_| begin().now_or_never().is_none()).count();
        assert_eq!(abandoned, 1_000, "none is answered yet");
        let running_reads = tasks() - before;
        assert!(
            (1..=100).contains(&running_reads),
            "{running_reads} reads still run for a thousand callers that have gone"
        );
        let mut waits = Box::pin(begin());
        assert!(waits.as_mut().now_or_never().is_none());
        drop(transactions);
        waits.await.expect("answered");
    }
}
