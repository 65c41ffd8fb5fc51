//! Threads. Calls and data have runtimes of their own: a batch is a chain of round trips to the database, each of which would
//! otherwise wait for a core that hundreds of calls hold.

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};

/// The threads on which connections to the stores live, and all work on them runs.
#[derive(Debug)]
pub(super) struct DataThreads {
    /// `None` once it was stopped.
    runtime: Option<Runtime>,
}

impl DataThreads {
    /// Starts as many threads as half the cores, at least one: a data thread mostly waits for a server.
    pub(super) fn start() -> anyhow::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let runtime = Builder::new_multi_thread()
            .worker_threads((cores / 2).max(1))
            .thread_name("riposte-data")
            .enable_all()
            .build()
            .context("cannot start the threads of the store")?;
        Ok(Self { runtime: Some(runtime) })
    }

    /// Does something inside this runtime, so that what it starts runs there.
    pub(super) fn enter<T>(&self, start: impl FnOnce() -> T) -> T {
        let _inside = self.runtime.as_ref().map(Runtime::enter);
        start()
    }

    /// Ends the threads without waiting: whoever stops has waited for the work.
    pub(super) fn stop(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for DataThreads {
    /// A runtime must not be dropped where tasks run; a start that failed half-way does just that.
    fn drop(&mut self) {
        self.end();
    }
}
