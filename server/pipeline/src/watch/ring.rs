//! The last revisions of one subject, dense: unknown revisions are represented as gaps.

use std::collections::VecDeque;
use std::sync::Arc;

use riposte_core::event::Event;
use riposte_core::ports::WatchItem;

/// The maximum number of entries of a ring.
pub(super) const CAPACITY: usize = 1_024;

/// Entries, oldest first. They cover every revision after `base` once.
#[derive(Debug)]
pub(super) struct WatchRing {
    base: i64,
    entries: VecDeque<Arc<WatchItem>>,
    /// True if no event older than `base` is available any more.
    is_exhausted: bool,
    /// The number of times that the subject lost revisions.
    resets: u64,
    /// The last revision that was left the last time.
    left: i64,
}

impl WatchRing {
    /// Creates a ring that begins after a revision.
    pub(super) fn new(base: i64) -> Self {
        Self { base, entries: VecDeque::new(), is_exhausted: false, resets: 0, left: base }
    }

    /// Removes the revisions after one: the subject has lost them.
    pub(super) fn reset(&mut self, revision: i64) {
        self.entries.retain(|item| item.last() <= revision);
        self.base = self.base.min(revision);
        // A gap may have covered revisions before it and after it.
        self.fill_to(revision);
        self.is_exhausted = false;
        (self.resets, self.left) = (self.resets + 1, revision);
    }

    /// Returns the number of times that the subject lost revisions, and the last one that was left
    /// the last time.
    pub(super) fn resets(&self) -> (u64, i64) {
        (self.resets, self.left)
    }

    /// Returns the newest revision that the ring covers.
    pub(super) fn newest(&self) -> i64 {
        self.entries.back().map_or(self.base, |newest| newest.last())
    }

    /// Returns the revision after which the ring begins.
    pub(super) fn base(&self) -> i64 {
        self.base
    }

    /// Returns the revision after which older events are needed, if events after `after` would
    /// extend the ring backwards.
    pub(super) fn earlier_start(&self, after: i64) -> Option<i64> {
        let from = after.max(self.newest() - CAPACITY as i64);
        (from < self.base && !self.is_exhausted).then_some(from)
    }

    /// Adds the new ones of `events`, which are in the order of their revisions.
    pub(super) fn extend(&mut self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            let Some(revision) = event.revision.filter(|revision| *revision > self.newest()) else { continue };
            self.fill_to(revision - 1);
            self.push(WatchItem::Change { revision, changes: event.changes });
        }
    }

    /// Fills the unknown revisions up to `revision` with a gap.
    pub(super) fn fill_to(&mut self, revision: i64) {
        let newest = self.newest();
        if newest < revision {
            self.push(WatchItem::Gap { first: newest + 1, last: revision });
        }
    }

    fn push(&mut self, item: WatchItem) {
        self.entries.push_back(Arc::new(item));
        if self.entries.len() > CAPACITY
            && let Some(oldest) = self.entries.pop_front()
        {
            self.base = oldest.last();
        }
    }

    /// Extends the ring backwards with `events`: all that were available after `from`, in the order
    /// of their revisions.
    pub(super) fn extend_backwards(&mut self, from: i64, events: Vec<Event>) {
        let known = events.first().and_then(|event| event.revision).filter(|first| *first <= self.base);
        if let Some(first) = known {
            let mut older = WatchRing::new(first - 1);
            older.extend(events.into_iter().take_while(|event| event.revision <= Some(self.base)));
            older.fill_to(self.base);
            older.entries.append(&mut self.entries);
            (self.base, self.entries) = (older.base, older.entries);
        }
        self.is_exhausted = self.base > from;
    }

    /// Returns up to `limit` entries that cover revisions after `seen`; `None` if some of them are
    /// no longer in the ring.
    pub(super) fn after(&self, seen: i64, limit: usize) -> Option<Vec<Arc<WatchItem>>> {
        if seen < self.base {
            return None;
        }
        let from = self.entries.partition_point(|item| item.last() <= seen);
        Some(self.entries.iter().skip(from).take(limit).map(Arc::clone).collect())
    }
}

#[cfg(test)]
mod tests;
