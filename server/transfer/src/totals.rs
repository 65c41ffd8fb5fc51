//! Totals of a run, counted by several streams concurrently.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::record::Record;

/// Counts of one run. They only grow.
#[derive(Debug, Default)]
pub(crate) struct ImportTotals {
    /// Records read from the files so far.
    pub(crate) read: Count,
    /// Items known so far: read from the files, or counted in advance.
    pub(crate) total: Count,
    /// Items with a response, and items that were never sent because they cannot be imported.
    pub(crate) done: Count,
    pub(crate) subjects: ItemTotals,
    pub(crate) comments: ItemTotals,
    pub(crate) likes: ItemTotals,
    /// Likes that stand for votes known only as numbers.
    pub(crate) synthetic: Count,
    /// Votes known only as numbers that were left out.
    pub(crate) votes_skipped: Count,
    /// Identical repetitions of comments in the input.
    pub(crate) repeated: Count,
    pub(crate) rejected: Count,
    /// Items that were sent again because a connection was lost before their response.
    pub(crate) resent: Count,
    /// True if all of the input has been read.
    pub(crate) total_known: AtomicBool,
}

/// The outcomes of the items of one kind.
#[derive(Debug, Default)]
pub(crate) struct ItemTotals {
    pub(crate) created: Count,
    pub(crate) unchanged: Count,
}

/// A counter.
#[derive(Debug, Default)]
pub(crate) struct Count(AtomicU64);

impl Count {
    /// Adds `count`.
    pub(crate) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    /// Returns the current value.
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl ImportTotals {
    /// Returns the number of items that are expected so far.
    pub(crate) fn expected(&self) -> u64 {
        self.total.get().max(self.read.get())
    }

    /// Returns true if the server has accepted an item.
    pub(crate) fn has_accepted(&self) -> bool {
        let kinds = [&self.subjects, &self.comments, &self.likes];
        kinds.into_iter().any(|kind| kind.created.get() + kind.unchanged.get() > 0)
    }

    /// Returns the counts for records of this kind.
    pub(crate) fn kind(&self, record: &Record) -> &ItemTotals {
        match record {
            Record::Subject(_) => &self.subjects,
            Record::Comment(_) => &self.comments,
            Record::Like(_) => &self.likes,
        }
    }
}
