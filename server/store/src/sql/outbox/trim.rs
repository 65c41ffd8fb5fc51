//! The deletion of events that no consumer needs any more: bounded deletes by id.

use riposte_core::Millis;
use riposte_core::ports::{Epoch, Projection};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{key, state};
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
    pub(super) before: Millis,
    pub(super) limit: usize,
}

impl TransactionBody for TrimOutbox {
    type Answer = Option<usize>;
    const NAME: &'static str = "trim outbox";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Answer, StoreError> {
        let Some(relay) = state::lock_in(tx, self.term).await? else { return Ok(None) };
        let mut applied = relay.position;
        for projection in Projection::ALL {
            applied = applied.min(state::position(&tx.whole(), projection.name()).await?);
        }
        let old = self.old(tx, applied).await?;
        for list in padded(&old) {
            let revisions = outbox_revision::Entity::delete_many();
            revisions.filter(outbox_revision::Column::CommitId.is_in(list.clone())).exec(&tx.whole()).await?;
            Entity::delete_many().filter(Column::Id.is_in(list)).exec(&tx.whole()).await?;
        }
        Ok(Some(old.len()))
    }
}

impl TrimOutbox {
    /// Returns the ids of those of the first sequenced commits that are old enough. Only the first
    /// `limit` are checked, so that a call which deletes nothing costs no more than one that does:
    /// sequence numbers rise roughly with age.
    async fn old(&self, tx: &SourceTx, applied: i64) -> Result<Vec<i64>, StoreError> {
        let first = Entity::find()
            .select_only()
            .columns([Column::Id, Column::CreateTime])
            .filter(Column::PubSeq.lte(applied))
            .order_by_asc(Column::PubSeq)
            .limit(self.limit as u64);
        let first: Vec<(i64, i64)> = along(first, key::PUBLISHED).into_tuple().all(&tx.whole()).await?;
        Ok(first.into_iter().filter(|(_, time)| *time < self.before.0).map(|(id, _)| id).collect())
    }
}
