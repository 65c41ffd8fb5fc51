//! Numbering and trimming on a confined store. A commit is a row in its partition, and the position
//! of the relay a row of its own, so neither is one transaction.
//!
//! The numbers above the position belong to the leader. It writes them one partition at a time, and
//! moves the position in a transaction of its own afterwards. Readers stop at the position. A
//! leader first claims the commits that wait, and clears the numbers that lie above the position:
//! an earlier leader left them, and they are assigned anew.
//!
//! No key rejects a number that is written twice, because the commits may be on different shards.
//! The epoch of a row protects it: a leader writes a number only to a row that no later epoch has
//! claimed. It picks commits first and then checks its epoch, so all commits that it picked were
//! there when a later leader claimed what waits.

mod claim;
mod number;
mod trim;

use std::collections::BTreeMap;
use std::sync::Arc;

use riposte_core::ports::{Epoch, TrimBounds, TrimReport};
use riposte_core::{Error, Partition, Result};
use sea_orm::EntityTrait;

use super::pick;
use super::state::{self, RELAY};
use crate::error::StoreError;
use crate::sql::entity::relay_state;
use crate::sql::pool::{DataSources, SourceTx};
use crate::sql::row;
use crate::sql::transact::{self, TransactionBody};

/// Assigns numbers as [`riposte_core::ports::Outbox::assign_sequence`] says.
pub(super) async fn assign(
    sources: &Arc<DataSources>,
    source: usize,
    epoch: Epoch,
    limit: usize,
) -> Result<Option<usize>> {
    let mut claimed = sources.claim(source).lock().await;
    if *claimed != Some(epoch) {
        if !claim::claim(sources, source, epoch).await? {
            return Ok(None);
        }
        *claimed = Some(epoch);
    }
    let picked = transact::read_without_limit(sources, source, PickCommits { limit }).await?;
    let Some(position) = transact::write(sources, source, PositionInEpoch { epoch }).await? else { return Ok(None) };
    if picked.is_empty() {
        return Ok(Some(0));
    }
    let numbers: Vec<(i64, i64)> = picked.into_iter().zip(position + 1..).collect();
    // Until the position has moved, numbers lie above it, and the next run clears them.
    *claimed = None;
    if !number::write(sources, source, epoch, (position, &numbers)).await? {
        return Ok(None);
    }
    *claimed = Some(epoch);
    Ok(Some(numbers.len()))
}

/// Deletes events as [`riposte_core::ports::ConsumerPositions::trim`] says, one partition at a
/// time. What an interrupted run leaves is deleted by the next one. A consumer that has not passed
/// it finds a gap before it, and is rebuilt.
pub(super) async fn trim(
    sources: &Arc<DataSources>,
    source: usize,
    epoch: Epoch,
    bounds: TrimBounds,
    limit: usize,
) -> Result<Option<TrimReport>> {
    let Some(position) = transact::write(sources, source, PositionInEpoch { epoch }).await? else { return Ok(None) };
    let find = trim::FindExpired { bounds, limit, position };
    let (expired, report) = transact::read_without_limit(sources, source, find).await?;
    for (partition, ids) in by_partition(&expired, |id| *id)? {
        transact::write(sources, source, trim::DeleteCommits { partition, ids }).await?;
    }
    Ok(Some(report))
}

/// Returns the position of the last number that was assigned, for the first row of a relay: numbers
/// continue after those of the events if the row was lost.
pub(super) async fn first_position(sources: &Arc<DataSources>, source: usize) -> Result<Option<i64>> {
    transact::read_without_limit(sources, source, FirstPosition).await
}

/// Groups rows by the partition of their commits.
fn by_partition<T: Clone>(rows: &[T], id: impl Fn(&T) -> i64) -> Result<BTreeMap<Partition, Vec<T>>> {
    let mut groups: BTreeMap<Partition, Vec<T>> = BTreeMap::new();
    for row in rows {
        let partition = pick::partition_of(id(row)).ok_or_else(|| Error::internal("a commit has no valid id"))?;
        groups.entry(partition).or_default().push(row.clone());
    }
    Ok(groups)
}

/// Picks the next commits.
#[derive(Debug)]
struct PickCommits {
    limit: usize,
}

impl TransactionBody for PickCommits {
    type Output = Vec<i64>;
    const NAME: &'static str = "pick commits";
    const READS_PARTITIONS: bool = true;

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        pick::next_in_sequence(tx, self.limit).await
    }
}

/// Reads the position of the relay; `None` if another epoch has begun.
#[derive(Debug)]
struct PositionInEpoch {
    epoch: Epoch,
}

impl TransactionBody for PositionInEpoch {
    type Output = Option<i64>;
    const NAME: &'static str = "check relay epoch";

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        Ok(state::lock_in_epoch(tx, self.epoch).await?.map(|relay| relay.position))
    }
}

/// Reads the greatest number of an event if the relay has no row.
#[derive(Debug)]
struct FirstPosition;

impl TransactionBody for FirstPosition {
    type Output = Option<i64>;
    const NAME: &'static str = "read first position";
    const READS_PARTITIONS: bool = true;

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        let relay = relay_state::Entity::find_by_id(row::bytes(RELAY)).one(&tx.unrouted()).await?;
        Ok(if relay.is_some() { None } else { Some(super::sequence::last_number(tx).await?) })
    }
}
