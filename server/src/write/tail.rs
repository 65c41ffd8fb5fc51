//! The tail of one data source: reads the numbered events from the head on and hands them to the hub and to the
//! pages of hot subjects. One query for all watchers of the source, whoever gave the numbers.

use std::sync::Arc;

use riposte_core::Result;
use riposte_core::event::commits;
use riposte_core::ports::Outbox;

use super::backoff_log::BackoffLog;
use super::notifier::{Notified, OTHERS, QUICK};
use super::watch::WatchHub;
use crate::response_cache::ResponseCache;

/// Commits whose events are read at a time.
const CHUNK: usize = 100;

/// The tail of one source.
#[derive(Debug)]
pub(super) struct EventTail {
    outbox: Arc<dyn Outbox>,
    hub: WatchHub,
    pages: ResponseCache,
    source: usize,
    /// The last number handed on; `None` before the start.
    at: Option<i64>,
}

impl EventTail {
    /// A tail that begins at the head.
    pub(super) fn new(outbox: Arc<dyn Outbox>, hub: WatchHub, pages: ResponseCache, source: usize) -> Self {
        Self { outbox, hub, pages, source, at: None }
    }

    /// Follows the source for ever.
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

    /// Hands on what is there; whether there may be more. What failed half-way is done again from its start.
    async fn turn(&mut self) -> Result<bool> {
        let after = match self.at {
            Some(at) => at,
            None => {
                let head = self.outbox.head(self.source).await?;
                // Whoever joined before this knows of nothing that was numbered since.
                self.pages.doubt();
                self.hub.catch_up().await?;
                *self.at.insert(head)
            }
        };
        let events = self.outbox.read(self.source, after, CHUNK).await?;
        let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(false) };
        let (first, last, full) = (first.number, last.number, commits(&events) == CHUNK);
        if first > after + 1 {
            // It was away for so long that events were deleted meanwhile.
            self.pages.doubt();
            self.hub.catch_up().await?;
        }
        self.pages.hear(&events);
        self.hub.hear(events).await?;
        self.at = Some(last);
        Ok(full)
    }
}
