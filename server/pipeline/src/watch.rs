//! The hub passes the revisions of a subject to its watchers in this process, dense and in order.
//!
//! The tails deliver the sequenced events of all sources. An event of a subject without watchers
//! costs one table lookup. A subject with watchers has a ring of its last revisions, which all its
//! watchers read. The database is queried when a subject is watched for the first time, when a
//! watcher resumes from before the start of the ring, when an event shows that others are missing,
//! and when the subject itself changed, but never for each watcher.

mod consumer;
mod live;
mod ring;
mod subscriptions;
mod watcher;

use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::event::SequencedEvent;
use riposte_core::ports::{Outbox, SubjectLoad, SubjectWatch, SubjectWatches};
use riposte_core::{Error, Result, SubjectKey};
use riposte_telemetry::Metrics;
use tokio::sync::watch;

use live::{FIRST_DOUBT, SubjectStream};
use ring::KEPT;
use subscriptions::{SubscriptionGuard, WatchSubscriptions};
use watcher::Watcher;

/// All watchers of this process. Cloning is cheap, and clones share the hub.
#[derive(Debug, Clone)]
pub struct WatchHub {
    outbox: Arc<dyn Outbox>,
    places: Arc<WatchSubscriptions>,
    closing: Arc<watch::Sender<bool>>,
    metrics: Metrics,
}

impl WatchHub {
    /// Creates a hub without watchers.
    #[must_use]
    pub fn new(outbox: Arc<dyn Outbox>, metrics: Metrics) -> Self {
        Self { outbox, places: Arc::default(), closing: Arc::default(), metrics }
    }

    async fn find(&self, seat: &SubscriptionGuard, after: i64, load: SubjectLoad<'_>) -> Result<Arc<SubjectStream>> {
        let _door = seat.place.door.lock().await;
        let live = match seat.place.live.get().map(Arc::clone) {
            Some(live) if !live.is_doubtful() => live,
            known => {
                let doubts = known.map_or(FIRST_DOUBT, |live| live.doubts());
                let subject = load.await?;
                let now = subject.revision;
                let base = if after == 0 { now } else { after.clamp((now - KEPT as i64).max(0), now) };
                // The subscription receives events from here on. Those committed between `load` and
                // now are queried.
                let live = seat.open(SubjectStream::new(&subject, base));
                live.settle(&*self.outbox, now, doubts).await?;
                live
            }
        };
        if after > 0 {
            live.begin_behind(&*self.outbox, after).await?;
        }
        Ok(live)
    }

    /// Passes on the sequenced events of a source, in their order. Safe to repeat: a revision is
    /// not delivered twice.
    ///
    /// # Errors
    /// Those of the outbox, which is queried if events show that others are missing.
    pub async fn hear(&self, events: &[SequencedEvent]) -> Result<()> {
        let live = self.places.live(events.iter().map(|sequenced| sequenced.event.subject));
        for (live, sequenced) in live.into_iter().zip(events) {
            if let Some(live) = live {
                live.hear(&*self.outbox, &sequenced.event).await?;
            }
        }
        Ok(())
    }

    /// Queries the events of every watched subject that may have been missed.
    ///
    /// # Errors
    /// Those of the outbox.
    pub async fn catch_up(&self) -> Result<()> {
        for live in self.places.all() {
            live.catch_up(&*self.outbox).await?;
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
        let seat = self.places.seat(key)?;
        let live = self.find(&seat, after, load).await?;
        Ok(Box::new(Watcher::new(self.clone(), seat, live, after)))
    }
}

#[cfg(test)]
mod tests;
