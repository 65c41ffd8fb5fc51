//! The events of a source as one consumer reads them: from the outbox, or from the tail that the
//! consumers of the process share.

use std::sync::Arc;
use std::time::Duration;

use riposte_core::Result;
use riposte_core::ports::{Batching, EventLog};
use tokio::sync::watch;
use tokio::time::timeout;

use super::tail::{CHUNK, EventBatch, EventTail};
use crate::notifier::{Notified, POLL_OTHERS, POLL_OWN};

/// The interval at which an idle consumer is called.
const IDLE: Duration = Duration::from_secs(1);

/// The events of one source for one consumer.
#[derive(Debug)]
pub(crate) enum EventFeed {
    /// The outbox, for a consumer of the process that holds the lease.
    Outbox {
        /// The outbox.
        outbox: Arc<dyn EventLog>,
        /// Reports the events that the consumer may apply.
        ready: Notified,
        /// The sizes and intervals of its batches.
        batching: Batching,
        /// The source.
        source: usize,
    },
    /// The tail.
    Tail(EventTail, watch::Receiver<Option<i64>>),
}

impl EventFeed {
    /// Creates the feed of a consumer that shares a tail.
    pub(crate) fn of_tail(tail: &EventTail) -> Self {
        Self::Tail(tail.clone(), tail.progress())
    }

    /// Returns the maximum number of commits in a batch.
    pub(super) fn batch(&self) -> usize {
        match self {
            Self::Outbox { batching, .. } => batching.commits,
            Self::Tail(..) => CHUNK,
        }
    }

    /// Returns the last sequence number that can be read.
    pub(super) async fn head(&self) -> Result<i64> {
        match self {
            Self::Outbox { outbox, source, .. } => outbox.head(*source).await,
            Self::Tail(tail, _) => Ok(tail.head().await),
        }
    }

    /// Returns the events of some of the commits after a sequence number, in order, at most
    /// `limit` commits; empty if there are none.
    pub(super) async fn read(&self, after: i64, limit: usize) -> Result<EventBatch> {
        match self {
            Self::Outbox { outbox, source, .. } => outbox.read(*source, after, limit).await.map(EventBatch::from),
            Self::Tail(tail, _) => tail.read(after, limit).await,
        }
    }

    /// Waits until there may be events after `position`, for at most a second. The wait is shorter
    /// if events are held back for another consumer.
    pub(super) async fn wait(&mut self, has_held_events: bool, position: Option<i64>) {
        match self {
            // This process assigns the sequence numbers.
            Self::Outbox { ready, batching, .. } => ready.wait(batching.interval, POLL_OWN).await,
            Self::Tail(_, progress) => {
                // The tail may have read several batches while the consumer applied one.
                let has_more = *progress.borrow_and_update() > position;
                if has_more && !has_held_events && position.is_some() {
                    return;
                }
                // The sender lives as long as the tail.
                let _ = timeout(if has_held_events { POLL_OTHERS } else { IDLE }, progress.changed()).await;
            }
        }
    }
}
