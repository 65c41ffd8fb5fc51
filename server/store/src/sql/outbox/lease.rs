//! The relay lease of a source: the lease excludes other processes, and the epoch orders its
//! holders.

use std::time::Duration;

use riposte_core::Millis;
use riposte_core::ports::{Epoch, LeaseCandidate};
use sea_orm::ActiveValue::Set;
use sea_orm::EntityTrait;

use super::state::{self, RELAY};
use crate::error::StoreError;
use crate::sql::entity::relay_state::{ActiveModel, Entity, Model};
use crate::sql::pool::SourceTx;
use crate::sql::transact::TransactionBody;

/// The duration of the lease unless it is extended: the longest time that sequencing pauses after a
/// leader died.
const LEASE_DURATION: Duration = Duration::from_secs(5);
/// The tolerated difference of clocks. A lease that ends later than this allows was written by a
/// wrong clock and would exclude every process until that time.
const CLOCK_SKEW_MAX: Duration = Duration::from_secs(60);

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
            // other's row.
            let first = ActiveModel { epoch: Set(1), ..self.with_lease(state::new_row(RELAY)) };
            Entity::insert(first).exec_without_returning(&tx.unrouted()).await?;
            return Ok(Some(Epoch(1)));
        };
        let is_owner = relay.owner == self.candidate.name();
        if !is_owner && self.is_held(&relay) && !self.candidate.displaces(&relay.owner) {
            return Ok(None);
        }
        // A leader whose lease expired may have been replaced, even more than once: an epoch never
        // continues after a gap.
        let epoch = if is_owner && self.is_held(&relay) { relay.epoch } else { relay.epoch + 1 };
        let row = ActiveModel { epoch: Set(epoch), ..self.with_lease(ActiveModel::default()) };
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
