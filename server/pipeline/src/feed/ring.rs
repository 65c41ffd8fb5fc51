//! The last events of one source, complete with the rows that they name.

use std::collections::VecDeque;
use std::sync::Arc;

use riposte_core::feed::{EventFilter, EventPosition, FeedEvent};

use super::resolve::FeedCommit;

/// The size of a ring in bytes. It is also the amount of events by which a subscriber that was up
/// to date may fall behind.
const CAPACITY: usize = 1 << 20;
/// The number of batches that stay in a ring whatever their size, so that a large batch is no
/// reason to end all subscriptions.
const MIN_BATCHES: usize = 2;
/// The number of events that a subscriber takes at a time.
const READ_LIMIT: usize = 64;

/// The events of the commits from `base` to `head`.
#[derive(Debug, Default)]
pub(super) struct FeedRing {
    /// The first sequence number that the ring covers.
    base: i64,
    /// The last one; `None` before the start.
    head: Option<i64>,
    batches: VecDeque<RingBatch>,
    bytes: usize,
    /// The number of times that it began anew before its head.
    resets: u64,
}

/// Events that were read together.
#[derive(Debug)]
struct RingBatch {
    events: Vec<Arc<FeedEvent>>,
    last: i64,
    bytes: usize,
}

/// The result of a read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RingRead {
    /// The events that a filter selects, and the position after all that were checked.
    Events(Vec<Arc<FeedEvent>>, EventPosition),
    /// The position is before the ring.
    Behind,
    /// No event follows the position.
    End,
    /// The position is after the last sequence number that the ring covers, so the ring lags or the
    /// data was restored.
    Ahead,
}

impl FeedRing {
    pub(super) fn head(&self) -> Option<i64> {
        self.head
    }

    /// Begins anew after the last sequence number of the source. If the ring had more, the numbers
    /// went back.
    pub(super) fn begin(&mut self, head: i64) {
        self.resets += u64::from(self.head > Some(head));
        self.restart(head);
    }

    /// Returns the number of times that the numbers went back.
    pub(super) fn resets(&self) -> u64 {
        self.resets
    }

    /// Begins anew after a sequence number.
    fn restart(&mut self, head: i64) {
        let resets = self.resets;
        *self = Self { base: head.saturating_add(1), head: Some(head), resets, ..Self::default() };
    }

    /// Covers nothing up to `last`.
    pub(super) fn skip_to(&mut self, last: i64) {
        if self.head.is_none_or(|head| head < last) {
            self.restart(last);
        }
    }

    /// Adds those of the commits up to `last` that follow the head.
    pub(super) fn extend(&mut self, commits: &[FeedCommit], last: i64) {
        let Some(first) = commits.first().map(|first| first.number) else { return self.skip_to(last) };
        match self.head {
            Some(head) if last <= head => return,
            Some(head) if first <= head.saturating_add(1) => {}
            Some(_) | None => self.restart(first.saturating_sub(1)),
        }
        let new: Vec<&FeedCommit> = commits.iter().filter(|commit| self.head < Some(commit.number)).collect();
        let bytes = new.iter().map(|commit| commit.bytes).sum();
        let events = new.iter().flat_map(|commit| &commit.events).map(Arc::clone).collect();
        self.batches.push_back(RingBatch { events, last, bytes });
        (self.head, self.bytes) = (Some(last), self.bytes + bytes);
        while self.bytes > CAPACITY && self.batches.len() > MIN_BATCHES {
            let Some(oldest) = self.batches.pop_front() else { break };
            (self.base, self.bytes) = (oldest.last.saturating_add(1), self.bytes - oldest.bytes);
        }
    }

    /// Returns the next events that a filter selects.
    pub(super) fn read(&self, from: EventPosition, filter: &EventFilter) -> RingRead {
        let Some(head) = self.head else { return RingRead::Ahead };
        let end = EventPosition::after(head);
        if from >= end {
            return if from == end { RingRead::End } else { RingRead::Ahead };
        }
        if from.number < self.base {
            return RingRead::Behind;
        }
        let mut selected = Vec::new();
        let batches = self.batches.iter().skip_while(|batch| batch.last < from.number);
        let following = |batch: &RingBatch| batch.events.partition_point(|event| event.position < from);
        let events = batches.flat_map(|batch| batch.events.get(following(batch)..).unwrap_or_default());
        for event in events.filter(|event| filter.selects(event)) {
            selected.push(Arc::clone(event));
            if selected.len() == READ_LIMIT {
                return RingRead::Events(selected, event.position.next());
            }
        }
        RingRead::Events(selected, end)
    }
}

#[cfg(test)]
mod tests;
