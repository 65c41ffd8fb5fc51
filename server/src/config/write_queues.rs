//! The lanes in which writes wait.

use super::errors::ErrorScope;
use super::store::{StoreKind, StoreSettings};
use crate::write::{MAX_BATCH, WriteQueueLimits};
use serde::{Deserialize, Serialize};

/// How many writes may wait, and who commits them.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WriteQueueSettings {
    /// Writes of one kind that may wait in one partition.
    pub lane_queue: usize,
    /// Writes of one kind that may wait for one data source.
    pub source_queue: usize,
    /// Transactions of one kind that one data source may have open at a time.
    pub committers: usize,
}

impl WriteQueueSettings {
    /// The same in the terms of the lanes. No more committers than the pool has connections for: two kinds, and two
    /// connections more for leases and the relay. More would only stand in line; SQLite has one writer.
    pub fn limits(&self, store: &StoreSettings) -> WriteQueueLimits {
        let WriteQueueSettings { lane_queue: write_queue, source_queue: source, committers } = *self;
        let room = store.pools.write.connections.saturating_sub(2) as usize / 2;
        // Partitions that share no table share no statement: a batch over many of them saves little and lasts long.
        let breadth = if store.index_tables == 1 { MAX_BATCH } else { 32 };
        let apart = store.kind == StoreKind::Mysql;
        WriteQueueLimits { write_queue, source, committers: committers.min(room).max(1), breadth, apart }
    }

    pub(super) fn validate(&self, report: &mut ErrorScope<'_>) {
        let write_queue = (MAX_BATCH..=65_536).contains(&self.lane_queue);
        report.require(write_queue, "lane_queue", &format!("must be {MAX_BATCH} to 65536"));
        let source = (self.lane_queue..=1 << 20).contains(&self.source_queue);
        report.require(source, "source_queue", "must be lanes.lane_queue to 1048576");
        report.require((1..=16).contains(&self.committers), "committers", "must be 1 to 16");
    }
}
