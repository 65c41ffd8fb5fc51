//! The road of every write. Commands wait in lanes, one for each partition and kind, in memory and bounded; a few
//! committers for each data source take what waits over all its lanes, as one batch and one transaction, and never wait
//! for more. So the more is written to a subject, the larger its batches are and the cheaper each write is.

mod committer;
mod output;
mod queue;
mod size;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::ports::{CommandLog, Writer};
use riposte_core::unit_of_work::CommandOutput;
use riposte_core::{Command, Error, Partition, Result};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;

use super::Notifier;
use crate::telemetry::{Metrics, spans};
use committer::Committer;
use output::Dispatcher;
use queue::{QueueSet, QueuedCommands};
pub use size::MAX_BATCH;

/// How lanes are kept.
#[derive(Debug, Clone, Copy)]
pub struct WriteQueueLimits {
    /// Commands that may wait in one lane.
    pub write_queue: usize,
    /// Commands that may wait in all lanes of one kind of one data source.
    pub source: usize,
    /// Committers for each data source and kind; 0 is read as 1.
    pub committers: usize,
    /// Lanes of which one batch takes something.
    pub breadth: usize,
    /// Whether a lane that holds much of what waits has batches of its own: where other processes may hold what it locks.
    pub apart: bool,
}

/// The lanes of all data sources.
pub struct WriteQueues {
    /// Which data source holds a partition.
    route: Box<dyn Fn(Partition) -> usize + Send + Sync>,
    sources: Vec<SourceQueues>,
    metrics: Metrics,
    committers: Mutex<Vec<JoinHandle<()>>>,
}

/// The lanes of one data source. Likes have lanes of their own: they lock no subject, so neither kind waits for the other.
#[derive(Debug)]
struct SourceQueues {
    comments: Arc<SourceQueue>,
    likes: Arc<SourceQueue>,
}

/// Who is told what the lanes do.
#[derive(Debug, Clone)]
pub struct QueueObserver {
    /// Rung after each commit, for those who number and watch.
    pub bells: Notifier,
    /// Batches and refusals are counted here.
    pub metrics: Metrics,
}

/// What waits for one data source, of one kind, and those who wait for it.
#[derive(Debug)]
struct SourceQueue {
    source: usize,
    kind: &'static str,
    queue: Mutex<QueueSet>,
    /// Rung when a lane gets something to do while nobody works on it.
    bell: Notify,
}

/// When a caller whom a full lane refused should come again.
const AGAIN: Duration = Duration::from_millis(100);

impl WriteQueues {
    /// Starts the committers in this runtime. `answers` is the runtime of those who wait: a batch is answered there, by
    /// one message, since to wake each of them from another thread costs more than the rest of a write.
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

    /// Commits what waits, takes nothing more, and ends.
    pub async fn close(&self) {
        for pit in self.sources.iter().flat_map(|source| [&source.comments, &source.likes]) {
            pit.queue().close();
            pit.bell.notify_waiters();
            pit.bell.notify_one();
        }
        let committers = std::mem::take(&mut *self.committers.lock().unwrap_or_else(PoisonError::into_inner));
        for committer in committers {
            if let Err(error) = committer.await {
                tracing::error!(%error, "a committer died");
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
        let wait = spans::lane(pit.source, pit.kind, commands.len());
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
        f.debug_struct("Lanes").field("sources", &self.sources).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
