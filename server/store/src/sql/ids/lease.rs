//! The rows of worker leases: three short transactions, each of which locks first.

use std::sync::Arc;
use std::time::Duration;

use riposte_core::ids::{IdLease, IdTick, WORKERS};
use riposte_core::{Error, Millis};
use sea_orm::ActiveValue::Set;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::error::StoreError;
use crate::sql::entity::worker_lease::{ActiveModel, Column, Entity, Model};
use crate::sql::pool::{DataSources, SourceTx};

/// The time that a lease extends beyond the present.
const LASTS: Duration = Duration::from_secs(10);
/// A lease that ends sooner is extended: a busy partition borrows up to a second from the future.
const MARGIN_MILLIS: i64 = 2_000;

type Leased<T> = Result<T, StoreError>;

/// Returns whether a lease covers all ids that may be generated in `present`. `present` is the tick
/// of the generator, which does not follow a clock that steps back.
pub(super) fn covers(lease: &IdLease, present: IdTick) -> bool {
    present.0 + IdTick::span(MARGIN_MILLIS) < lease.until.0
}

/// Takes a free worker number: the one that was used least recently.
pub(super) async fn take(sources: &Arc<DataSources>, source: usize, owner: &[u8; 16], now: Millis) -> Leased<IdLease> {
    let work = async |tx: &SourceTx| {
        let free = pick(tx, now).await?;
        let from = IdTick(free.minted_until).max(IdTick::at(now));
        let until = IdTick(from.0 + ticks());
        write(tx, free.worker, ActiveModel { owner: Set(owner.to_vec()), ..held(until, now) }).await?;
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
    at: &LeaseRenewal,
) -> Leased<Option<IdTick>> {
    let until = IdTick(at.present.0 + ticks()).max(lease.until);
    let worker = i16::from(lease.worker);
    let work = async |tx: &SourceTx| {
        let row = Entity::find_by_id(worker).lock_exclusive().one(&tx.unrouted()).await?;
        let still_ours = row.is_some_and(|row| row.owner == owner);
        if still_ours {
            write(tx, worker, held(until, at.now)).await?;
        }
        Ok(still_ours)
    };
    let (tx, still_ours) = sources.begin_write(source, false).await?.write(work).await?;
    tx.commit().await?;
    Ok(still_ours.then_some(until))
}

/// Releases a number at once. Its promise stays valid: the next holder starts at `minted_until`.
pub(super) async fn release(
    sources: &Arc<DataSources>,
    source: usize,
    lease: &IdLease,
    owner: &[u8; 16],
) -> Leased<()> {
    let free = ActiveModel { owner: Set(Vec::new()), leased_until: Set(0), ..Default::default() };
    let update = Entity::update_many().set(free).filter(Column::Worker.eq(i16::from(lease.worker)));
    let update = update.filter(Column::Owner.eq(owner.to_vec()));
    let work = async |tx: &SourceTx| Ok(update.exec(&tx.unrouted()).await?);
    let (tx, _) = sources.begin_write(source, false).await?.write(work).await?;
    tx.commit().await
}

async fn pick(tx: &SourceTx, now: Millis) -> Leased<Model> {
    let rows = Entity::find().order_by_asc(Column::Worker).lock_exclusive().all(&tx.unrouted()).await?;
    let known = rows.into_iter().filter(|row| (0..i16::from(WORKERS)).contains(&row.worker));
    let free = known.filter(|row| row.leased_until <= now.0).min_by_key(|row| row.minted_until);
    free.ok_or_else(|| {
        tracing::error!("all {WORKERS} worker numbers of a data source are leased");
        Error::Overloaded { after: LASTS }.into()
    })
}

fn held(until: IdTick, now: Millis) -> ActiveModel {
    ActiveModel { minted_until: Set(until.0), leased_until: Set(now.plus(LASTS).0), ..Default::default() }
}

async fn write(tx: &SourceTx, worker: i16, row: ActiveModel) -> Leased<()> {
    Entity::update_many().set(row).filter(Column::Worker.eq(worker)).exec(&tx.unrouted()).await?;
    Ok(())
}

fn ticks() -> i64 {
    IdTick::span(i64::try_from(LASTS.as_millis()).unwrap_or(i64::MAX))
}
