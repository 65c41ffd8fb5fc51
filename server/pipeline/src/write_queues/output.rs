//! The delivery of results. The results of a batch are sent to the runtime of the callers as one
//! message, because waking a task is cheap within its runtime and expensive from another one.

use riposte_core::CommandOutput;
use riposte_core::Result;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

/// The callers of a batch, each with its result.
pub(super) type CompletedBatch =
    Vec<(oneshot::Sender<Result<Vec<Result<CommandOutput>>>>, Result<Vec<Result<CommandOutput>>>)>;

/// The maximum number of batches in transit.
const CHANNEL_CAPACITY: usize = 256;

/// The channel to the runtime of the callers.
#[derive(Debug, Clone)]
pub(super) struct Dispatcher {
    batches: mpsc::Sender<CompletedBatch>,
}

impl Dispatcher {
    /// Starts the delivery of results in `runtime`. It ends when the last sender is dropped.
    pub(super) fn start(runtime: &Handle) -> Self {
        let (batches, mut received) = mpsc::channel::<CompletedBatch>(CHANNEL_CAPACITY);
        runtime.spawn(async move {
            while let Some(batch) = received.recv().await {
                for (reply, results) in batch {
                    // If this fails, the caller no longer waits.
                    let _ = reply.send(results);
                }
            }
        });
        Self { batches }
    }

    /// Sends the results of a batch.
    pub(super) async fn send(&self, batch: CompletedBatch) {
        if self.batches.send(batch).await.is_err() {
            tracing::debug!("the runtime of the callers has stopped; the results of the batch are dropped");
        }
    }
}
