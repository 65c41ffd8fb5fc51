//! The steps of a start that succeeded, and how each is undone.

use std::fmt::{self, Debug, Formatter};
use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, PoisonError};

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::{Duration, Instant, timeout_at};

/// A step that was started.
struct StartedStep {
    name: &'static str,
    /// Undoes the step. It does nothing before it is awaited.
    undo: Undo,
}

/// The future that undoes a step. The mutex, which is never locked, lets threads share the steps.
type Undo = Mutex<BoxFuture<'static, ()>>;

/// The started steps of a server, in their order. They are undone, the last first, by a stop and by
/// a start that fails half-way.
#[derive(Default)]
pub(super) struct StartedSteps(Vec<StartedStep>);

impl StartedSteps {
    /// Records a step that succeeded, with the future that undoes it.
    pub(super) fn push(&mut self, name: &'static str, undo: impl Future<Output = ()> + Send + 'static) {
        tracing::debug!(step = name, "started");
        self.0.push(StartedStep { name, undo: Mutex::new(undo.boxed()) });
    }

    /// Undoes all steps, the last first, within `limit`. When it is over, each step that is left
    /// gets only as far as it comes without waiting.
    pub(super) async fn undo(self, limit: Duration) {
        let deadline = Instant::now() + limit;
        for StartedStep { name, undo } in self.0.into_iter().rev() {
            let undo = undo.into_inner().unwrap_or_else(PoisonError::into_inner);
            // A panic was logged when it happened. The other steps are undone all the same.
            match timeout_at(deadline, AssertUnwindSafe(undo).catch_unwind()).await {
                Ok(Ok(())) => tracing::debug!(step = name, "stopped"),
                Ok(Err(_)) => tracing::error!(step = name, "stopping this part of the server ended in a panic"),
                Err(_) => tracing::error!(
                    step = name,
                    "this part of the server did not stop in time; the process ends without it"
                ),
            }
        }
    }
}

impl Debug for StartedSteps {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|step| step.name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, StartedSteps};
    use std::future::pending;
    use std::sync::{Arc, Mutex};

    #[tokio::test]
    async fn steps_are_undone_in_reverse_order_also_after_a_panic_and_after_one_that_hangs() {
        let (mut steps, undone) = (StartedSteps::default(), Arc::new(Mutex::new(Vec::new())));
        for name in ["store", "cache", "listeners"] {
            let undone = Arc::clone(&undone);
            steps.push(name, async move { undone.lock().expect("no test panics with it").push(name) });
        }
        assert_eq!(format!("{steps:?}"), "[\"store\", \"cache\", \"listeners\"]");
        assert!(undone.lock().expect("no test panics with it").is_empty(), "a step is undone only on request");
        steps.push("watches", async { panic!("a step that panics") });
        steps.push("a step that hangs", pending());
        // The time is over when the step that hangs is polled.
        steps.undo(Duration::ZERO).await;
        assert_eq!(*undone.lock().expect("no test panics with it"), ["listeners", "cache", "store"]);
    }
}
