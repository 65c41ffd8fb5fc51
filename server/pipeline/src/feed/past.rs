//! The events before the rings, from the outbox.

use std::cmp::Ordering;
use std::sync::Arc;

use riposte_core::event::SequencedEvent;
use riposte_core::feed::{EventFilter, EventPosition, FeedEvent, GapReason};
use riposte_core::ports::{EventLog, EventRows};
use riposte_core::{Millis, Result};

use super::resolve::resolve;

/// The number of commits that are read at a time.
const COMMITS: usize = 100;

/// The events of the outboxes up to an age.
#[derive(Debug)]
pub(super) struct PastEvents<'a> {
    pub(super) outbox: &'a dyn EventLog,
    pub(super) rows: &'a dyn EventRows,
    /// The time of the oldest commit whose events are available.
    pub(super) oldest: Millis,
}

/// The result of a read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PastRead {
    /// The events that a filter selects, and the position after all that were read.
    Events(Vec<Arc<FeedEvent>>, EventPosition),
    /// Events after the position are no longer available; those from another position are.
    Gap(GapReason, EventPosition),
    /// No event follows the position.
    End,
}

impl PastEvents<'_> {
    /// Reads the events of the commits from a position on.
    pub(super) async fn read(&self, source: usize, from: EventPosition, filter: &EventFilter) -> Result<PastRead> {
        let mut entries = self.entries(source, from).await?;
        if entries.is_empty() {
            let end = EventPosition::after(self.outbox.head(source).await?);
            match from.cmp(&end) {
                Ordering::Equal => return Ok(PastRead::End),
                Ordering::Greater => return Ok(PastRead::Gap(GapReason::Restored, end)),
                // Commits up to the head were numbered since the read, or they were deleted.
                Ordering::Less => entries = self.entries(source, from).await?,
            }
        }
        if entries.first().is_none_or(|first| first.number > from.number || first.event.time < self.oldest) {
            let next = self.first_available(source, entries).await?;
            return Ok(PastRead::Gap(GapReason::Retention, next));
        }
        let last = entries.last().map_or(from.number, |last| last.number);
        let commits = resolve(self.rows, source, &entries).await?;
        let events = commits.into_iter().flat_map(|commit| commit.events);
        let selected = events.filter(|event| event.position >= from && filter.selects(event));
        Ok(PastRead::Events(selected.collect(), EventPosition::after(last)))
    }

    /// Returns the time of the oldest commit of a source that is available; `None` if none is.
    pub(super) async fn oldest_time(&self, source: usize) -> Result<Option<Millis>> {
        let first = self.outbox.read(source, 0, 1).await?;
        Ok(first.first().map(|first| first.event.time.max(self.oldest)))
    }

    async fn entries(&self, source: usize, from: EventPosition) -> Result<Vec<SequencedEvent>> {
        self.outbox.read(source, from.number.saturating_sub(1), COMMITS).await
    }

    /// Returns the position of the first commit that is available, from these entries on.
    async fn first_available(&self, source: usize, mut entries: Vec<SequencedEvent>) -> Result<EventPosition> {
        loop {
            if let Some(first) = entries.iter().find(|entry| entry.event.time >= self.oldest) {
                return Ok(EventPosition { number: first.number, index: 0 });
            }
            let Some(last) = entries.last().map(|last| EventPosition::after(last.number)) else {
                return Ok(EventPosition::after(self.outbox.head(source).await?));
            };
            entries = self.entries(source, last).await?;
        }
    }
}
