//! The relay lease of a source: the lease excludes other processes, and the epoch orders its
//! holders.

use std::time::Duration;

use riposte_core::Millis;
use riposte_core::ports::{CLOCK_SKEW_MAX, Epoch, LeaseCandidate};
use sea_orm::ActiveValue::Set;
use sea_orm::EntityTrait;

use super::progress;
use super::state::{self, RELAY};
use crate::error::StoreError;
use crate::sql::entity::relay_state::{ActiveModel, Entity, Model};
use crate::sql::pool::SourceTx;
use crate::sql::transact::TransactionBody;

/// The duration of the lease unless it is extended: the longest time that sequencing pauses after a
/// leader died.
const LEASE_DURATION: Duration = Duration::from_secs(5);

/// Acquires or extends the relay lease.
#[derive(Debug)]
pub(super) struct AcquireLease {
    pub(super) candidate: LeaseCandidate,
    pub(super) now: Millis,
}

impl TransactionBody for AcquireLease {
    type Output = Option<Epoch>;
    const NAME: &'static str = "acquire relay lease";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        let Some(relay) = state::lock(tx).await? else {
            // If two processes begin at once, the key rejects one of them, and its retry finds the
            // other's row. If the row was lost, the numbers continue after those of the events.
            let position = Set(progress::position(tx, 0).await?);
            let first = ActiveModel { epoch: Set(1), position, ..self.with_lease(state::new_row(RELAY)) };
            Entity::insert(first).exec_without_returning(&tx.unrouted()).await?;
            return Ok(Some(Epoch(1)));
        };
        let is_owner = relay.owner == self.candidate.name();
        if !is_owner && self.is_held(&relay) && !self.candidate.displaces(&relay.owner) {
            return Ok(None);
        }
        if is_owner && self.is_held(&relay) {
            state::update(tx, RELAY, self.with_lease(ActiveModel::default())).await?;
            return Ok(Some(Epoch(relay.epoch)));
        }
        // A leader whose lease expired may have been replaced, even more than once: an epoch never
        // continues after a gap.
        let epoch = relay.epoch + 1;
        let position = progress::position(tx, relay.position).await?;
        let row = ActiveModel { epoch: Set(epoch), position: Set(position), ..self.with_lease(ActiveModel::default()) };
        state::update(tx, RELAY, row).await?;
        Ok(Some(Epoch(epoch)))
    }
}

impl AcquireLease {
    fn is_held(&self, relay: &Model) -> bool {
        let until = Millis(relay.leased_until);
        until > self.now && until <= self.now.plus(LEASE_DURATION).plus(CLOCK_SKEW_MAX)
    }

    fn with_lease(&self, row: ActiveModel) -> ActiveModel {
        ActiveModel {
            owner: Set(self.candidate.name().to_vec()),
            leased_until: Set(self.now.plus(LEASE_DURATION).0),
            ..row
        }
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
