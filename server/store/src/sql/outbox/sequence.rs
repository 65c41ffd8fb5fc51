//! Assigns sequence numbers to commits. Rows are selected by their state and not by their position:
//! the row of a transaction that commits late appears late, without a number, and the next run
//! finds it even if its id is small. All numbers of a run become visible at once, and until then
//! the lock of the relay's row prevents another run. So a reader that follows the sequence numbers
//! never finds a gap that is filled later.

use riposte_core::Error;
use riposte_core::ports::Epoch;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{CaseStatement, SimpleExpr};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::state::{self, RELAY};
use super::{index, pick};
use crate::error::StoreError;
use crate::sql::chunks::padded_chunks_of;
use crate::sql::entity::outbox_commit::{Column, Entity};
use crate::sql::entity::relay_state;
use crate::sql::pool::SourceTx;
use crate::sql::read::force_index;
use crate::sql::transact::TransactionBody;

/// Assigns numbers to the oldest commits that have none.
#[derive(Debug)]
pub(super) struct AssignSequence {
    pub(super) epoch: Epoch,
    pub(super) limit: usize,
    /// The position that this process wrote last.
    pub(super) known: Option<i64>,
}

/// The result of a run.
#[derive(Debug)]
pub(super) struct SequenceProgress {
    /// The number of commits.
    pub(super) commits: usize,
    /// The position after them.
    pub(super) position: i64,
}

impl TransactionBody for AssignSequence {
    type Output = Option<SequenceProgress>;
    const NAME: &'static str = "assign sequence numbers";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        let Some(relay) = state::lock_in_epoch(tx, self.epoch).await? else { return Ok(None) };
        let position = self.position(tx, relay.position).await?;
        let picked = pick::next_in_sequence(tx, self.limit).await?;
        let numbers: Vec<(i64, i64)> = picked.into_iter().zip(position + 1..).collect();
        write(tx, &numbers).await?;
        let last = numbers.last().map_or(position, |(_, last)| *last);
        if last != relay.position {
            let ahead = relay_state::ActiveModel { position: Set(last), ..Default::default() };
            state::update(tx, RELAY, ahead).await?;
        }
        Ok(Some(SequenceProgress { commits: numbers.len(), position: last }))
    }
}

impl AssignSequence {
    /// Returns the position after which numbers continue. A stored position that this process has
    /// not written may be lower than the number of an event, as after the restore of a part of the
    /// tables.
    async fn position(&self, tx: &SourceTx, stored: i64) -> Result<i64, StoreError> {
        if self.known == Some(stored) {
            return Ok(stored);
        }
        position(tx, stored).await
    }
}

/// Returns the stored position of the relay, or the greatest sequence number that an event has if
/// that is greater.
pub(super) async fn position(tx: &SourceTx, stored: i64) -> Result<i64, StoreError> {
    let last = last_number(tx).await?;
    if last > stored {
        tracing::warn!(
            position = stored,
            last,
            "the position of the relay was lower than the number of an event; numbers continue after that number"
        );
    }
    Ok(last.max(stored))
}

/// Reads the greatest sequence number that an event has; 0 if none has one.
pub(super) async fn last_number(tx: &SourceTx) -> Result<i64, StoreError> {
    let last = Entity::find().select_only().column(Column::PubSeq).filter(Column::PubSeq.is_not_null());
    let last = force_index(last.order_by_desc(Column::PubSeq).limit(1), index::PUBLISHED);
    Ok(last.into_tuple::<i64>().one(&tx.unrouted()).await?.unwrap_or(0))
}

/// The number of rows that one statement sequences. The statement compares the id of each row with
/// half of these ids on average; at this number that costs about as much as one more statement.
pub(super) const ROWS_PER_UPDATE: usize = 64;

/// Writes numbers to rows, by (id, number).
async fn write(tx: &SourceTx, numbers: &[(i64, i64)]) -> Result<(), StoreError> {
    let mut written = 0;
    for list in padded_chunks_of(ROWS_PER_UPDATE, numbers) {
        let update = Entity::update_many().col_expr(Column::PubSeq, number_of_row(&list));
        let update = update.filter(Column::Id.is_in(list.iter().map(|(id, _)| *id)));
        written += update.exec(&tx.unrouted()).await?.rows_affected;
    }
    if written == numbers.len() as u64 {
        return Ok(());
    }
    Err(Error::internal(format!("only {written} of {} rows of the outbox were numbered", numbers.len())).into())
}

/// Returns the number that a row gets, by the ids of some rows.
pub(super) fn number_of_row(numbers: &[(i64, i64)]) -> SimpleExpr {
    let number = |case: CaseStatement, (id, number): &(i64, i64)| case.case(Column::Id.eq(*id), *number);
    numbers.iter().fold(CaseStatement::new(), number).into()
}
