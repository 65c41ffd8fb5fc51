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
    /// The highest number of write queues, and so of partitions, that one transaction may span.
    pub queues_per_batch: usize,
    /// If true, other processes may write to the same data sources.
    pub shared: bool,
}

impl WriteQueueSettings {
    /// Returns the limits of the write queues. The two batch types share the connections of the
    /// write pool, of which two are reserved for leases and the relay. The others bound the number
    /// of committers, because further committers would only wait for a connection. Where other
    /// processes write too, some of them commit only contended subjects. SQLite has one writer.
    pub fn limits(&self, store: WriteCapacity) -> WriteQueueLimits {
        let WriteQueueSettings { partition_queue: write_queue, source_queue: source, committers } = *self;
        let connections = (store.connections.saturating_sub(2) as usize / 2).max(1);
        let for_contended = usize::from(store.shared);
        let committers = committers.min(connections.saturating_sub(for_contended)).max(1);
        let contended_committers = for_contended * committers.min(connections - committers);
        WriteQueueLimits {
            write_queue,
            source,
            committers,
            contended_committers,
            queues_per_batch: store.queues_per_batch,
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

#[cfg(test)]
mod tests {
    use super::{WriteCapacity, WriteQueueSettings};

    #[test]
    fn committers_fit_into_the_pool_and_a_shared_store_has_some_for_contended_subjects() {
        // Connections, shared, committers of the settings; committers and those for contended
        // subjects.
        let cases = [
            (1, false, 2, (1, 0)),
            (8, false, 2, (2, 0)),
            (8, false, 16, (3, 0)),
            (4, true, 2, (1, 0)),
            (6, true, 2, (1, 1)),
            (8, true, 1, (1, 1)),
            (8, true, 2, (2, 1)),
            (16, true, 2, (2, 2)),
            (100, true, 16, (16, 16)),
        ];
        for (connections, shared, committers, expected) in cases {
            let settings = WriteQueueSettings { partition_queue: 512, source_queue: 512, committers };
            let limits = settings.limits(WriteCapacity { connections, queues_per_batch: 1, shared });
            assert_eq!((limits.committers, limits.contended_committers), expected, "{connections} connections");
            assert_eq!(limits.queues_per_batch, 1, "a store may restrict a transaction to one partition");
        }
    }
}
