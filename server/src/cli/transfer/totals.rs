//! What has been done so far, counted by several streams at once.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::record::Record;

/// Counts of one run. Every number only grows.
#[derive(Debug, Default)]
pub(crate) struct ImportTotals {
    /// Items known of so far: read from the files, or counted beforehand.
    pub(crate) total: Count,
    /// Items with an answer, and items that were never sent because they cannot be brought in.
    pub(crate) done: Count,
    pub(crate) subjects: ItemTotals,
    pub(crate) comments: ItemTotals,
    pub(crate) likes: ItemTotals,
    /// Among the likes: those that stand for votes known only as numbers.
    pub(crate) synthetic: Count,
    /// Votes known only as numbers that were left out.
    pub(crate) votes_skipped: Count,
    /// Comments that stood in the input twice without any difference.
    pub(crate) repeated: Count,
    pub(crate) rejected: Count,
    /// Items that were sent again because a connection was lost before their answer.
    pub(crate) resent: Count,
    /// All of the input has been read, so `total` is final.
    pub(crate) total_known: AtomicBool,
}

/// What became of the items of one kind.
#[derive(Debug, Default)]
pub(crate) struct ItemTotals {
    pub(crate) created: Count,
    pub(crate) unchanged: Count,
}

/// One number.
#[derive(Debug, Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    /// Adds to it.
    pub(crate) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    /// Its value now.
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl ImportTotals {
    /// The counts for records of this kind.
    pub(crate) fn kind(&self, record: &Record) -> &ItemTotals {
        match record {
            Record::Subject(_) => &self.subjects,
            Record::Comment(_) => &self.comments,
            Record::Like(_) => &self.likes,
        }
    }
}
