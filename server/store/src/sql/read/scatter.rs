//! Batch reads whose items may be in any data source: grouped by data source and table and read in
//! parallel, with a bounded number of snapshots per source.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use futures::future::try_join_all;
use riposte_core::{Partition, Result};

use crate::error::StoreError;
use crate::sql::pool::{DataSources, SourceTx};
use crate::sql::task;

/// The highest number of snapshots that one batch holds open on one data source at a time.
const CONCURRENT_READS: usize = 8;

/// A batch read.
pub(super) trait Gather: 'static {
    /// The key of an item.
    type Item: Send + 'static;
    /// The item that is found.
    type Found: Send + 'static;
    /// The name of its transactions.
    const NAME: &'static str;

    /// Returns the partition of an item.
    fn partition(item: &Self::Item) -> Partition;

    /// Reads those of `items` that exist, in no order. All of them are in one subject table and the
    /// index tables that nest in it.
    fn read(
        snapshot: &SourceTx,
        items: Vec<Self::Item>,
    ) -> impl Future<Output = std::result::Result<Vec<Self::Found>, StoreError>> + Send;
}

/// Reads a batch and returns the items found, in no order. All items of one subject are read in one
/// snapshot.
pub(super) async fn gather<G: Gather>(sources: &Arc<DataSources>, items: Vec<G::Item>) -> Result<Vec<G::Found>> {
    let map = sources.map();
    let mut by_source: BTreeMap<usize, BTreeMap<u16, Vec<G::Item>>> = BTreeMap::new();
    for item in items {
        let partition = G::partition(&item);
        let tables = by_source.entry(map.source(partition)).or_default();
        tables.entry(partition.get() % map.tables().subject).or_default().push(item);
    }
    let reads = by_source.into_iter().flat_map(|(source, tables)| {
        let tables: Vec<_> = tables.into_values().collect();
        distribute(tables).into_iter().map(move |share| read_share::<G>(Arc::clone(sources), source, share))
    });
    Ok(try_join_all(reads).await?.into_iter().flatten().collect())
}

/// Distributes the tables over at most [`CONCURRENT_READS`] snapshots, as evenly as possible.
fn distribute<T>(tables: Vec<T>) -> Vec<Vec<T>> {
    let reads = tables.len().min(CONCURRENT_READS);
    let mut shares: Vec<Vec<T>> = (0..reads).map(|_| Vec::new()).collect();
    for (n, table) in tables.into_iter().enumerate() {
        shares[n % reads].push(table);
    }
    shares
}

async fn read_share<G: Gather>(
    sources: Arc<DataSources>,
    source: usize,
    share: Vec<Vec<G::Item>>,
) -> Result<Vec<G::Found>> {
    let task_sources = Arc::clone(&sources);
    task::read(&sources, source, G::NAME, async move {
        let snapshot = task_sources.begin_read(source).await?;
        let mut found = Vec::new();
        for items in share {
            found.extend(G::read(&snapshot, items).await?);
        }
        Ok(found)
    })
    .await
}
