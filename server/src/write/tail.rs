//! The tail of one data source. It reads the sequenced events from the head on and passes them to
//! the hub and to the response cache. One query serves all watchers of the source, regardless of
//! which process assigned the sequence numbers.

use std::sync::Arc;

use riposte_core::Result;
use riposte_core::event::commits;
use riposte_core::ports::Outbox;
use riposte_sync::BackoffLog;

use super::notifier::{Notified, OTHERS, QUICK};
use super::watch::WatchHub;
use crate::response_cache::ResponseCache;

/// The number of commits whose events are read at a time.
const CHUNK: usize = 100;

/// The tail of one source.
#[derive(Debug)]
pub(super) struct EventTail {
    outbox: Arc<dyn Outbox>,
    hub: WatchHub,
    pages: ResponseCache,
    source: usize,
    /// The last sequence number passed on; `None` before the start.
    at: Option<i64>,
}

impl EventTail {
    /// Creates a tail that begins at the head.
    pub(super) fn new(outbox: Arc<dyn Outbox>, hub: WatchHub, pages: ResponseCache, source: usize) -> Self {
        Self { outbox, hub, pages, source, at: None }
    }

    /// Follows the source forever.
    pub(super) async fn run(mut self, mut numbers: Notified) {
        let mut trouble = BackoffLog::of("tail", self.source);
        loop {
            match self.turn().await {
                Ok(more) => {
                    trouble.over();
                    if !more {
                        numbers.rest(QUICK, OTHERS).await;
                    }
                }
                Err(error) => tokio::time::sleep(trouble.met(&error)).await,
            }
        }
    }

    /// Passes on the available events. Returns true if more may be available. A run that fails
    /// half-way is repeated from its start.
    async fn turn(&mut self) -> Result<bool> {
        let after = match self.at {
            Some(at) => at,
            None => {
                let head = self.outbox.head(self.source).await?;
                // Watchers that joined before this point know nothing of the events sequenced
                // since.
                self.pages.doubt();
                self.hub.catch_up().await?;
                *self.at.insert(head)
            }
        };
        let events = self.outbox.read(self.source, after, CHUNK).await?;
        let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(false) };
        let (first, last, full) = (first.number, last.number, commits(&events) == CHUNK);
        if first > after + 1 {
            // The tail was interrupted for so long that events were deleted meanwhile.
            self.pages.doubt();
            self.hub.catch_up().await?;
        }
        self.pages.hear(&events);
        self.hub.hear(events).await?;
        self.at = Some(last);
        Ok(full)
    }
}
