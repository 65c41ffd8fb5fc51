//! What the cache has done, counted; whoever measures reads it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheEvent {
    /// A look that the copies answered.
    Hit,
    /// One that they did not.
    Miss,
    /// One while the cache was away.
    Away,
    /// A read of the rows that the copies could not answer.
    Read,
    /// A fill that was kept.
    Fill,
    /// One that could not be known to be true.
    Refused,
    /// A commit whose copies were not changed in time; the relay tells them.
    Unheard,
    /// A partition that began a new generation.
    Renewed,
    /// A copy that an audit looked at.
    Audited,
    /// A copy that differed from its row, of which it had been told.
    Drift,
    /// One that had not been told for longer than the relay takes.
    Late,
}

impl CacheEvent {
    /// All of them, with the names that they are measured by.
    pub const ALL: [(Self, &'static str); 11] = [
        (Self::Hit, "hit"),
        (Self::Miss, "miss"),
        (Self::Away, "away"),
        (Self::Read, "read"),
        (Self::Fill, "fill"),
        (Self::Refused, "refused"),
        (Self::Unheard, "unheard"),
        (Self::Renewed, "renewed"),
        (Self::Audited, "audited"),
        (Self::Drift, "drift"),
        (Self::Late, "late"),
    ];
}

/// The counts of a process. Cloning is cheap, and clones count together.
#[derive(Debug, Clone, Default)]
pub struct CacheStats(Arc<[AtomicU64; CacheEvent::ALL.len()]>);

impl CacheStats {
    /// So many more.
    pub(crate) fn add(&self, what: CacheEvent, count: usize) {
        self.0[what as usize].fetch_add(count as u64, Ordering::Relaxed);
    }

    /// One more.
    pub(crate) fn one(&self, what: CacheEvent) {
        self.add(what, 1);
    }

    /// How many so far.
    #[must_use]
    pub fn of(&self, what: CacheEvent) -> u64 {
        self.0[what as usize].load(Ordering::Relaxed)
    }
}
