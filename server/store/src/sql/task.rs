//! Database work runs in tasks of its own. The future of an RPC is dropped when its client goes away, and a BEGIN that
//! is dropped while pending would leave its transaction open on a pooled connection.

use std::future::Future;
use std::pin::Pin;

use riposte_core::{Error, Result};
use tokio::sync::oneshot;
use tracing::Instrument;

use super::desk::Desk;
use crate::error::Fault;

/// Runs `work` to its end at `desk`, whether or not the caller waits for it. `name` is the name of the transaction.
pub(crate) async fn run<T, F>(desk: &Desk, name: &'static str, work: F) -> Result<T>
where
    T: Send + 'static,
    F: Future<Output = std::result::Result<T, Fault>> + Send + 'static,
{
    let (answer, outcome) = oneshot::channel();
    let (span, watcher) = (desk.span(name), desk.clone());
    // Boxed, so that the runtime's task is compiled once and not for every transaction.
    let work: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(async move {
        // An outcome that nobody waits for is no loss: the work is done.
        drop(answer.send(watcher.watched(name, work).await));
    });
    let task = desk.spawn(work.instrument(span));
    match outcome.await {
        Ok(outcome) => outcome.map_err(Error::from),
        Err(_) => {
            let why = task.await.err().map_or_else(|| "no answer".to_owned(), |error| error.to_string());
            Err(Error::internal(format!("transaction {name}: {why}")))
        }
    }
}
