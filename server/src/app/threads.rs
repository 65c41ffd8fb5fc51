//! The runtimes of the process. Calls and data have separate ones: a batch is a chain of round
//! trips to the database, each of which would otherwise wait for a core that hundreds of calls
//! occupy.

use anyhow::Context;
use tokio::runtime::{Builder, Handle, Runtime};

/// The threads that own the connections to the stores and do all work on them.
#[derive(Debug)]
pub(super) struct DataThreads {
    /// `None` after a stop.
    runtime: Option<Runtime>,
}

/// The runtime of the data threads. Cloning is cheap.
#[derive(Debug, Clone)]
pub(super) struct DataRuntime(Option<Handle>);

impl DataRuntime {
    /// Calls `start` inside this runtime, so that the tasks it spawns run there.
    pub(super) fn enter<T>(&self, start: impl FnOnce() -> T) -> T {
        let _inside = self.0.as_ref().map(Handle::enter);
        start()
    }
}

impl DataThreads {
    /// Starts one thread for every two cores, at least one. A data thread mostly waits for a
    /// database server or for Redis.
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

    /// Returns the handle that starts components on these threads.
    pub(super) fn runtime(&self) -> DataRuntime {
        DataRuntime(self.runtime.as_ref().map(|runtime| runtime.handle().clone()))
    }

    /// Ends the threads without waiting: the caller has waited for the work.
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
    /// A runtime must not be dropped inside a task, which happens when a start fails half-way.
    fn drop(&mut self) {
        self.end();
    }
}
