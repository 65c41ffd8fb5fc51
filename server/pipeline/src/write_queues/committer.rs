//! A committer. In a loop it takes waiting commands, commits them and returns their results.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use riposte_core::Writer;
use riposte_core::verbs::BatchType;
use riposte_core::{Batch, Command, CommandOutput, Error, Result};
use riposte_telemetry::spans;
use tokio::time::Instant;
use tracing::{Instrument, Span};

use super::output::{CompletedBatch, Dispatcher};
use super::queue::{CommandBatch, CommitterRole, QueuedCommands};
use super::{QueueObserver, SourceQueue};

/// One of the committers of a data source.
pub(super) struct Committer<K> {
    pub(super) role: CommitterRole,
    /// True if its batches wait for the subjects that other transactions hold. If false, it puts
    /// the commands of these subjects back into their write queues.
    pub(super) waits_for_locks: bool,
    pub(super) source_queue: Arc<SourceQueue<K>>,
    pub(super) writer: Arc<dyn Writer>,
    pub(super) observer: QueueObserver,
    pub(super) dispatcher: Dispatcher,
}

/// The results of a batch, in the order of its commands; `None` for one that was not executed.
type BatchOutcome = Result<Vec<Option<Result<CommandOutput>>>>;

impl<K: BatchType> Committer<K> {
    /// Runs until the write queues are closed and empty.
    pub(super) async fn run(self) {
        let work = self.source_queue.work(self.role);
        loop {
            let (batch, has_more, next_attempt, is_over) = {
                let (mut queue, now) = (self.source_queue.queue(), Instant::now());
                (queue.take(self.role, now), queue.has_ready(self.role, now), queue.next_attempt(now), queue.is_over())
            };
            if has_more {
                work.notify_one(); // there is work for another committer
            }
            if self.role == CommitterRole::Contended && next_attempt.is_some() {
                // A regular committer takes the other contended subjects.
                self.source_queue.work(CommitterRole::Regular).notify_one();
            }
            match batch {
                Some(batch) => self.commit(batch).await,
                None if is_over => {
                    self.source_queue.wake_all();
                    return;
                }
                None => match next_attempt {
                    Some(next) if self.role == CommitterRole::Regular => {
                        drop(tokio::time::timeout_at(next, work.notified()).await);
                    }
                    _ => work.notified().await,
                },
            }
        }
    }

    async fn commit(&self, batch: CommandBatch<K>) {
        let CommandBatch { mut entries, write_queues, taken, taken_by } = batch;
        let sizes: Vec<usize> = entries.iter().map(|entry| entry.commands.len()).collect();
        let size = sizes.iter().sum();
        let mut commands: Vec<Command<K>> = Vec::with_capacity(size);
        let mut wait_spans = Vec::with_capacity(entries.len());
        for entry in &mut entries {
            wait_spans.push(std::mem::replace(&mut entry.wait_span, Span::none()));
            commands.append(&mut entry.commands);
        }
        let span = spans::batch(&wait_spans, self.source_queue.source, self.source_queue.batch_type, size);
        drop(wait_spans);
        let batch = commands.into();
        // A panic was logged when it happened. The write queues of its batch must not stay busy.
        let outcome = AssertUnwindSafe(self.write(&batch).instrument(span)).catch_unwind().await;
        let outcome = outcome.unwrap_or_else(|_| Err(Error::internal("the commit of a batch ended in a panic")));
        let (completed, deferred) = split(entries, &sizes, K::commands(batch), outcome);
        let (waiting, has_more, is_over) = {
            let (mut queue, now) = (self.source_queue.queue(), Instant::now());
            queue.done(CommandBatch { entries: deferred, write_queues, taken, taken_by }, now);
            let roles = [CommitterRole::Regular, CommitterRole::Contended];
            let has_more = roles.map(|role| (role, queue.has_ready(role, now)));
            (queue.waiting(), has_more, queue.is_over())
        };
        for (role, _) in has_more.into_iter().filter(|(_, has_more)| *has_more) {
            // An idle committer may begin while this one returns results.
            self.source_queue.work(role).notify_one();
        }
        if is_over {
            self.source_queue.wake_all();
        }
        self.observer.notifier.committed(self.source_queue.source);
        self.observer.metrics.batch(self.source_queue.source, self.source_queue.batch_type, size, waiting);
        self.dispatcher.send(completed).await;
    }

    async fn write(&self, batch: &Batch) -> BatchOutcome {
        if self.waits_for_locks {
            return Ok(self.writer.commit(batch).await?.into_iter().map(Some).collect());
        }
        self.writer.commit_without_wait(batch).await
    }
}

/// Divides the entries of a batch into those with results and those that wait again, with their
/// commands. `sizes` are the numbers of their commands.
fn split<K>(
    entries: Vec<QueuedCommands<K>>,
    sizes: &[usize],
    commands: Vec<Command<K>>,
    outcome: BatchOutcome,
) -> (CompletedBatch, Vec<QueuedCommands<K>>) {
    let entries = entries.into_iter().zip(sizes);
    let outputs = match outcome {
        Ok(outputs) => outputs,
        Err(error) => return (entries.map(|(entry, _)| (entry.reply, Err(error.clone()))).collect(), Vec::new()),
    };
    let (mut commands, mut outputs) = (commands.into_iter(), outputs.into_iter());
    let (mut completed, mut deferred) = (CompletedBatch::new(), Vec::new());
    for (entry, &size) in entries {
        let (commands, outputs): (Vec<_>, Vec<_>) =
            (commands.by_ref().take(size).collect(), outputs.by_ref().take(size).collect());
        if outputs.len() != size {
            completed.push((entry.reply, Err(Error::internal("the writer returned too few results for a batch"))));
        } else if let Some(results) = outputs.into_iter().collect() {
            completed.push((entry.reply, Ok(results)));
        } else {
            deferred.push(QueuedCommands { commands, ..entry });
        }
    }
    (completed, deferred)
}
