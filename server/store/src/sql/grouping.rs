//! The grouping of rows of many partitions by the table that holds them, so that one transaction
//! reads each table once.

use std::collections::BTreeMap;

use riposte_core::Partition;

use super::chunks::padded_chunks;
use crate::shard::part;

/// Groups `items` by their table out of `count`. Each group has a partition that routes to its
/// table. The order of the tables is the same in every process, so that locks are taken in one
/// order.
pub(crate) fn by_table<T>(
    items: impl IntoIterator<Item = T>,
    count: u16,
    partition: impl Fn(&T) -> Partition,
) -> impl Iterator<Item = (Partition, Vec<T>)> {
    let mut tables: BTreeMap<u16, (Partition, Vec<T>)> = BTreeMap::new();
    for item in items {
        let item_partition = partition(&item);
        tables.entry(item_partition.get() % count).or_insert_with(|| (item_partition, Vec::new())).1.push(item);
    }
    tables.into_values()
}

/// Returns the numbers of these partitions as rows carry them, each once, padded to a list of a
/// known size.
pub(crate) fn parts(partitions: impl IntoIterator<Item = Partition>) -> Vec<i16> {
    let mut parts: Vec<i16> = partitions.into_iter().map(part).collect();
    parts.sort_unstable();
    parts.dedup();
    padded_chunks(&parts).flatten().collect()
}
