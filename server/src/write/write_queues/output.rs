//! Answers. A batch crosses to the threads of the callers as one message; there each waiter is woken, which is cheap among
//! tasks of one runtime and dear from another.

use riposte_core::Result;
use riposte_core::unit_of_work::CommandOutput;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

/// The waiters of a batch, each with its answer.
pub(super) type CompletedBatch =
    Vec<(oneshot::Sender<Result<Vec<Result<CommandOutput>>>>, Result<Vec<Result<CommandOutput>>>)>;

/// Batches that may be on their way.
const WAITING: usize = 256;

/// The way to the runtime of the callers.
#[derive(Debug, Clone)]
pub(super) struct Dispatcher {
    batches: mpsc::Sender<CompletedBatch>,
}

impl Dispatcher {
    /// Starts to hand answers out in `runtime`. It ends when the last sender is gone.
    pub(super) fn start(runtime: &Handle) -> Self {
        let (batches, mut received) = mpsc::channel::<CompletedBatch>(WAITING);
        runtime.spawn(async move {
            while let Some(batch) = received.recv().await {
                for (reply, answer) in batch {
                    // A caller that went away wants no answer.
                    let _ = reply.send(answer);
                }
            }
        });
        Self { batches }
    }

    /// Hands a batch over.
    pub(super) async fn send(&self, batch: CompletedBatch) {
        if self.batches.send(batch).await.is_err() {
            tracing::debug!("the callers' runtime has ended; their connections are gone too");
        }
    }
}
