//! The state rows of a relay: one for the relay itself, whose position is the last number assigned,
//! and one for each event consumer.

use riposte_core::Millis;
use riposte_core::ports::{Epoch, RelayLease};
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};

use crate::error::StoreError;
use crate::sql::entity::relay_state::{ActiveModel, Column, Entity, Model};
use crate::sql::pool::SourceTx;
use crate::sql::row;

/// The name of the relay's own row.
pub(super) const RELAY: &str = "relay";

/// Takes the lock that every transaction of a relay takes first; `None` before the first epoch.
pub(super) async fn lock(tx: &SourceTx) -> Result<Option<Model>, StoreError> {
    Ok(Entity::find_by_id(row::bytes(RELAY)).lock_exclusive().one(&tx.unrouted()).await?)
}

/// Takes the lock as [`lock`] does; `None` also if another epoch than `epoch` has begun.
pub(super) async fn lock_in_epoch(tx: &SourceTx, epoch: Epoch) -> Result<Option<Model>, StoreError> {
    Ok(lock(tx).await?.filter(|relay| relay.epoch == epoch.0))
}

/// Returns the position of a row, or 0 if the row does not exist.
pub(in crate::sql) async fn position<C: ConnectionTrait>(db: &C, name: &str) -> Result<i64, StoreError> {
    let query = Entity::find_by_id(row::bytes(name)).select_only().column(Column::Position);
    Ok(query.into_tuple().one(db).await?.unwrap_or(0))
}

/// Returns the lease that the relay's own row holds.
pub(super) fn lease(relay: &Model) -> RelayLease {
    RelayLease { holder: relay.owner.clone(), epoch: Epoch(relay.epoch), until: Millis(relay.leased_until) }
}

/// Returns the columns of a new row for `name`; its position begins at 0.
pub(super) fn new_row(name: &str) -> ActiveModel {
    ActiveModel {
        name: Set(row::bytes(name)),
        owner: Set(Vec::new()),
        epoch: Set(0),
        position: Set(0),
        leased_until: Set(0),
    }
}

/// Updates an existing row.
pub(super) async fn update(tx: &SourceTx, name: &str, columns: ActiveModel) -> Result<(), StoreError> {
    Entity::update_many().set(columns).filter(Column::Name.eq(row::bytes(name))).exec(&tx.unrouted()).await?;
    Ok(())
}
