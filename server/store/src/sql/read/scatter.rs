//! Batch reads whose items may be in any data source and table: one round trip for each data
//! source.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::try_join_all;
use riposte_core::{Partition, Result};
use sea_orm::QueryResult;

use crate::error::StoreResult;
use crate::shard::TableCounts;
use crate::sql::grouping::by_table;
use crate::sql::phase::{Phase, RowsSlot};
use crate::sql::pool::DataSources;
use crate::sql::task;

/// A batch read. Each item that is found is one row, so that no read depends on another one.
pub(super) trait Gather: 'static {
    /// The key of an item.
    type Item: Send + 'static;
    /// The item that is found.
    type Found: Send + 'static;
    /// The name of its transactions.
    const NAME: &'static str;

    /// Returns the partition of an item.
    fn partition(item: &Self::Item) -> Partition;

    /// Returns the number of tables over which the items are spread.
    fn tables(counts: TableCounts) -> u16;

    /// Adds the read of those of `items` that exist, in no order. All of them are in the table of
    /// this partition, whatever their own partition.
    fn select(phase: &mut Phase, at: Partition, items: Vec<Self::Item>) -> RowsSlot;

    /// Returns the item of a row; `None` if the row is not to be found.
    fn found(sources: &DataSources, row: &QueryResult) -> StoreResult<Option<Self::Found>>;
}

/// Reads a batch and returns the items found, in no order. All items of one data source are read in
/// one snapshot.
pub(super) async fn gather<G: Gather>(sources: &Arc<DataSources>, items: Vec<G::Item>) -> Result<Vec<G::Found>> {
    let mut by_source: BTreeMap<usize, Vec<G::Item>> = BTreeMap::new();
    for item in items {
        by_source.entry(sources.map().source(G::partition(&item))).or_default().push(item);
    }
    let reads = by_source.into_iter().map(|(source, items)| read_source::<G>(Arc::clone(sources), source, items));
    Ok(try_join_all(reads).await?.into_iter().flatten().collect())
}

async fn read_source<G: Gather>(
    sources: Arc<DataSources>,
    source: usize,
    items: Vec<G::Item>,
) -> Result<Vec<G::Found>> {
    let read_sources = Arc::clone(&sources);
    task::read(&sources, source, G::NAME, async move {
        let mut phase = read_sources.phase();
        let tables = by_table(items, G::tables(read_sources.map().tables()), G::partition);
        let slots: Vec<RowsSlot> = tables.map(|(at, items)| G::select(&mut phase, at, items)).collect();
        let mut results = read_sources.read_phase(source, phase).await?;
        let mut found = Vec::new();
        for slot in slots {
            for row in results.rows(slot)? {
                found.extend(G::found(&read_sources, &row)?);
            }
        }
        Ok(found)
    })
    .await
}
