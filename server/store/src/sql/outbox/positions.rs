//! The stored positions of the event consumers: their list, their registration by running workers,
//! and their removal.

use riposte_core::Millis;
use riposte_core::ports::{CLOCK_SKEW_MAX, PositionRemoval, StoredPosition};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::ExprTrait;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};

use super::state::{self, RELAY};
use crate::error::StoreError;
use crate::sql::entity::relay_state::{ActiveModel, Column, Entity, Model};
use crate::sql::pool::SourceTx;
use crate::sql::row;
use crate::sql::transact::TransactionBody;

/// Reads the positions of all consumers, by name.
pub(super) async fn read_all<C: ConnectionTrait>(db: &C) -> Result<Vec<StoredPosition>, StoreError> {
    let rows = Entity::find().filter(Column::Name.ne(row::bytes(RELAY))).order_by_asc(Column::Name).all(db).await?;
    Ok(rows.iter().map(stored_position).collect())
}

/// Returns the position in a consumer's row.
pub(super) fn stored_position(row: &Model) -> StoredPosition {
    StoredPosition {
        name: String::from_utf8_lossy(&row.name).into_owned(),
        number: row.position,
        registered_until: Millis(row.leased_until),
    }
}

/// Reads the positions of all consumers.
#[derive(Debug)]
pub(super) struct AllPositions;

impl TransactionBody for AllPositions {
    type Output = Vec<StoredPosition>;
    const NAME: &'static str = "read positions";
    const READS_PARTITIONS: bool = true;

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        read_all(&tx.unrouted()).await
    }
}

/// Records the consumers that a running worker registers. Every worker does it, whether it holds
/// the lease or not, so it takes no lock of the relay. A consumer's row has no lease of its own,
/// and `leased_until` is free for this.
#[derive(Debug)]
pub(super) struct RegisterConsumers {
    pub(super) names: Vec<String>,
    pub(super) until: Millis,
}

impl TransactionBody for RegisterConsumers {
    type Output = ();
    const NAME: &'static str = "register consumers";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        // One statement for each row: a transaction that holds one of these locks waits for no
        // other.
        for name in self.names.iter().filter(|name| *name != RELAY) {
            let until = ActiveModel { leased_until: Set(self.until.0), ..Default::default() };
            let is_earlier = Column::LeasedUntil.lt(self.until.0);
            let is_wrong = Column::LeasedUntil.gt(self.until.plus(CLOCK_SKEW_MAX).0);
            let update = Entity::update_many().set(until).filter(Column::Name.eq(row::bytes(name)));
            let update = update.filter(is_earlier.or(is_wrong));
            update.exec(&tx.unrouted()).await?;
        }
        Ok(())
    }
}

/// Removes the position of a consumer that no running worker registers.
#[derive(Debug)]
pub(super) struct RemovePosition {
    pub(super) name: String,
    pub(super) now: Millis,
}

impl TransactionBody for RemovePosition {
    type Output = PositionRemoval;
    const NAME: &'static str = "remove position";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        // The relay's row is locked first, as by every transaction that moves a position.
        state::lock(tx).await?;
        if self.name == RELAY {
            return Ok(PositionRemoval::Absent);
        }
        let found = Entity::find_by_id(row::bytes(&self.name)).one(&tx.unrouted()).await?;
        let Some(position) = found else { return Ok(PositionRemoval::Absent) };
        if stored_position(&position).is_registered(self.now) {
            return Ok(PositionRemoval::Registered);
        }
        Entity::delete_by_id(row::bytes(&self.name)).exec(&tx.unrouted()).await?;
        Ok(PositionRemoval::Removed)
    }
}
