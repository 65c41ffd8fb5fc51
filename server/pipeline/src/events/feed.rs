//! The events of a source as one consumer reads them: from the outbox, or from the tail that the
//! consumers of the process share.

use std::sync::Arc;
use std::time::Duration;

use riposte_core::Result;
use riposte_core::ports::{Batching, EventLog};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::tail::{CHUNK, EventBatch, EventTail, TailHead};
use crate::notifier::Notified;
use crate::outbox_observation::OutboxObservation;

/// The interval at which a consumer of the tail checks whether held events may be delivered.
const HELD: Duration = Duration::from_millis(100);

/// The events of one source for one consumer.
#[derive(Debug)]
pub(crate) enum EventFeed {
    /// The outbox, for a consumer of the process that holds the lease.
    Outbox(OutboxFeed),
    /// The tail.
    Tail(TailFeed),
}

/// The events of a tail.
#[derive(Debug)]
pub(crate) struct TailFeed {
    tail: EventTail,
    progress: watch::Receiver<Option<TailHead>>,
    /// The number of times that the tail had begun anew when the consumer read this last.
    resets: u64,
}

/// The events of an outbox. Nothing is read while no event is known to follow a position.
#[derive(Debug)]
pub(crate) struct OutboxFeed {
    outbox: Arc<dyn EventLog>,
    /// Reports the events that the consumer may apply.
    ready: Notified,
    observations: watch::Receiver<Option<OutboxObservation>>,
    batching: Batching,
    source: usize,
    /// True if there may be events that the last observation does not show yet.
    may_have_more: bool,
}

impl From<OutboxFeed> for EventFeed {
    fn from(feed: OutboxFeed) -> Self {
        Self::Outbox(feed)
    }
}

impl OutboxFeed {
    /// Creates the feed of a source, numbered from 0. `ready` reports events that may be applied,
    /// and `batching` has the sizes and intervals of the batches.
    pub(crate) fn new(
        outbox: Arc<dyn EventLog>,
        ready: Notified,
        observations: watch::Receiver<Option<OutboxObservation>>,
        batching: Batching,
        source: usize,
    ) -> Self {
        Self { outbox, ready, observations, batching, source, may_have_more: true }
    }

    /// Returns the last observed head; `None` before the first observation.
    fn observed_head(&self) -> Option<i64> {
        self.observations.borrow().as_ref().map(|observation| observation.state.head)
    }

    /// Waits for the interval of the batches, and then until there may be events after `position`,
    /// for at most `idle` in all. Held events are not new.
    async fn wait(&mut self, has_held_events: bool, position: Option<i64>, idle: Duration) {
        self.may_have_more = false;
        sleep(self.batching.interval).await;
        let Self { ready, observations, batching, .. } = self;
        let is_new = |observation: &Option<OutboxObservation>| {
            let head = observation.as_ref().map(|observation| observation.state.head);
            !has_held_events && position.is_some_and(|position| head.is_some_and(|head| head > position))
        };
        let notified = async {
            tokio::select! {
                () = ready.changed() => true,
                Ok(_) = observations.wait_for(is_new) => false,
            }
        };
        self.may_have_more = timeout(idle.saturating_sub(batching.interval), notified).await == Ok(true);
    }
}

impl EventFeed {
    /// Creates the feed of a consumer that shares a tail.
    pub(crate) fn of_tail(tail: &EventTail) -> Self {
        Self::Tail(TailFeed { tail: tail.clone(), progress: tail.progress(), resets: 0 })
    }

    /// Returns true, once, after the sequence numbers went back: later events have numbers that the
    /// consumer may have passed. A feed of an outbox never says so; its consumer compares its
    /// position with the head.
    pub(super) fn was_reset(&mut self) -> bool {
        match self {
            Self::Outbox(_) => false,
            Self::Tail(TailFeed { progress, resets, .. }) => {
                let now = progress.borrow().map_or(0, |head| head.resets);
                std::mem::replace(resets, now) != now
            }
        }
    }

    /// Returns the maximum number of commits in a batch.
    pub(super) fn batch(&self) -> usize {
        match self {
            Self::Outbox(feed) => feed.batching.commits,
            Self::Tail(_) => CHUNK,
        }
    }

    /// Returns the last sequence number that can be read.
    pub(super) async fn head(&self) -> Result<i64> {
        match self {
            Self::Outbox(feed) => feed.outbox.head(feed.source).await,
            Self::Tail(feed) => Ok(feed.tail.head().await),
        }
    }

    /// Returns the last sequence number that is known without a read; `None` if none is known yet.
    pub(super) fn known_head(&self) -> Option<i64> {
        match self {
            Self::Outbox(feed) => feed.observed_head(),
            Self::Tail(feed) => feed.progress.borrow().map(|head| head.number),
        }
    }

    /// Returns `false` if there are certainly no events after a sequence number.
    pub(super) fn may_have_events(&self, after: i64) -> bool {
        match self {
            Self::Outbox(feed) => feed.may_have_more || feed.observed_head().is_none_or(|head| head > after),
            Self::Tail(_) => true,
        }
    }

    /// Returns the events of some of the commits after a sequence number, in order, at most
    /// `limit` commits; empty if there are none.
    pub(super) async fn read(&self, after: i64, limit: usize) -> Result<EventBatch> {
        match self {
            Self::Outbox(feed) => feed.outbox.read(feed.source, after, limit).await.map(EventBatch::from),
            Self::Tail(feed) => feed.tail.read(after, limit).await,
        }
    }

    /// Waits until there may be events after `position`, for at most `idle`. The wait is shorter if
    /// events are held back for another consumer.
    pub(super) async fn wait(&mut self, has_held_events: bool, position: Option<i64>, idle: Duration) {
        match self {
            Self::Outbox(feed) => feed.wait(has_held_events, position, idle).await,
            Self::Tail(TailFeed { progress, resets, .. }) => {
                // The tail may have read several batches while the consumer applied one.
                let head = *progress.borrow_and_update();
                let has_more = head.map(|head| head.number) > position;
                let was_reset = head.is_some_and(|head| head.resets != *resets);
                if was_reset || has_more && !has_held_events && position.is_some() {
                    return;
                }
                // The sender lives as long as the tail.
                let _ = timeout(if has_held_events { HELD } else { idle }, progress.changed()).await;
            }
        }
    }
}
