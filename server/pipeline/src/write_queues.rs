//! The write queues. Commands wait in bounded queues in memory, one for each partition and batch
//! type. Each data source has a few committers. A committer takes the waiting commands of several
//! queues as one batch, commits the batch in one transaction, and never waits for more commands.
//! The more writes a subject receives, the larger its batches are and the cheaper each write is.

mod committer;
mod contention;
mod output;
mod queue;
mod ready;
mod size;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::CommandOutput;
use riposte_core::verbs::BatchType;
use riposte_core::{Batch, Command, CommandKind, Error, LikeCommandKind, Partition, Result};
use riposte_core::{CommandLog, Writer};
use riposte_telemetry::{Metrics, spans};
use tokio::sync::{Notify, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::Notifier;
use committer::Committer;
use output::Dispatcher;
use queue::{CommitterRole, QueueSet, QueuedCommands};
pub use size::MAX_BATCH;

/// The limits of the write queues.
#[derive(Debug, Clone, Copy)]
pub struct WriteQueueLimits {
    /// The maximum number of commands that wait in one write queue.
    pub write_queue: usize,
    /// The maximum number of commands that wait in all write queues of one batch type and data
    /// source.
    pub source: usize,
    /// The number of committers for each data source and batch type; 0 is read as 1.
    pub committers: usize,
    /// The number of further committers for each data source and batch type, which commit only
    /// contended subjects. If it is 0, no subject counts as contended, and every batch waits for
    /// the locks that it needs. Otherwise only batches of contended subjects wait: the other ones
    /// leave out the subjects that another transaction holds.
    pub contended_committers: usize,
    /// The maximum number of write queues that one batch takes commands from.
    pub queues_per_batch: usize,
    /// If true, a write queue with a large part of the waiting commands gets batches of its own.
    /// True if other processes may lock the same rows.
    pub isolates_crowded: bool,
}

/// The place of a partition's commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteRoute {
    /// The number of the data source, from 0.
    pub source: usize,
    /// The group of tables, from 0. A batch takes commands of few groups.
    pub group: usize,
}

/// The write queues of all data sources.
pub struct WriteQueues {
    route: Box<dyn Fn(Partition) -> WriteRoute + Send + Sync>,
    sources: Vec<SourceQueues>,
    metrics: Metrics,
    committers: Mutex<Vec<JoinHandle<()>>>,
}

/// The write queues of one data source. Likes have write queues of their own: they lock no subject,
/// so neither batch type waits for the other.
#[derive(Debug)]
struct SourceQueues {
    comments: Arc<SourceQueue<CommandKind>>,
    likes: Arc<SourceQueue<LikeCommandKind>>,
}

/// The observers of the write queues.
#[derive(Debug, Clone)]
pub struct QueueObserver {
    /// Notified after each commit, for the relay and the watchers.
    pub notifier: Notifier,
    /// The metrics that count batches and rejections.
    pub metrics: Metrics,
}

/// The waiting commands of one data source and batch type, and their callers.
#[derive(Debug)]
struct SourceQueue<K> {
    source: usize,
    batch_type: &'static str,
    queue: Mutex<QueueSet<K>>,
    /// Notified when a write queue of a partition without a committer receives commands.
    work: Notify,
    /// Notified when a write queue of a contended subject without a committer receives commands.
    contended_work: Notify,
}

/// The retry delay of a caller that a full write queue rejected.
const RETRY_AFTER: Duration = Duration::from_millis(100);

impl WriteQueues {
    /// Starts the committers in this runtime. `callers` is the runtime of the callers. The results
    /// of a batch are sent there as one message, since waking each caller from another thread costs
    /// more than all other work of a write.
    #[must_use]
    pub fn start(
        writer: &Arc<dyn Writer>,
        sources: usize,
        route: impl Fn(Partition) -> WriteRoute + Send + Sync + 'static,
        limits: WriteQueueLimits,
        observer: QueueObserver,
        callers: &tokio::runtime::Handle,
    ) -> Self {
        let parts = CommitterParts { writer, limits, observer: &observer, dispatcher: Dispatcher::start(callers) };
        let mut committers = Vec::new();
        let mut queues = |source| SourceQueues {
            comments: parts.start_committers(source, "comments", &mut committers),
            likes: parts.start_committers(source, "likes", &mut committers),
        };
        let sources = (0..sources).map(&mut queues).collect();
        let committers = Mutex::new(committers);
        Self { route: Box::new(route), sources, metrics: observer.metrics, committers }
    }

    /// Accepts no more commands, commits all waiting ones, and waits until the committers have
    /// ended.
    pub async fn close(&self) {
        for source in &self.sources {
            source.comments.close();
            source.likes.close();
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
    async fn submit(&self, batch: Batch) -> Result<Vec<Result<CommandOutput>>> {
        match batch {
            Batch::Comments(commands) => self.enqueue(commands, |source| &source.comments).await,
            Batch::Likes(commands) => self.enqueue(commands, |source| &source.likes).await,
        }
    }
}

impl WriteQueues {
    async fn enqueue<K: BatchType>(
        &self,
        commands: Vec<Command<K>>,
        queue_of: impl Fn(&SourceQueues) -> &Arc<SourceQueue<K>>,
    ) -> Result<Vec<Result<CommandOutput>>> {
        let Some(first) = commands.first() else { return Ok(Vec::new()) };
        let partition = first.subject.partition();
        let WriteRoute { source, group } = (self.route)(partition);
        let source = self.sources.get(source).ok_or_else(|| Error::internal("no such data source"))?;
        let source_queue = queue_of(source);
        let (reply, results) = oneshot::channel();
        let wait_span = spans::write_queue(source_queue.source, source_queue.batch_type, commands.len());
        let entry = QueuedCommands { commands, group, reply, wait_span };
        let has_work = source_queue.queue().push(entry, Instant::now());
        match has_work {
            Ok(Some(role)) => source_queue.work(role).notify_one(),
            Ok(None) => {}
            Err(queue::QueueRejection::Closed) => return Err(Error::ServerStopping),
            Err(queue::QueueRejection::Full) => {
                self.metrics.refused(source_queue.source, source_queue.batch_type);
                return Err(Error::Overloaded { after: RETRY_AFTER });
            }
        }
        results.await.map_err(|_| Error::internal("a committer has ended"))?
    }
}

/// The parts that the committers of all queues have in common.
struct CommitterParts<'c> {
    writer: &'c Arc<dyn Writer>,
    limits: WriteQueueLimits,
    observer: &'c QueueObserver,
    dispatcher: Dispatcher,
}

impl CommitterParts<'_> {
    /// Returns the queues of a source for one batch type, and starts their committers.
    fn start_committers<K: BatchType>(
        &self,
        source: usize,
        batch_type: &'static str,
        committers: &mut Vec<JoinHandle<()>>,
    ) -> Arc<SourceQueue<K>> {
        let source_queue = Arc::new(SourceQueue {
            source,
            batch_type,
            queue: Mutex::new(QueueSet::new(self.limits)),
            work: Notify::new(),
            contended_work: Notify::new(),
        });
        let regular = std::iter::repeat_n(CommitterRole::Regular, self.limits.committers.max(1));
        let contended = std::iter::repeat_n(CommitterRole::Contended, self.limits.contended_committers);
        committers.extend(regular.chain(contended).map(|role| {
            let committer = Committer {
                role,
                waits_for_locks: role == CommitterRole::Contended || self.limits.contended_committers == 0,
                source_queue: Arc::clone(&source_queue),
                writer: Arc::clone(self.writer),
                observer: self.observer.clone(),
                dispatcher: self.dispatcher.clone(),
            };
            tokio::spawn(committer.run())
        }));
        source_queue
    }
}

impl<K> SourceQueue<K> {
    /// Rejects new commands from now on, and wakes the committers.
    fn close(&self) {
        self.queue().close();
        self.wake_all();
    }

    /// Wakes all committers, to end them.
    fn wake_all(&self) {
        for work in [&self.work, &self.contended_work] {
            work.notify_waiters();
            work.notify_one();
        }
    }

    /// Returns the notification of the committers of a role.
    fn work(&self, role: CommitterRole) -> &Notify {
        match role {
            CommitterRole::Regular => &self.work,
            CommitterRole::Contended => &self.contended_work,
        }
    }

    fn queue(&self) -> std::sync::MutexGuard<'_, QueueSet<K>> {
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
