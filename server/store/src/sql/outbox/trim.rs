//! The deletion of old events: bounded deletes by id. A row goes when every stored position has
//! passed it, and at a greater age even if one has not.

use riposte_core::ports::{Epoch, StoredPosition, TrimBounds, TrimReport};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{key, positions, state};
use crate::error::StoreError;
use crate::sql::chunks::padded;
use crate::sql::entity::outbox_commit::{Column, Entity};
use crate::sql::entity::outbox_revision;
use crate::sql::pool::SourceTx;
use crate::sql::read::along;
use crate::sql::transact::TransactionBody;

/// Deletes the events of old commits.
#[derive(Debug)]
pub(super) struct TrimOutbox {
    pub(super) term: Epoch,
    pub(super) bounds: TrimBounds,
    pub(super) limit: usize,
}

impl TransactionBody for TrimOutbox {
    type Output = Option<TrimReport>;
    const NAME: &'static str = "trim outbox";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        let Some(relay) = state::lock_in(tx, self.term).await? else { return Ok(None) };
        // All positions count, also those of consumers that this version does not know.
        let stored = positions::all(&tx.unrouted()).await?;
        let old = self.old(tx, relay.position, &stored).await?;
        let ids: Vec<i64> = old.iter().map(|(id, _)| *id).collect();
        for list in padded(&ids) {
            let revisions = outbox_revision::Entity::delete_many();
            revisions.filter(outbox_revision::Column::CommitId.is_in(list.clone())).exec(&tx.unrouted()).await?;
            Entity::delete_many().filter(Column::Id.is_in(list)).exec(&tx.unrouted()).await?;
        }
        let missed = |of: StoredPosition| {
            let missed = old.iter().filter(|(_, number)| *number > of.number).count();
            (missed > 0).then_some((of.name, missed))
        };
        Ok(Some(TrimReport { commits: old.len(), overtaken: stored.into_iter().filter_map(missed).collect() }))
    }
}

impl TrimOutbox {
    /// Returns the ids and numbers of the first sequenced commits up to one that is too young, so
    /// that no hole is left between the rows that stay. Only the first `limit` are checked, so that
    /// a call which deletes nothing costs no more than one that does: sequence numbers rise roughly
    /// with age.
    async fn old(&self, tx: &SourceTx, head: i64, stored: &[StoredPosition]) -> Result<Vec<(i64, i64)>, StoreError> {
        let TrimBounds { passed_before, all_before } = self.bounds;
        let passed = stored.iter().map(|of| of.number).fold(head, i64::min);
        let first = Entity::find()
            .select_only()
            .columns([Column::Id, Column::PubSeq, Column::CreateTime])
            .filter(Column::PubSeq.lte(head))
            .order_by_asc(Column::PubSeq)
            .limit(self.limit as u64);
        let first: Vec<(i64, i64, i64)> = along(first, key::PUBLISHED).into_tuple().all(&tx.unrouted()).await?;
        let goes = |number: i64, time: i64| time < all_before.0 || number <= passed && time < passed_before.0;
        Ok(first
            .into_iter()
            .take_while(|(_, number, time)| goes(*number, *time))
            .map(|(id, number, _)| (id, number))
            .collect())
    }
}
