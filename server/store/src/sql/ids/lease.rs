//! The rows of worker leases: four short transactions, each of which locks first.

use std::sync::Arc;
use std::time::Duration;

use riposte_core::ids::{IdLease, IdTick, MAX_AHEAD_MILLIS, WORKERS};
use riposte_core::{Error, Millis};
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::error::StoreResult;
use crate::sql::entity::worker_lease::{ActiveModel, Column, Entity, Model};
use crate::sql::moderation_gate;
use crate::sql::pool::{DataSources, SourceTx};

/// The time that a lease extends beyond the present.
pub(super) const LEASE_DURATION: Duration = Duration::from_secs(10);
/// A lease that ends sooner is extended: a busy partition borrows up to a second from the future.
const MARGIN_MILLIS: i64 = 2_000;

/// Returns whether a lease covers all ids that may be generated in `present`. `present` is the tick
/// of the generator, which does not follow a clock that steps back.
pub(super) fn covers(lease: &IdLease, present: IdTick) -> bool {
    present.0 + IdTick::span(MARGIN_MILLIS) < lease.until.0
}

/// Takes a free worker number: the one that was used least recently.
pub(super) async fn take(
    sources: &Arc<DataSources>,
    source: usize,
    owner: &[u8; 16],
    now: Millis,
) -> StoreResult<IdLease> {
    let work = async |tx: &SourceTx| {
        let Some(free) = free_worker(tx, now).await? else {
            tracing::error!("all {WORKERS} worker numbers of a data source are leased");
            return Err(Error::Overloaded { after: LEASE_DURATION }.into());
        };
        let from = IdTick(free.minted_until).max(IdTick::at(now));
        let until = IdTick(from.0 + lease_ticks());
        update(tx, free.worker, ActiveModel { owner: Set(owner.to_vec()), ..leased_row(until, now) }).await?;
        moderation_gate::remove_ended(tx, now).await?;
        moderation_gate::register(tx, owner, now).await?;
        let worker = u8::try_from(free.worker).map_err(Error::internal)?;
        Ok(IdLease { worker, from, until })
    };
    let (tx, lease) = sources.begin_write(source, false).await?.write(work).await?;
    tx.commit().await?;
    Ok(lease)
}

/// The time of a lease extension.
pub(super) struct LeaseRenewal {
    /// By the clock, because other processes compare the lease with their clocks.
    pub(super) now: Millis,
    /// By the generator, which continues from here.
    pub(super) present: IdTick,
}

/// Extends a lease; `None` if it expired and another process took the number.
pub(super) async fn extend(
    sources: &Arc<DataSources>,
    source: usize,
    lease: &IdLease,
    owner: &[u8; 16],
    renewal: &LeaseRenewal,
) -> StoreResult<Option<IdTick>> {
    let until = IdTick(renewal.present.0 + lease_ticks()).max(lease.until);
    let worker = i16::from(lease.worker);
    let work = async |tx: &SourceTx| {
        let row = Entity::find_by_id(worker).lock_exclusive().one(&tx.unrouted()).await?;
        let is_still_owner = row.is_some_and(|row| row.owner == owner);
        if is_still_owner {
            update(tx, worker, leased_row(until, renewal.now)).await?;
            moderation_gate::register(tx, owner, renewal.now).await?;
        }
        Ok(is_still_owner)
    };
    let (tx, is_still_owner) = sources.begin_write(source, false).await?.write(work).await?;
    tx.commit().await?;
    Ok(is_still_owner.then_some(until))
}

/// Takes another worker number in place of one whose generator is ahead of the clock, if a free one
/// begins earlier by more than the second that a partition may borrow. The held number is then
/// released; `None` if there is no such number.
pub(super) async fn replace(
    sources: &Arc<DataSources>,
    source: usize,
    held: &IdLease,
    owner: &[u8; 16],
    renewal: &LeaseRenewal,
) -> StoreResult<Option<IdLease>> {
    let work = async |tx: &SourceTx| {
        let Some(free) = free_worker(tx, renewal.now).await? else { return Ok(None) };
        let from = IdTick(free.minted_until).max(IdTick::at(renewal.now));
        if from.0 + IdTick::span(MAX_AHEAD_MILLIS) >= renewal.present.0 {
            return Ok(None);
        }
        let until = IdTick(from.0 + lease_ticks());
        update(tx, free.worker, ActiveModel { owner: Set(owner.to_vec()), ..leased_row(until, renewal.now) }).await?;
        free_row(tx, held, owner).await?;
        moderation_gate::register(tx, owner, renewal.now).await?;
        let worker = u8::try_from(free.worker).map_err(Error::internal)?;
        Ok(Some(IdLease { worker, from, until }))
    };
    let (tx, lease) = sources.begin_write(source, false).await?.write(work).await?;
    tx.commit().await?;
    Ok(lease)
}

/// Releases a worker number at once. The next holder still starts at its `minted_until`.
pub(super) async fn release(
    sources: &Arc<DataSources>,
    source: usize,
    lease: &IdLease,
    owner: &[u8; 16],
) -> StoreResult<()> {
    let work = async |tx: &SourceTx| free_row(tx, lease, owner).await;
    let (tx, ()) = sources.begin_write(source, false).await?.write(work).await?;
    tx.commit().await
}

/// Marks the row of a lease as free, if this owner still holds it.
async fn free_row(tx: &SourceTx, lease: &IdLease, owner: &[u8; 16]) -> StoreResult<()> {
    let free = ActiveModel { owner: Set(Vec::new()), leased_until: Set(0), ..Default::default() };
    let update = Entity::update_many().set(free).filter(Column::Worker.eq(i16::from(lease.worker)));
    update.filter(Column::Owner.eq(owner.to_vec())).exec(&tx.unrouted()).await?;
    Ok(())
}

/// Returns the free worker number that was used least recently. All rows stay locked.
async fn free_worker(tx: &SourceTx, now: Millis) -> StoreResult<Option<Model>> {
    // The numbers are named so that a confined store finds the shard of the rows.
    let rows = Entity::find().filter(Column::Worker.is_in(0..i16::from(WORKERS))).order_by_asc(Column::Worker);
    let rows = rows.lock_exclusive().all(&tx.unrouted()).await?;
    let valid = rows.into_iter().filter(|row| (0..i16::from(WORKERS)).contains(&row.worker));
    Ok(valid.filter(|row| row.leased_until <= now.0).min_by_key(|row| row.minted_until))
}

fn leased_row(until: IdTick, now: Millis) -> ActiveModel {
    ActiveModel { minted_until: Set(until.0), leased_until: Set(now.plus(LEASE_DURATION).0), ..Default::default() }
}

async fn update(tx: &SourceTx, worker: i16, row: ActiveModel) -> StoreResult<()> {
    Entity::update_many().set(row).filter(Column::Worker.eq(worker)).exec(&tx.unrouted()).await?;
    Ok(())
}

fn lease_ticks() -> i64 {
    IdTick::span(i64::try_from(LEASE_DURATION.as_millis()).unwrap_or(i64::MAX))
}
