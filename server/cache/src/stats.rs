//! Counters of the cache's operations, read by the metrics.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A counted event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheEvent {
    /// A lookup that the cache served.
    Hit,
    /// A lookup that missed.
    Miss,
    /// A lookup while the cache was unavailable.
    Unavailable,
    /// A read of the rows after a miss.
    PrimaryRead,
    /// A fill that was stored.
    Fill,
    /// A fill that was refused, because its data may be outdated.
    FillRefused,
    /// A commit whose cache update failed or was late; the cache repair applies it.
    UpdateFailed,
    /// A partition that began a new generation.
    GenerationStarted,
    /// A cached value that was audited.
    Audited,
    /// A cached value that differed from its rows although the cache repair had applied the
    /// change.
    Drift,
    /// A cached value that differed from its rows, and whose change the cache repair did not apply
    /// in time.
    Late,
}

impl CacheEvent {
    /// All events, with their names in metrics.
    pub const ALL: [(Self, &'static str); 11] = [
        (Self::Hit, "hit"),
        (Self::Miss, "miss"),
        (Self::Unavailable, "unavailable"),
        (Self::PrimaryRead, "primary_read"),
        (Self::Fill, "fill"),
        (Self::FillRefused, "fill_refused"),
        (Self::UpdateFailed, "update_failed"),
        (Self::GenerationStarted, "generation_started"),
        (Self::Audited, "audited"),
        (Self::Drift, "drift"),
        (Self::Late, "late"),
    ];
}

/// The counters of a process. Cloning is cheap, and clones share the counters.
#[derive(Debug, Clone, Default)]
pub struct CacheStats(Arc<[AtomicU64; CacheEvent::ALL.len()]>);

impl CacheStats {
    /// Adds `count` events.
    pub(crate) fn add(&self, event: CacheEvent, count: usize) {
        self.0[event as usize].fetch_add(count as u64, Ordering::Relaxed);
    }

    /// Adds one event.
    pub(crate) fn increment(&self, event: CacheEvent) {
        self.add(event, 1);
    }

    /// Returns the number of events so far.
    #[must_use]
    pub fn of(&self, event: CacheEvent) -> u64 {
        self.0[event as usize].load(Ordering::Relaxed)
    }
}
