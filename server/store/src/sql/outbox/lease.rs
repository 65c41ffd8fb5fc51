//! The relay lease of a source: the lease excludes other processes, and the epoch orders its
//! holders.

use riposte_core::Millis;
use riposte_core::ports::{Epoch, LeaseCandidate, RelayLease};
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use super::sequence;
use super::state::{self, RELAY};
use crate::error::StoreError;
use crate::sql::entity::relay_state::{ActiveModel, Column, Entity};
use crate::sql::moderation_gate;
use crate::sql::pool::SourceTx;
use crate::sql::row;
use crate::sql::transact::TransactionBody;

/// Acquires or extends the relay lease.
#[derive(Debug)]
pub(super) struct AcquireLease {
    pub(super) candidate: LeaseCandidate,
    pub(super) now: Millis,
    /// The position of a first row on a confined store, whose transactions read no events.
    pub(super) first: Option<i64>,
}

impl TransactionBody for AcquireLease {
    type Output = Option<Epoch>;
    const NAME: &'static str = "acquire relay lease";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        let Some(relay) = state::lock(tx).await? else {
            moderation_gate::register(tx, self.candidate.name(), self.now).await?;
            // If two processes begin at once, the key rejects one of them, and its retry finds the
            // other's row. If the row was lost, the numbers continue after those of the events.
            let position = Set(self.position(tx, self.first.unwrap_or(0)).await?);
            let first = ActiveModel { epoch: Set(1), position, ..self.with_lease(state::new_row(RELAY)) };
            Entity::insert(first).exec_without_returning(&tx.unrouted()).await?;
            return Ok(Some(Epoch(1)));
        };
        let lease = state::lease(&relay);
        if lease.excludes(self.candidate, self.now) {
            return Ok(None);
        }
        moderation_gate::register(tx, self.candidate.name(), self.now).await?;
        if lease.holder == self.candidate.name() && lease.is_held(self.now) {
            state::update(tx, RELAY, self.with_lease(ActiveModel::default())).await?;
            return Ok(Some(Epoch(relay.epoch)));
        }
        // A leader whose lease expired may have been replaced, even more than once: an epoch never
        // continues after a gap.
        let epoch = relay.epoch + 1;
        let position = self.position(tx, relay.position).await?;
        let row = ActiveModel { epoch: Set(epoch), position: Set(position), ..self.with_lease(ActiveModel::default()) };
        state::update(tx, RELAY, row).await?;
        Ok(Some(Epoch(epoch)))
    }
}

impl AcquireLease {
    /// Returns the position after which the numbers of a new epoch continue. On a confined store
    /// the numbers above the stored one are assigned anew.
    async fn position(&self, tx: &SourceTx, stored: i64) -> Result<i64, StoreError> {
        if tx.is_confined() { Ok(stored) } else { sequence::position(tx, stored).await }
    }

    fn with_lease(&self, row: ActiveModel) -> ActiveModel {
        ActiveModel {
            owner: Set(self.candidate.name().to_vec()),
            leased_until: Set(self.now.plus(RelayLease::DURATION).0),
            ..row
        }
    }
}

/// Extends the relay lease within its epoch. It is one statement, because the leader extends its
/// lease all the time.
#[derive(Debug)]
pub(super) struct ExtendLease {
    pub(super) candidate: LeaseCandidate,
    pub(super) epoch: Epoch,
    pub(super) now: Millis,
}

impl TransactionBody for ExtendLease {
    type Output = bool;
    const NAME: &'static str = "extend relay lease";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        let until = ActiveModel { leased_until: Set(self.now.plus(RelayLease::DURATION).0), ..Default::default() };
        let extended = Entity::update_many()
            .set(until)
            .filter(Column::Name.eq(row::bytes(RELAY)))
            .filter(Column::Owner.eq(self.candidate.name().to_vec()))
            .filter(Column::Epoch.eq(self.epoch.0))
            .filter(Column::LeasedUntil.gt(self.now.0))
            .filter(Column::LeasedUntil.lte(RelayLease::latest_end(self.now).0))
            .exec(&tx.unrouted())
            .await?;
        Ok(extended.rows_affected > 0)
    }
}

/// Releases the relay lease.
#[derive(Debug)]
pub(super) struct ReleaseLease {
    pub(super) candidate: LeaseCandidate,
}

impl TransactionBody for ReleaseLease {
    type Output = ();
    const NAME: &'static str = "release relay lease";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        let relay = state::lock(tx).await?;
        if relay.is_some_and(|relay| relay.owner == self.candidate.name()) {
            let free = ActiveModel { owner: Set(Vec::new()), leased_until: Set(0), ..Default::default() };
            state::update(tx, RELAY, free).await?;
        }
        Ok(())
    }
}
