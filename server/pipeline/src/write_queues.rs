//! The write queues. Commands wait in bounded queues in memory, one for each partition and kind.
//! Each data source has a few committers, which take the waiting commands of all its queues as one
//! batch, commit it in one transaction, and never wait for more. The more is written to a subject,
//! the larger its batches are and the cheaper each write is.

mod committer;
mod output;
mod queue;
mod size;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::CommandOutput;
use riposte_core::{Command, Error, Partition, Result};
use riposte_core::{CommandLog, Writer};
use riposte_telemetry::{Metrics, spans};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

use super::Notifier;
use committer::Committer;
use output::Dispatcher;
use queue::{QueueSet, QueuedCommands};
pub use size::MAX_BATCH;

/// The limits of the write queues.
#[derive(Debug, Clone, Copy)]
pub struct WriteQueueLimits {
    /// The maximum number of commands that wait in one write queue.
    pub write_queue: usize,
    /// The maximum number of commands that wait in all write queues of one kind and data source.
    pub source: usize,
    /// The number of committers for each data source and kind; 0 is read as 1.
    pub committers: usize,
    /// The maximum number of write queues that one batch takes commands from.
    pub breadth: usize,
    /// If true, a write queue that holds a large part of the waiting commands gets batches of its
    /// own. Set where other processes may hold the rows that it locks.
    pub apart: bool,
}

/// The write queues of all data sources.
pub struct WriteQueues {
    /// Returns the data source that holds a partition.
    route: Box<dyn Fn(Partition) -> usize + Send + Sync>,
    sources: Vec<SourceQueues>,
    metrics: Metrics,
    committers: Mutex<Vec<JoinHandle<()>>>,
}

/// The write queues of one data source. Likes have write queues of their own: they lock no subject,
/// so neither kind waits for the other.
#[derive(Debug)]
struct SourceQueues {
    comments: Arc<SourceQueue>,
    likes: Arc<SourceQueue>,
}

/// The observers of the write queues.
#[derive(Debug, Clone)]
pub struct QueueObserver {
    /// Notified after each commit, for the relay and the watchers.
    pub bells: Notifier,
    /// The metrics that count batches and rejections.
    pub metrics: Metrics,
}

/// The waiting commands of one data source and kind, and their callers.
#[derive(Debug)]
struct SourceQueue {
    source: usize,
    kind: &'static str,
    queue: Mutex<QueueSet>,
    /// Notified when a write queue without a committer receives commands.
    bell: Notify,
}

/// The retry delay of a caller that a full write queue rejected.
const AGAIN: Duration = Duration::from_millis(100);

impl WriteQueues {
    /// Starts the committers in this runtime. `answers` is the runtime of the callers. The results
    /// of a batch are sent there as one message, since waking each caller from another thread costs
    /// more than the rest of a write.
    #[must_use]
    pub fn start(
        writer: &Arc<dyn Writer>,
        sources: usize,
        route: impl Fn(Partition) -> usize + Send + Sync + 'static,
        limits: WriteQueueLimits,
        witness: QueueObserver,
        answers: &tokio::runtime::Handle,
    ) -> Self {
        let dispatcher = Dispatcher::start(answers);
        let pit = |source, kind| {
            Arc::new(SourceQueue { source, kind, queue: Mutex::new(QueueSet::new(limits)), bell: Notify::new() })
        };
        let source = |n| SourceQueues { comments: pit(n, "comments"), likes: pit(n, "likes") };
        let sources: Vec<SourceQueues> = (0..sources).map(source).collect();
        let pits = sources.iter().flat_map(|source| [&source.comments, &source.likes]);
        let crews = pits.flat_map(|pit| std::iter::repeat_n(pit, limits.committers.max(1)));
        let committers = crews.map(|pit| {
            let committer = Committer::new(Arc::clone(pit), Arc::clone(writer), witness.clone(), dispatcher.clone());
            tokio::spawn(committer.run())
        });
        let committers = Mutex::new(committers.collect());
        Self { route: Box::new(route), sources, metrics: witness.metrics, committers }
    }

    /// Commits all waiting commands, accepts no more, and ends.
    pub async fn close(&self) {
        for pit in self.sources.iter().flat_map(|source| [&source.comments, &source.likes]) {
            pit.queue().close();
            pit.bell.notify_waiters();
            pit.bell.notify_one();
        }
        let committers = std::mem::take(&mut *self.committers.lock().unwrap_or_else(PoisonError::into_inner));
        for committer in committers {
            if let Err(error) = committer.await {
                tracing::error!(%error, "a committer task failed");
            }
        }
    }
}

#[async_trait]
impl CommandLog for WriteQueues {
    async fn submit(&self, commands: Vec<Command>) -> Result<Vec<Result<CommandOutput>>> {
        let Some(first) = commands.first() else { return Ok(Vec::new()) };
        let (partition, like) = (first.subject.partition(), first.verb.as_like().is_some());
        let source = self.sources.get((self.route)(partition)).ok_or_else(|| Error::internal("no such data source"))?;
        let pit = if like { &source.likes } else { &source.comments };
        let (reply, answer) = oneshot::channel();
        let wait = spans::write_queue(pit.source, pit.kind, commands.len());
        let ready = pit.queue().push(partition, QueuedCommands { commands, reply, wait });
        match ready {
            Ok(true) => pit.bell.notify_one(),
            Ok(false) => {}
            Err(queue::QueueRefusal::Closed) => return Err(Error::ServerStopping),
            Err(queue::QueueRefusal::Full) => {
                self.metrics.refused(pit.source, pit.kind);
                return Err(Error::Overloaded { after: AGAIN });
            }
        }
        answer.await.map_err(|_| Error::internal("a committer went away"))?
    }
}

impl SourceQueue {
    fn queue(&self) -> std::sync::MutexGuard<'_, QueueSet> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for WriteQueues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteQueues").field("sources", &self.sources).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
