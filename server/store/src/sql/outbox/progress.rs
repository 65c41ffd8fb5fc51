//! The progress of the sequence numbers and of the event consumers.

use riposte_core::Millis;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use super::{key, state};
use crate::error::StoreError;
use crate::sql::entity::outbox_commit::{Column, Entity};
use crate::sql::pool::SourceTx;
use crate::sql::read::along;
use crate::sql::transact::TransactionBody;

/// Reads the position of a row of the relay's state.
#[derive(Debug)]
pub(super) struct StoredPosition {
    pub(super) of: &'static str,
}

impl TransactionBody for StoredPosition {
    type Answer = i64;
    const NAME: &'static str = "read position";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Answer, StoreError> {
        state::position(&tx.whole(), self.of).await
    }
}

/// Reads the time of the first row without a sequence number.
#[derive(Debug)]
pub(super) struct OldestWaiting;

impl TransactionBody for OldestWaiting {
    type Answer = Option<Millis>;
    const NAME: &'static str = "read oldest waiting";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Answer, StoreError> {
        // The first row along the key, which ends with the id: the minimum of the times or ids
        // would read all pending rows.
        let oldest = Entity::find().select_only().column(Column::CreateTime).filter(Column::PubSeq.is_null());
        let oldest = along(oldest.limit(1), key::PUBLISHED).into_tuple::<i64>().one(&tx.whole()).await?;
        Ok(oldest.map(Millis))
    }
}
