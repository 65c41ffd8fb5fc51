//! The progress of the sequence numbers and of the event consumers.

use riposte_core::Millis;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{index, state};
use crate::error::StoreError;
use crate::sql::entity::outbox_commit::{Column, Entity};
use crate::sql::pool::SourceTx;
use crate::sql::read::force_index;
use crate::sql::transact::TransactionBody;

/// Reads the position of a row of the relay's state.
#[derive(Debug)]
pub(super) struct ReadPosition {
    pub(super) name: &'static str,
}

impl TransactionBody for ReadPosition {
    type Output = i64;
    const NAME: &'static str = "read position";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        state::position(&tx.unrouted(), self.name).await
    }
}

/// Reads the greatest sequence number that an event has; 0 if none has one.
async fn last_number(tx: &SourceTx) -> Result<i64, StoreError> {
    let last = Entity::find().select_only().column(Column::PubSeq).filter(Column::PubSeq.is_not_null());
    let last = force_index(last.order_by_desc(Column::PubSeq).limit(1), index::PUBLISHED);
    Ok(last.into_tuple::<i64>().one(&tx.unrouted()).await?.unwrap_or(0))
}

/// Returns the stored position of the relay, or the greatest sequence number that an event has if
/// that is greater.
pub(super) async fn position(tx: &SourceTx, stored: i64) -> Result<i64, StoreError> {
    let last = last_number(tx).await?;
    if last > stored {
        tracing::warn!(
            position = stored,
            last,
            "the position of the relay was lower than the number of an event; numbers continue after that number"
        );
    }
    Ok(last.max(stored))
}

/// Reads the time of the first row without a sequence number.
#[derive(Debug)]
pub(super) struct OldestUnsequenced;

impl TransactionBody for OldestUnsequenced {
    type Output = Option<Millis>;
    const NAME: &'static str = "read oldest waiting";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        // The first row along the key, which ends with the id: the minimum of the times or ids
        // would read all pending rows.
        let oldest = Entity::find().select_only().column(Column::CreateTime).filter(Column::PubSeq.is_null());
        let oldest = force_index(oldest.limit(1), index::PUBLISHED).into_tuple::<i64>().one(&tx.unrouted()).await?;
        Ok(oldest.map(Millis))
    }
}
