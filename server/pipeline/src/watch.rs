//! The hub passes the revisions of a subject to its watchers in this process, dense and in order.
//!
//! The tails deliver the sequenced events of all sources. An event of a subject without watchers
//! costs one table lookup. A subject with watchers has a ring of its last revisions, which all its
//! watchers read. The database is queried when a subject is watched for the first time, when a
//! watcher resumes from before the start of the ring, when an event shows that others are missing,
//! and when the subject itself changed, but never for each watcher.
//!
//! A restore of a backup takes revisions back. Every watcher that has seen more of them than the
//! row has receives a gap backwards: when the tail finds that sequence numbers went back, or when a
//! watcher joins that has seen more.
//!
//! A subject that does not exist yet is watched by its key. The first event of each new subject in
//! its partition makes the hub read the row, which shows whether it is the watched one.

mod consumer;
mod ring;
mod stream;
mod subscriptions;
mod watcher;

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::event::SequencedEvent;
use riposte_core::ids::PARTITIONS;
use riposte_core::ports::{EventLog, SubjectLoads, SubjectRows, SubjectWatch, SubjectWatches};
use riposte_core::{Error, Result, Subject, SubjectKey};
use riposte_telemetry::Metrics;
use tokio::sync::watch;

use ring::CAPACITY;
use stream::{FIRST_CHANGE, SubjectStream};
use subscriptions::{SubscriptionGuard, WatchSubscriptions};
use watcher::Watcher;

/// The number of subjects whose rows are read at a time.
const ROWS: usize = 100;

/// All watchers of this process. Cloning is cheap, and clones share the hub.
#[derive(Debug, Clone)]
pub struct WatchHub {
    outbox: Arc<dyn EventLog>,
    /// The rows of the subjects, past every cache.
    subjects: Arc<dyn SubjectRows>,
    subscriptions: Arc<WatchSubscriptions>,
    closing: Arc<watch::Sender<bool>>,
    metrics: Metrics,
}

impl WatchHub {
    /// Creates a hub without watchers.
    #[must_use]
    pub fn new(outbox: Arc<dyn EventLog>, subjects: Arc<dyn SubjectRows>, metrics: Metrics) -> Self {
        Self { outbox, subjects, subscriptions: Arc::default(), closing: Arc::default(), metrics }
    }

    async fn stream(
        &self,
        guard: &SubscriptionGuard,
        after: i64,
        loads: SubjectLoads<'_>,
    ) -> Result<Arc<SubjectStream>> {
        let _load_lock = guard.subscription.load.lock().await;
        let mut stream = match guard.subscription.stream.get().map(Arc::clone) {
            Some(stream) if !stream.is_outdated() => stream,
            outdated => {
                let changes = outdated.map_or(FIRST_CHANGE, |stream| stream.row_changes());
                self.open(guard, &loads.cached.await?, after, changes).await?
            }
        };
        let newest = stream.newest();
        if after > newest {
            let changes = stream.row_changes();
            let subject = loads.primary.await?;
            if subject.revision < newest {
                // Read later than `newest`, an older row says that the revisions between are lost.
                stream.reset(subject.revision);
            }
            stream = self.open(guard, &subject, after, changes).await?;
        }
        if after > 0 {
            stream.extend_back_to(&*self.outbox, after).await?;
        }
        Ok(stream)
    }

    /// Returns the stream of a subject that was read when it contained the first `changes` known
    /// changes, complete up to the revision of the row.
    async fn open(
        &self,
        guard: &SubscriptionGuard,
        subject: &Subject,
        after: i64,
        changes: u64,
    ) -> Result<Arc<SubjectStream>> {
        let current = subject.revision;
        let base = if after == 0 { current } else { after.clamp((current - CAPACITY as i64).max(0), current) };
        // The stream receives events from here on. Those committed since the read are queried.
        let stream = guard.publish(SubjectStream::new(subject, base), subject);
        if subject.version > 0 {
            stream.complete(&*self.outbox, current, changes).await?;
        } else {
            // The subject may have been created between the read and the first event that the
            // stream could receive.
            self.identify(vec![Arc::clone(&stream)]).await?;
        }
        Ok(stream)
    }

    /// Reads the rows of subjects that did not exist when they were first watched. The streams of
    /// those that exist now receive their events from here on.
    async fn identify(&self, absent: Vec<Arc<SubjectStream>>) -> Result<()> {
        if absent.is_empty() {
            return Ok(());
        }
        let keys: Vec<SubjectKey> = absent.iter().map(|stream| stream.key().clone()).collect();
        let found = self.subjects.subjects(&keys).await?;
        for (stream, subject) in absent.into_iter().zip(found) {
            if let Some(subject) = subject {
                self.subscriptions.identify(&stream, subject.id);
                // The row stays outdated: the next caller checks whether it may be shown.
                stream.complete(&*self.outbox, subject.revision, 0).await?;
            }
        }
        Ok(())
    }

    /// Passes on the sequenced events of a source, in their order. Safe to repeat: a revision is
    /// not delivered twice.
    ///
    /// # Errors
    /// Those of the outbox, which is queried if events show that others are missing.
    pub async fn update(&self, events: &[SequencedEvent]) -> Result<()> {
        let created = events.iter().filter(|sequenced| sequenced.event.revision == Some(1));
        let partitions: BTreeSet<u16> = created.map(|sequenced| sequenced.event.partition.get()).collect();
        self.identify(self.subscriptions.absent(partitions)).await?;
        let streams = self.subscriptions.streams(events.iter().map(|sequenced| sequenced.event.subject));
        for (stream, sequenced) in streams.into_iter().zip(events) {
            if let Some(stream) = stream {
                stream.add(&*self.outbox, &sequenced.event).await?;
            }
        }
        Ok(())
    }

    /// Queries, for every watched subject, the events that the hub may have missed. Reports
    /// revisions that are gone.
    ///
    /// # Errors
    /// Those of the outbox and of the rows.
    pub async fn catch_up(&self) -> Result<()> {
        let streams = self.subscriptions.all();
        for streams in streams.chunks(ROWS) {
            self.reset_lost(streams).await?;
        }
        for stream in streams {
            stream.catch_up(&*self.outbox).await?;
        }
        self.identify(self.subscriptions.absent(0..PARTITIONS)).await
    }

    /// Resets the streams whose subjects have lost revisions.
    async fn reset_lost(&self, streams: &[Arc<SubjectStream>]) -> Result<()> {
        let known: Vec<_> = streams.iter().map(|stream| (stream.newest(), stream.id())).collect();
        let keys: Vec<SubjectKey> = streams.iter().map(|stream| stream.key().clone()).collect();
        let found = self.subjects.subjects(&keys).await?;
        for ((stream, (newest, id)), subject) in streams.iter().zip(known).zip(found) {
            // Read later than `newest`, an older row says that the revisions between are lost.
            let left = subject.filter(|subject| Some(subject.id) == id).map(|subject| subject.revision);
            if left.is_none() {
                self.subscriptions.remove(stream);
            }
            if left.unwrap_or(0) < newest {
                stream.reset(left.unwrap_or(0));
            }
        }
        Ok(())
    }

    /// Ends every stream and rejects new ones.
    pub fn close(&self) {
        self.closing.send_replace(true);
    }
}

#[async_trait]
impl SubjectWatches for WatchHub {
    /// The subject is loaded only if its current state is not known, or if its client has seen a
    /// newer revision.
    async fn join(&self, key: &SubjectKey, after: i64, loads: SubjectLoads<'_>) -> Result<Box<dyn SubjectWatch>> {
        if *self.closing.borrow() {
            return Err(Error::ServerStopping);
        }
        let guard = self.subscriptions.guard(key)?;
        let stream = self.stream(&guard, after, loads).await?;
        Ok(Box::new(Watcher::new(self.clone(), guard, stream, after)))
    }
}

#[cfg(test)]
mod tests;
