//! The numbers of some commits, and afterwards the position.

use std::sync::Arc;

use futures::stream::{self, StreamExt, TryStreamExt};
use riposte_core::ports::Epoch;
use riposte_core::{Error, Partition, Result};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::ExprTrait;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use super::{PositionInEpoch, by_partition};
use crate::error::StoreError;
use crate::shard::part;
use crate::sql::entity::outbox_commit::{Column, Entity};
use crate::sql::entity::relay_state;
use crate::sql::outbox::sequence::{ROWS_PER_UPDATE, number_of_row};
use crate::sql::outbox::state::{self, RELAY};
use crate::sql::pool::{DataSources, SourceTx};
use crate::sql::transact::{self, TransactionBody};

/// The number of partitions that are written at a time. Each takes a connection of the write pool,
/// which the committers need too.
const PARTITIONS_AT_ONCE: usize = 4;

/// Writes the numbers of some commits after `position`, by (id, number), and moves the position
/// after them. Returns false if another epoch has begun; the position has then not moved.
pub(super) async fn write(
    sources: &Arc<DataSources>,
    source: usize,
    epoch: Epoch,
    (position, numbers): (i64, &[(i64, i64)]),
) -> Result<bool> {
    let last = numbers.last().map_or(position, |(_, last)| *last);
    let written: usize = stream::iter(by_partition(numbers, |(id, _)| *id)?)
        .map(|(partition, numbers)| {
            transact::write(sources, source, WriteNumbers { epoch, position, partition, numbers })
        })
        .buffer_unordered(PARTITIONS_AT_ONCE)
        .try_fold(0, |sum, written| std::future::ready(Ok(sum + written)))
        .await?;
    if written != numbers.len() {
        if transact::write(sources, source, PositionInEpoch { epoch }).await?.is_none() {
            return Ok(false); // a later leader has claimed some of them
        }
        let text = format!("only {written} of {} rows of the outbox were numbered", numbers.len());
        return Err(Error::internal(text));
    }
    transact::write(sources, source, MovePosition { epoch, from: position, to: last }).await
}

/// Writes the numbers of commits of one partition and returns how many rows match: those that no
/// later epoch has claimed, and whose number is not final.
#[derive(Debug)]
struct WriteNumbers {
    epoch: Epoch,
    position: i64,
    partition: Partition,
    numbers: Vec<(i64, i64)>,
}

impl TransactionBody for WriteNumbers {
    type Output = usize;
    const NAME: &'static str = "write sequence numbers";

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        let mut written = 0;
        for list in self.numbers.chunks(ROWS_PER_UPDATE) {
            let update = Entity::update_many()
                .col_expr(Column::PubSeq, number_of_row(list))
                .filter(Column::Part.eq(part(self.partition)))
                .filter(Column::Id.is_in(list.iter().map(|(id, _)| *id)))
                .filter(Column::PubSeq.is_null().or(Column::PubSeq.gt(self.position)))
                .filter(Column::Epoch.is_null().or(Column::Epoch.lte(self.epoch.0)));
            written += update.exec(&tx.unrouted()).await?.rows_affected;
        }
        Ok(usize::try_from(written).unwrap_or(usize::MAX))
    }
}

/// Moves the position of the relay; false if another epoch has begun.
#[derive(Debug)]
struct MovePosition {
    epoch: Epoch,
    from: i64,
    to: i64,
}

impl TransactionBody for MovePosition {
    type Output = bool;
    const NAME: &'static str = "move relay position";

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        let Some(relay) = state::lock_in_epoch(tx, self.epoch).await? else { return Ok(false) };
        // It is there already if the outcome of the same move was lost.
        if relay.position != self.from && relay.position != self.to {
            return Err(Error::internal("the position of the relay has moved within its epoch").into());
        }
        let moved = relay_state::ActiveModel { position: Set(self.to), ..Default::default() };
        state::update(tx, RELAY, moved).await?;
        Ok(true)
    }
}
