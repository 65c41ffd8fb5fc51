//! The deletion of old events: bounded deletes by id. A row is deleted when every stored position
//! has passed it, or at a greater age whatever the positions.

use riposte_core::ports::{Epoch, StoredPosition, TrimBounds, TrimReport};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{index, positions, state};
use crate::error::StoreError;
use crate::sql::chunks::padded_chunks;
use crate::sql::entity::outbox_commit::{Column, Entity};
use crate::sql::entity::outbox_revision;
use crate::sql::pool::SourceTx;
use crate::sql::read::force_index;
use crate::sql::transact::TransactionBody;

/// Deletes the events of old commits.
#[derive(Debug)]
pub(super) struct TrimOutbox {
    pub(super) epoch: Epoch,
    pub(super) bounds: TrimBounds,
    pub(super) limit: usize,
}

impl TransactionBody for TrimOutbox {
    type Output = Option<TrimReport>;
    const NAME: &'static str = "trim outbox";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        let Some(relay) = state::lock_in_epoch(tx, self.epoch).await? else { return Ok(None) };
        // All positions count, also those of consumers that this version does not know.
        let stored = positions::read_all(&tx.unrouted()).await?;
        let expired = expired_commits(tx, (self.bounds, self.limit), relay.position, &stored).await?;
        let ids: Vec<i64> = expired.iter().map(|(id, _)| *id).collect();
        for list in padded_chunks(&ids) {
            let revisions = outbox_revision::Entity::delete_many();
            revisions.filter(outbox_revision::Column::CommitId.is_in(list.clone())).exec(&tx.unrouted()).await?;
            Entity::delete_many().filter(Column::Id.is_in(list)).exec(&tx.unrouted()).await?;
        }
        Ok(Some(report(&expired, stored)))
    }
}

/// Returns the ids and numbers of the first sequenced commits up to one that is too young, so
/// that no gap is left between the remaining rows. Only the first `limit` rows are checked, so
/// that a call that deletes nothing costs no more than one that deletes rows. Sequence numbers
/// roughly follow the age.
pub(super) async fn expired_commits(
    tx: &SourceTx,
    (TrimBounds { passed_before, all_before }, limit): (TrimBounds, usize),
    head: i64,
    stored: &[StoredPosition],
) -> Result<Vec<(i64, i64)>, StoreError> {
    let passed = stored.iter().map(|position| position.number).fold(head, i64::min);
    let first = Entity::find()
        .select_only()
        .columns([Column::Id, Column::PubSeq, Column::CreateTime])
        .filter(Column::PubSeq.lte(head))
        .order_by_asc(Column::PubSeq)
        .limit(limit as u64);
    let first: Vec<(i64, i64, i64)> = force_index(first, index::PUBLISHED).into_tuple().all(&tx.unrouted()).await?;
    let is_expired = |number: i64, time: i64| time < all_before.0 || number <= passed && time < passed_before.0;
    Ok(first
        .into_iter()
        .take_while(|(_, number, time)| is_expired(*number, *time))
        .map(|(id, number, _)| (id, number))
        .collect())
}

/// Returns the report of the deletion of these commits, by (id, number).
pub(super) fn report(expired: &[(i64, i64)], stored: Vec<StoredPosition>) -> TrimReport {
    let missed = |position: StoredPosition| {
        let missed = expired.iter().filter(|(_, number)| *number > position.number).count();
        (missed > 0).then_some((position.name, missed))
    };
    TrimReport { commits: expired.len(), overtaken: stored.into_iter().filter_map(missed).collect() }
}
