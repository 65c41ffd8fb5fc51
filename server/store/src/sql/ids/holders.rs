//! The processes that hold a worker number of a data source.

use std::collections::BTreeSet;
use std::sync::Arc;

use riposte_core::ports::CLOCK_SKEW_MAX;
use riposte_core::{Millis, Result};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use super::lease::LEASE_DURATION;
use crate::error::StoreError;
use crate::sql::entity::worker_lease::{Column, Entity};
use crate::sql::pool::{DataSources, SourceTx};
use crate::sql::transact::{self, TransactionBody};

/// Returns the number of processes whose leases of a worker number are valid at `now`. A lease that
/// ends later than any process writes at that time does not count.
pub(crate) async fn holders(sources: &Arc<DataSources>, source: usize, now: Millis) -> Result<usize> {
    transact::read_without_limit(sources, source, CountHolders { now }).await
}

#[derive(Debug)]
struct CountHolders {
    now: Millis,
}

impl TransactionBody for CountHolders {
    type Output = usize;
    const NAME: &'static str = "count worker leases";
    const READS_PARTITIONS: bool = true;

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        let latest = self.now.plus(LEASE_DURATION).plus(CLOCK_SKEW_MAX);
        let valid = Entity::find()
            .select_only()
            .column(Column::Owner)
            .filter(Column::LeasedUntil.gt(self.now.0))
            .filter(Column::LeasedUntil.lte(latest.0));
        let owners: Vec<Vec<u8>> = valid.into_tuple().all(&tx.unrouted()).await?;
        Ok(owners.into_iter().filter(|owner| !owner.is_empty()).collect::<BTreeSet<_>>().len())
    }
}
