//! Database work runs in tasks of its own. The future of an RPC is dropped when its client goes away, and a BEGIN that
//! is dropped while pending would leave its transaction open on a pooled connection.

use std::future::Future;

use riposte_core::{Error, Result};
use tokio::runtime::Handle;
use tracing::Instrument;

use crate::error::Fault;

/// Runs `work` to its end on `runtime`, whether or not the caller waits for it. `name` is the name of the transaction.
pub(crate) async fn run<T, F>(runtime: &Handle, name: &'static str, work: F) -> Result<T>
where
    T: Send + 'static,
    F: Future<Output = std::result::Result<T, Fault>> + Send + 'static,
{
    let span = tracing::debug_span!("transaction", name);
    match runtime.spawn(work.instrument(span)).await {
        Ok(outcome) => outcome.map_err(Error::from),
        Err(panicked) => Err(Error::internal(format!("transaction {name}: {panicked}"))),
    }
}
