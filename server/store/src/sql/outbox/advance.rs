//! Moves the position of an event consumer, within the epoch that moved it before.

use riposte_core::ports::Epoch;
use sea_orm::ActiveValue::Set;
use sea_orm::EntityTrait;

use super::state;
use crate::error::StoreError;
use crate::sql::entity::relay_state::{ActiveModel, Entity};
use crate::sql::pool::SourceTx;
use crate::sql::row;
use crate::sql::transact::TransactionBody;

/// Moves the position of an event consumer.
#[derive(Debug)]
pub(super) struct AdvancePosition {
    pub(super) epoch: Epoch,
    pub(super) name: String,
    pub(super) from: i64,
    pub(super) to: i64,
}

impl TransactionBody for AdvancePosition {
    type Output = bool;
    const NAME: &'static str = "advance position";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        if state::lock_in_epoch(tx, self.epoch).await?.is_none() {
            return Ok(false);
        }
        let name = self.name.as_str();
        let stored = Entity::find_by_id(row::bytes(name)).one(&tx.unrouted()).await?;
        if stored.as_ref().map_or(0, |row| row.position) != self.from {
            return Ok(false);
        }
        let position = Set(self.to);
        if stored.is_some() {
            state::update(tx, name, ActiveModel { position, ..Default::default() }).await?;
        } else {
            // No other transaction inserts it meanwhile: the relay's row is locked.
            let first = ActiveModel { position, ..state::new_row(name) };
            Entity::insert(first).exec_without_returning(&tx.unrouted()).await?;
        }
        Ok(true)
    }
}
