//! The hub passes the revisions of a subject to its watchers in this process, dense and in order.
//!
//! The tails deliver the sequenced events of all sources. An event of a subject without watchers
//! costs one table lookup. A subject with watchers has a ring of its last revisions, which all its
//! watchers read. The database is queried when a subject is watched for the first time, when a
//! watcher resumes from before the start of the ring, when an event shows that others are missing,
//! and when the subject itself changed, but never for each watcher.

mod consumer;
mod ring;
mod stream;
mod subscriptions;
mod watcher;

use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::event::SequencedEvent;
use riposte_core::ports::{EventLog, SubjectLoad, SubjectWatch, SubjectWatches};
use riposte_core::{Error, Result, SubjectKey};
use riposte_telemetry::Metrics;
use tokio::sync::watch;

use ring::CAPACITY;
use stream::{FIRST_CHANGE, SubjectStream};
use subscriptions::{SubscriptionGuard, WatchSubscriptions};
use watcher::Watcher;

/// All watchers of this process. Cloning is cheap, and clones share the hub.
#[derive(Debug, Clone)]
pub struct WatchHub {
    outbox: Arc<dyn EventLog>,
    subscriptions: Arc<WatchSubscriptions>,
    closing: Arc<watch::Sender<bool>>,
    metrics: Metrics,
}

impl WatchHub {
    /// Creates a hub without watchers.
    #[must_use]
    pub fn new(outbox: Arc<dyn EventLog>, metrics: Metrics) -> Self {
        Self { outbox, subscriptions: Arc::default(), closing: Arc::default(), metrics }
    }

    async fn stream(&self, guard: &SubscriptionGuard, after: i64, load: SubjectLoad<'_>) -> Result<Arc<SubjectStream>> {
        let _load_lock = guard.subscription.load.lock().await;
        let stream = match guard.subscription.stream.get().map(Arc::clone) {
            Some(stream) if !stream.is_outdated() => stream,
            outdated => {
                let changes = outdated.map_or(FIRST_CHANGE, |stream| stream.row_changes());
                let subject = load.await?;
                let current = subject.revision;
                let base = if after == 0 { current } else { after.clamp((current - CAPACITY as i64).max(0), current) };
                // The stream receives events from here on. Those committed since `load` are
                // queried.
                let stream = guard.publish(SubjectStream::new(&subject, base));
                stream.complete(&*self.outbox, current, changes).await?;
                stream
            }
        };
        if after > 0 {
            stream.extend_back_to(&*self.outbox, after).await?;
        }
        Ok(stream)
    }

    /// Passes on the sequenced events of a source, in their order. Safe to repeat: a revision is
    /// not delivered twice.
    ///
    /// # Errors
    /// Those of the outbox, which is queried if events show that others are missing.
    pub async fn update(&self, events: &[SequencedEvent]) -> Result<()> {
        let streams = self.subscriptions.streams(events.iter().map(|sequenced| sequenced.event.subject));
        for (stream, sequenced) in streams.into_iter().zip(events) {
            if let Some(stream) = stream {
                stream.add(&*self.outbox, &sequenced.event).await?;
            }
        }
        Ok(())
    }

    /// Queries, for every watched subject, the events that the hub may have missed.
    ///
    /// # Errors
    /// Those of the outbox.
    pub async fn catch_up(&self) -> Result<()> {
        for stream in self.subscriptions.all() {
            stream.catch_up(&*self.outbox).await?;
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
    /// The subject is loaded only if its current state is not known.
    async fn join(&self, key: &SubjectKey, after: i64, load: SubjectLoad<'_>) -> Result<Box<dyn SubjectWatch>> {
        if *self.closing.borrow() {
            return Err(Error::ServerStopping);
        }
        let guard = self.subscriptions.guard(key)?;
        let stream = self.stream(&guard, after, load).await?;
        Ok(Box::new(Watcher::new(self.clone(), guard, stream, after)))
    }
}

#[cfg(test)]
mod tests;
