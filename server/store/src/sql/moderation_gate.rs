//! The gate of moderation of each data source: it is closed while a process of a version before
//! moderation holds a lease there, or while the switch of the source is off. A process with a lease
//! says in the table `process` which migration step it knows; one of an earlier version has no row.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use riposte_core::ports::{CLOCK_SKEW_MAX, Clock, ModerationSwitch, SWITCH_DELAY};
use riposte_core::{Millis, ModerationGate, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};
use tokio::sync::Mutex;

use super::entity::{process, relay_state, switch, worker_lease};
use super::pool::{DataSources, SourceTx};
use super::row;
use super::transact::{self, TransactionBody};
use crate::error::{StoreError, StoreResult};

/// The number of the newest migration step that this program knows.
const KNOWN_STEP: i32 = 16;
/// The number of the migration step that makes the reviews.
const MODERATION_STEP: i32 = 12;
/// The time for which the state of a gate is stored.
const INTERVAL: Duration = SWITCH_DELAY;
/// The time after which the row of a process may be deleted, unless it is written again.
const RETENTION: Duration = Duration::from_secs(86_400);
/// The longest time that a lease extends beyond the present.
const LEASE_MAX: Duration = Duration::from_secs(10);
/// The name of the switch, and its value while moderation is off.
const SWITCH: &str = "moderation";
const OFF: i64 = 1;

/// The gates of all data sources.
#[derive(Debug)]
pub(crate) struct ModerationGates {
    sources: Arc<DataSources>,
    clock: Arc<dyn Clock>,
    /// The last state of each gate, and when it was read.
    states: Vec<Mutex<Option<(Instant, ModerationGate)>>>,
}

impl ModerationGates {
    pub(crate) fn new(sources: Arc<DataSources>, clock: Arc<dyn Clock>) -> Self {
        let states = sources.all().iter().map(|_| Mutex::new(None)).collect();
        Self { sources, clock, states }
    }

    /// Returns the state of a gate if it was read at most two seconds ago.
    pub(super) fn last(&self, source: usize) -> ModerationGate {
        let last = self.states[source].try_lock().ok().and_then(|last| *last);
        last.filter(|(read, _)| read.elapsed() < INTERVAL).map_or(ModerationGate::Unknown, |(_, gate)| gate)
    }

    /// Returns the state of a gate, at most two seconds old. A gate that cannot be read is closed.
    pub(super) async fn state(&self, source: usize) -> ModerationGate {
        let mut last = self.states[source].lock().await;
        if let Some((_, gate)) = last.filter(|(read, _)| read.elapsed() < INTERVAL) {
            return gate;
        }
        let read = transact::read_without_limit(&self.sources, source, ReadGate { now: self.clock.now() }).await;
        let gate = match read {
            Ok(obstacles) => {
                obstacles.iter().for_each(|obstacle| obstacle.log(source));
                if obstacles.is_empty() { ModerationGate::Open } else { ModerationGate::Closed }
            }
            Err(error) => {
                tracing::warn!(source = source + 1, error = error.log_text(), "the gate of moderation was not read");
                return ModerationGate::Closed;
            }
        };
        *last = Some((Instant::now(), gate));
        gate
    }
}

#[async_trait]
impl ModerationSwitch for ModerationGates {
    async fn set(&self, is_off: bool) -> Result<()> {
        for source in 0..self.sources.all().len() {
            let set = SetSwitch { value: if is_off { OFF } else { 0 }, now: self.clock.now() };
            transact::write(&self.sources, source, set).await?;
            *self.states[source].lock().await = None;
        }
        Ok(())
    }

    async fn old_leases(&self) -> Result<usize> {
        let mut owners = BTreeSet::new();
        for source in 0..self.sources.all().len() {
            let read = ReadGate { now: self.clock.now() };
            for obstacle in transact::read_without_limit(&self.sources, source, read).await? {
                if let Obstacle::OldProcess(owner) = obstacle {
                    owners.insert(owner);
                }
            }
        }
        Ok(owners.len())
    }
}

/// The reason for which a gate is closed.
#[derive(Debug)]
enum Obstacle {
    /// The process with this name is of a version before moderation.
    OldProcess(Vec<u8>),
    /// Moderation is off.
    Off,
}

impl Obstacle {
    fn log(&self, source: usize) {
        match self {
            Self::OldProcess(owner) => {
                let owner: String = owner.iter().map(|byte| format!("{byte:02x}")).collect();
                tracing::warn!(
                    source = source + 1,
                    owner,
                    "a process of an earlier version runs: comments cannot wait for review until it has stopped"
                );
            }
            Self::Off => tracing::debug!(source = source + 1, "moderation is off"),
        }
    }
}

/// Reads a gate.
#[derive(Debug)]
struct ReadGate {
    now: Millis,
}

impl TransactionBody for ReadGate {
    type Output = Vec<Obstacle>;
    const NAME: &'static str = "read the gate of moderation";
    const READS_PARTITIONS: bool = true;

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        let name = row::bytes(SWITCH);
        let switch = switch::Entity::find().filter(switch::Column::Name.eq(name)).one(&tx.unrouted()).await?;
        let off = switch.filter(|switch| switch.value == OFF).map(|_| Obstacle::Off);
        let owners = self.owners(tx).await?;
        let known = process::Entity::find().filter(process::Column::Owner.is_in(owners.iter().cloned()));
        let known = known.all(&tx.unrouted()).await?;
        let steps: BTreeMap<Vec<u8>, i32> = known.into_iter().map(|process| (process.owner, process.step)).collect();
        let is_old = |owner: &Vec<u8>| steps.get(owner).is_none_or(|step| *step < MODERATION_STEP);
        let old = owners.into_iter().filter(is_old).map(Obstacle::OldProcess);
        Ok(off.into_iter().chain(old).collect())
    }
}

impl ReadGate {
    /// Returns the names under which processes hold leases. A lease that ends later than any
    /// process writes at this time does not count.
    async fn owners(&self, tx: &SourceTx) -> StoreResult<Vec<Vec<u8>>> {
        let latest = self.now.plus(LEASE_MAX).plus(CLOCK_SKEW_MAX);
        let workers = worker_lease::Entity::find()
            .select_only()
            .column(worker_lease::Column::Owner)
            .filter(worker_lease::Column::LeasedUntil.gt(self.now.0))
            .filter(worker_lease::Column::LeasedUntil.lte(latest.0));
        let mut owners: Vec<Vec<u8>> = workers.into_tuple().all(&tx.unrouted()).await?;
        let relays = relay_state::Entity::find()
            .select_only()
            .column(relay_state::Column::Owner)
            .filter(relay_state::Column::LeasedUntil.gt(self.now.0))
            .filter(relay_state::Column::LeasedUntil.lte(latest.0));
        owners.extend(relays.into_tuple::<Vec<u8>>().all(&tx.unrouted()).await?);
        owners.retain(|owner| !owner.is_empty());
        owners.sort_unstable();
        owners.dedup();
        Ok(owners)
    }
}

/// Sets the switch of a data source.
#[derive(Debug)]
struct SetSwitch {
    value: i64,
    now: Millis,
}

impl TransactionBody for SetSwitch {
    type Output = ();
    const NAME: &'static str = "set the switch of moderation";

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        use switch::{ActiveModel, Column, Entity};
        let row = ActiveModel { name: Set(row::bytes(SWITCH)), value: Set(self.value), changed: Set(self.now.0) };
        let replace = OnConflict::column(Column::Name).update_columns([Column::Value, Column::Changed]).to_owned();
        Entity::insert(row).on_conflict(replace).exec_without_returning(&tx.unrouted()).await?;
        Ok(())
    }
}

/// Records which migration step this program knows, in the transaction in which the process takes
/// or extends a lease under the name `owner`.
pub(super) async fn register(tx: &SourceTx, owner: &[u8], now: Millis) -> StoreResult<()> {
    use process::{ActiveModel, Column, Entity};
    let row = ActiveModel { owner: Set(owner.to_vec()), step: Set(KNOWN_STEP), until: Set(now.plus(RETENTION).0) };
    let replace = OnConflict::column(Column::Owner).update_columns([Column::Step, Column::Until]).to_owned();
    Entity::insert(row).on_conflict(replace).exec_without_returning(&tx.unrouted()).await?;
    Ok(())
}

/// Deletes the rows of processes that hold no lease any more. A confined transaction cannot: no key
/// names the shard of rows whose owners are unknown.
pub(super) async fn remove_ended(tx: &SourceTx, now: Millis) -> StoreResult<()> {
    use process::{Column, Entity};
    if tx.is_confined() {
        return Ok(());
    }
    Entity::delete_many().filter(Column::Until.lt(now.0)).exec(&tx.unrouted()).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{KNOWN_STEP, MODERATION_STEP};
    use crate::schema::STEPS;

    #[test]
    fn the_known_step_is_the_last_one() {
        assert_eq!(usize::try_from(KNOWN_STEP), Ok(STEPS.len()));
        let step = usize::try_from(MODERATION_STEP).expect("positive");
        assert_eq!(STEPS[step - 1], "m0012_moderation");
    }
}
