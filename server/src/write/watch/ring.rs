//! The last revisions of one subject, dense: what is not known of them is a gap.

use std::collections::VecDeque;
use std::sync::Arc;

use riposte_core::event::{Changes, Event};

/// Revisions that a ring keeps at most.
pub const KEPT: usize = 1_024;

/// What a watcher is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchItem {
    /// One revision and what it changed.
    Change {
        /// The revision.
        revision: i64,
        /// What it changed.
        changes: Changes,
    },
    /// Revisions that can no longer be told one by one.
    Gap {
        /// The first of them.
        first: i64,
        /// The last of them.
        last: i64,
    },
}

impl WatchItem {
    /// The newest revision it speaks of.
    pub(super) fn last(&self) -> i64 {
        match self {
            Self::Change { revision, .. } => *revision,
            Self::Gap { last, .. } => *last,
        }
    }
}

/// Entries without holes, oldest first: they speak of every revision behind `base`, each once.
#[derive(Debug)]
pub(super) struct WatchRing {
    base: i64,
    entries: VecDeque<Arc<WatchItem>>,
    /// Nothing older than `base` can be had any more.
    bottomed: bool,
}

impl WatchRing {
    /// A ring that begins behind a revision.
    pub(super) fn new(base: i64) -> Self {
        Self { base, entries: VecDeque::new(), bottomed: false }
    }

    /// The newest revision it speaks of.
    pub(super) fn at(&self) -> i64 {
        self.entries.back().map_or(self.base, |newest| newest.last())
    }

    /// The revision it begins behind.
    pub(super) fn base(&self) -> i64 {
        self.base
    }

    /// Whether events behind `after` would let it begin earlier, and from which revision on they are wanted.
    pub(super) fn wants(&self, after: i64) -> Option<i64> {
        let from = after.max(self.at() - KEPT as i64);
        (from < self.base && !self.bottomed).then_some(from)
    }

    /// Adds what is new of `events`, which are in the order of their revisions.
    pub(super) fn extend(&mut self, events: impl IntoIterator<Item = Event>) {
        for event in events {
            let Some(revision) = event.revision.filter(|revision| *revision > self.at()) else { continue };
            self.reach(revision - 1);
            self.push(WatchItem::Change { revision, changes: event.changes });
        }
    }

    /// Makes what it does not know up to a revision a gap.
    pub(super) fn reach(&mut self, revision: i64) {
        let at = self.at();
        if at < revision {
            self.push(WatchItem::Gap { first: at + 1, last: revision });
        }
    }

    fn push(&mut self, told: WatchItem) {
        self.entries.push_back(Arc::new(told));
        if self.entries.len() > KEPT
            && let Some(oldest) = self.entries.pop_front()
        {
            self.base = oldest.last();
        }
    }

    /// Lets it begin earlier: with the first of `events`, all that could be had behind `from`, in the order of their
    /// revisions.
    pub(super) fn begin_earlier(&mut self, from: i64, events: Vec<Event>) {
        let known = events.first().and_then(|event| event.revision).filter(|first| *first <= self.base);
        if let Some(first) = known {
            let mut older = WatchRing::new(first - 1);
            older.extend(events.into_iter().take_while(|event| event.revision <= Some(self.base)));
            older.reach(self.base);
            older.entries.append(&mut self.entries);
            (self.base, self.entries) = (older.base, older.entries);
        }
        self.bottomed = self.base > from;
    }

    /// At most `limit` entries that speak of revisions behind `seen`; `None` when some of them are gone.
    pub(super) fn behind(&self, seen: i64, limit: usize) -> Option<Vec<Arc<WatchItem>>> {
        if seen < self.base {
            return None;
        }
        let from = self.entries.partition_point(|told| told.last() <= seen);
        Some(self.entries.iter().skip(from).take(limit).map(Arc::clone).collect())
    }
}

#[cfg(test)]
mod tests;
