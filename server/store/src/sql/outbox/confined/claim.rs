//! A leader's claim on the commits that wait: afterwards no earlier epoch can number them.

use std::sync::Arc;

use riposte_core::ports::Epoch;
use riposte_core::{Partition, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::ExprTrait;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{PositionInEpoch, by_partition};
use crate::error::StoreError;
use crate::shard::part;
use crate::sql::entity::outbox_commit::{ActiveModel, Column, Entity};
use crate::sql::outbox::index;
use crate::sql::pool::{DataSources, SourceTx};
use crate::sql::read::force_index;
use crate::sql::transact::{self, TransactionBody};

/// The highest number of commits that are claimed at a time.
const CLAIMED_AT_ONCE: usize = 500;

/// Claims all commits that wait or have a number above the position, and clears these numbers.
/// Returns false if another epoch has begun.
pub(super) async fn claim(sources: &Arc<DataSources>, source: usize, epoch: Epoch) -> Result<bool> {
    loop {
        let position = transact::write(sources, source, PositionInEpoch { epoch }).await?;
        let Some(position) = position else { return Ok(false) };
        let find = FindUnclaimed { epoch, position };
        let found = transact::read_without_limit(sources, source, find).await?;
        for (partition, ids) in by_partition(&found, |id| *id)? {
            transact::write(sources, source, ClaimCommits { epoch, position, partition, ids }).await?;
        }
        if found.len() < CLAIMED_AT_ONCE {
            return Ok(true);
        }
    }
}

/// Finds commits that this epoch has not claimed.
#[derive(Debug)]
struct FindUnclaimed {
    epoch: Epoch,
    position: i64,
}

impl TransactionBody for FindUnclaimed {
    type Output = Vec<i64>;
    const NAME: &'static str = "find unclaimed commits";
    const READS_PARTITIONS: bool = true;

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        // Commits without a number come first: one that an earlier leader numbers between the two
        // reads is in one of them.
        let is_unclaimed = Column::Epoch.is_null().or(Column::Epoch.lt(self.epoch.0));
        let ids = || Entity::find().select_only().column(Column::Id);
        let waiting = ids().filter(Column::PubSeq.is_null()).filter(is_unclaimed).order_by_asc(Column::Id);
        let waiting = force_index(waiting.limit(CLAIMED_AT_ONCE as u64), index::PUBLISHED);
        let mut found: Vec<i64> = waiting.into_tuple().all(&tx.unrouted()).await?;
        let above = ids().filter(Column::PubSeq.gt(self.position)).order_by_asc(Column::PubSeq);
        let above = force_index(above.limit(CLAIMED_AT_ONCE as u64), index::PUBLISHED);
        found.extend(above.into_tuple::<i64>().all(&tx.unrouted()).await?);
        Ok(found)
    }
}

/// Claims commits of one partition, unless a later epoch has claimed them.
#[derive(Debug)]
struct ClaimCommits {
    epoch: Epoch,
    position: i64,
    partition: Partition,
    ids: Vec<i64>,
}

impl TransactionBody for ClaimCommits {
    type Output = ();
    const NAME: &'static str = "claim commits";

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        let claimed = ActiveModel { pub_seq: Set(None), epoch: Set(Some(self.epoch.0)), ..Default::default() };
        let update = Entity::update_many()
            .set(claimed)
            .filter(Column::Part.eq(part(self.partition)))
            .filter(Column::Id.is_in(self.ids.iter().copied()))
            .filter(Column::PubSeq.is_null().or(Column::PubSeq.gt(self.position)))
            .filter(Column::Epoch.is_null().or(Column::Epoch.lte(self.epoch.0)));
        update.exec(&tx.unrouted()).await?;
        Ok(())
    }
}
