//! A committer. In a loop it takes waiting commands, commits them and returns their results.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use riposte_core::Writer;
use riposte_core::verbs::BatchType;
use riposte_core::{Command, Error, Result};
use riposte_telemetry::spans;
use tracing::Instrument;

use super::output::{CompletedBatch, Dispatcher};
use super::queue::CommandBatch;
use super::{QueueObserver, SourceQueue};

/// One of the committers of a data source.
pub(super) struct Committer<K> {
    source_queue: Arc<SourceQueue<K>>,
    writer: Arc<dyn Writer>,
    observer: QueueObserver,
    dispatcher: Dispatcher,
}

impl<K: BatchType> Committer<K> {
    pub(super) fn new(
        source_queue: Arc<SourceQueue<K>>,
        writer: Arc<dyn Writer>,
        observer: QueueObserver,
        dispatcher: Dispatcher,
    ) -> Self {
        Self { source_queue, writer, observer, dispatcher }
    }

    /// Runs until the write queues are closed and empty.
    pub(super) async fn run(self) {
        loop {
            let (batch, has_more, is_over) = {
                let mut queue = self.source_queue.queue();
                (queue.take(), queue.has_ready(), queue.is_over())
            };
            if has_more {
                self.source_queue.work.notify_one(); // there is work for another committer
            }
            match batch {
                Some(batch) => self.commit(batch).await,
                None if is_over => {
                    self.source_queue.work.notify_one();
                    return;
                }
                None => self.source_queue.work.notified().await,
            }
        }
    }

    async fn commit(&self, batch: CommandBatch<K>) {
        let CommandBatch { entries, write_queues } = batch;
        let mut commands: Vec<Command<K>> = Vec::with_capacity(entries.iter().map(|entry| entry.commands.len()).sum());
        let mut waiters = Vec::with_capacity(entries.len());
        let mut wait_spans = Vec::with_capacity(entries.len());
        for entry in entries {
            waiters.push((entry.reply, entry.commands.len()));
            wait_spans.push(entry.wait_span);
            commands.extend(entry.commands);
        }
        let size = commands.len();
        let span = spans::batch(&wait_spans, self.source_queue.source, self.source_queue.batch_type, size);
        drop(wait_spans);
        // A panic was logged when it happened. The write queues of its batch must not stay busy.
        let outcome = AssertUnwindSafe(self.writer.commit(&commands.into()).instrument(span)).catch_unwind().await;
        let outcome = outcome.unwrap_or_else(|_| Err(Error::internal("the commit of a batch ended in a panic")));
        let (waiting, has_more) = {
            let mut queue = self.source_queue.queue();
            queue.done(&write_queues);
            (queue.waiting(), queue.has_ready())
        };
        if has_more {
            // An idle committer may begin while this one returns results.
            self.source_queue.work.notify_one();
        }
        self.observer.notifier.committed(self.source_queue.source);
        self.observer.metrics.batch(self.source_queue.source, self.source_queue.batch_type, size, waiting);
        let completed: CompletedBatch = match outcome {
            Ok(outputs) => {
                let mut outputs = outputs.into_iter();
                let mut next_results = |size| {
                    let results: Vec<_> = outputs.by_ref().take(size).collect();
                    if results.len() == size {
                        Ok(results)
                    } else {
                        Err(Error::internal("the writer returned too few results for a batch"))
                    }
                };
                waiters.into_iter().map(|(reply, size)| (reply, next_results(size))).collect()
            }
            Err(error) => waiters.into_iter().map(|(reply, _)| (reply, Result::Err(error.clone()))).collect(),
        };
        self.dispatcher.send(completed).await;
    }
}
