//! The positions of a consumer that passes events on. It has no state of the rows, so it goes on at
//! its position, also at one before the first event; and what it misses it reports.

use std::sync::Arc;

use riposte_core::ports::{Epoch, EventForwarder, MissedCause, MissedEvents};
use riposte_core::{Error, Result};

use super::ConsumerLoop;

impl ConsumerLoop {
    /// Makes it the loop of a consumer that passes events on.
    pub(crate) fn forwarding(self, forwarder: Option<Arc<dyn EventForwarder>>) -> Self {
        Self { forwarder, ..self }
    }

    /// Returns the position at which the consumer begins.
    pub(super) async fn forwarding_position(&self, epoch: Epoch) -> Result<i64> {
        let stored = self.ports.positions.all(self.source).await?;
        let stored = stored.into_iter().find(|stored| stored.name == self.consumer.name());
        // The head is read after the position, so a position that relays made is not ahead.
        let head = self.feed.head().await?;
        let (cause, from) = match stored.map(|stored| stored.number) {
            Some(number) if number <= head => return Ok(number),
            Some(number) => (MissedCause::Restored, number),
            None => (MissedCause::NoPosition, 0),
        };
        self.resume(epoch, from, MissedEvents { cause, last: head, head }).await
    }

    /// Returns the position at which the consumer goes on after events were deleted.
    pub(super) async fn resume_after_deleted(&self, epoch: Epoch, position: i64) -> Result<i64> {
        // The head is read first: events that are sequenced meanwhile are found by the read.
        let head = self.feed.head().await?;
        let available = self.feed.read(position, 1).await?;
        let last = available.first().map_or(head, |first| first.number.saturating_sub(1));
        self.resume(epoch, position, MissedEvents { cause: MissedCause::Deleted, last, head }).await
    }

    async fn resume(&self, epoch: Epoch, from: i64, missed: MissedEvents) -> Result<i64> {
        let MissedEvents { cause, last, head } = missed;
        tracing::warn!(
            source = self.source + 1,
            consumer = self.name(),
            position = from,
            last,
            head,
            ?cause,
            "the consumer does not get the events up to this one"
        );
        let forwarder = self.forwarder.as_ref().ok_or_else(|| Error::internal("the consumer passes no events on"))?;
        let position = forwarder.resume(self.source, missed).await?;
        self.store(epoch, from, position).await?;
        Ok(position)
    }
}
