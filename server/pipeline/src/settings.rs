//! The settings of the write path: the queues of pending writes.

use super::{MAX_BATCH, WriteQueueLimits};
use riposte_settings::ErrorScope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Capacities of the write queues, and the number of committers.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct WriteQueueSettings {
    /// Writes of one batch type that may wait in one partition.
    pub partition_queue: usize,
    /// Writes of one batch type that may wait for one data source.
    pub source_queue: usize,
    /// Transactions of one batch type that one data source may have open at a time.
    pub committers: usize,
}

/// The properties of the store that bound the write queues.
#[derive(Clone, Copy, Debug)]
pub struct WriteCapacity {
    /// Connections of the write pool of each data source.
    pub connections: u32,
    /// The number of tables for comments.
    pub index_tables: u16,
    /// If true, other processes may write to the same data sources.
    pub shared: bool,
}

impl WriteQueueSettings {
    /// Returns the limits of the write queues. The two batch types share the connections of the
    /// write pool, of which two are reserved for leases and the relay. The others bound the number
    /// of committers, because further committers would only wait for a connection. SQLite has one
    /// writer.
    pub fn limits(&self, store: WriteCapacity) -> WriteQueueLimits {
        let WriteQueueSettings { partition_queue: write_queue, source_queue: source, committers } = *self;
        let connections = store.connections.saturating_sub(2) as usize / 2;
        // Partitions of different tables share no statement, so a batch over many of them takes
        // long and saves little.
        let queues_per_batch = if store.index_tables == 1 { MAX_BATCH } else { 32 };
        WriteQueueLimits {
            write_queue,
            source,
            committers: committers.min(connections).max(1),
            queues_per_batch,
            isolates_crowded: store.shared,
        }
    }

    /// Adds an error for each value that is out of bounds or conflicts with another one.
    pub fn validate(&self, report: &mut ErrorScope<'_>) {
        let is_valid = (MAX_BATCH..=65_536).contains(&self.partition_queue);
        report.require(is_valid, "partition_queue", &format!("must be {MAX_BATCH} to 65536"));
        let is_valid = (self.partition_queue..=1 << 20).contains(&self.source_queue);
        report.require(is_valid, "source_queue", "must be write_queues.partition_queue to 1048576");
        report.require((1..=16).contains(&self.committers), "committers", "must be 1 to 16");
    }
}
