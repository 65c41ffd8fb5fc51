//! Gives numbers to what was committed. Rows are picked by state and not by place: a transaction that commits late shows
//! its row late, without a number, and the next pick finds it, however small its id. All numbers of a pick become visible
//! at once, and the lock of the relay's row lets no other pick begin before: so whoever reads along the numbers meets no
//! hole that is filled afterwards.

use riposte_core::Error;
use riposte_core::ports::Epoch;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{CaseStatement, ExprTrait};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect};

use super::key;
use super::order::{self, Waiting};
use super::state::{self, RELAY};
use crate::error::Fault;
use crate::sql::chunks::{padded, padded_to};
use crate::sql::entity::comment_outbox::{Column, Entity};
use crate::sql::entity::relay_state;
use crate::sql::pool::SourceTx;
use crate::sql::read::along;
use crate::sql::transact::Unit;

/// Numbers the oldest rows that have none.
#[derive(Debug)]
pub(super) struct Number {
    pub(super) term: Epoch,
    pub(super) limit: usize,
}

impl Unit for Number {
    type Answer = Option<usize>;
    const NAME: &'static str = "number outbox";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Answer, Fault> {
        let Some(relay) = state::lock_in(tx, self.term).await? else { return Ok(None) };
        let picked = self.pick(tx).await?;
        let numbers: Vec<(i64, i64)> = picked.iter().map(|row| row.id).zip(relay.position + 1..).collect();
        write(tx, &numbers).await?;
        if let Some((_, last)) = numbers.last() {
            let ahead = relay_state::ActiveModel { position: Set(*last), ..Default::default() };
            state::change(tx, RELAY, ahead).await?;
        }
        Ok(Some(numbers.len()))
    }
}

impl Number {
    /// The next rows in the order of their numbers.
    async fn pick(&self, tx: &SourceTx) -> Result<Vec<Waiting>, Fault> {
        let oldest = waiting(tx, Condition::all(), Some(self.limit)).await?;
        // Fewer than asked for are all there are. A batch can commit only after the one whose revision precedes its own
        // has let go of the subject, so where one is seen, all earlier ones are seen too.
        if oldest.len() < self.limit {
            return Ok(order::by_revision(oldest));
        }
        // The rest is left for later, and ids that several processes minted do not follow the revisions: an earlier one
        // may be in the rest.
        let mut crooked = order::with_holes(&oldest);
        crooked.extend(unnumbered(tx, &order::predecessors(&oldest)).await?);
        if crooked.is_empty() {
            return Ok(order::by_revision(oldest));
        }
        let mut rest = Vec::new();
        for list in padded(&crooked.iter().copied().collect::<Vec<_>>()) {
            let theirs = Column::SubjectId.is_in(list).and(Column::Revision.gt(0));
            rest.extend(waiting(tx, Condition::all().add(theirs), None).await?);
        }
        Ok(order::by_revision(order::straightened(oldest, &crooked, rest)))
    }
}

/// Rows without a number. They come along their key, which ends with the id, so about the oldest first; nothing rests on
/// that, and to ask for it would make MariaDB read and sort all that wait for each pick.
async fn waiting(tx: &SourceTx, which: Condition, limit: Option<usize>) -> Result<Vec<Waiting>, Fault> {
    let rows = Entity::find()
        .select_only()
        .columns([Column::Id, Column::SubjectId, Column::Revision])
        .filter(Column::PubSeq.is_null())
        .filter(which)
        .limit(limit.map(|limit| limit as u64));
    let rows: Vec<(i64, i64, i64)> = along(rows, key::PUBLISHED).into_tuple().all(&tx.whole()).await?;
    Ok(rows.into_iter().map(|(id, subject, revision)| Waiting { id, subject, revision }).collect())
}

/// The subjects among these (subject, revision) whose row is there and has no number.
async fn unnumbered(tx: &SourceTx, places: &[(i64, i64)]) -> Result<Vec<i64>, Fault> {
    let mut found = Vec::new();
    for list in padded(places) {
        let one = |(subject, revision): &(i64, i64)| Column::SubjectId.eq(*subject).and(Column::Revision.eq(*revision));
        let any = list.iter().fold(Condition::any(), |any, place| any.add(one(place)));
        // The number is looked at here and not there: SQLite would follow a condition on it away from the key of subjects.
        let rows = Entity::find().select_only().columns([Column::SubjectId, Column::PubSeq]).filter(any);
        let rows: Vec<(i64, Option<i64>)> = along(rows, key::SUBJECT).into_tuple().all(&tx.whole()).await?;
        found.extend(rows.into_iter().filter(|(_, number)| number.is_none()).map(|(subject, _)| subject));
    }
    Ok(found)
}

/// Rows that get their numbers from one statement: each of them is compared with half of the others' ids, and the next
/// statement costs about as much as that.
const AT_ONCE: usize = 64;

/// Writes numbers to rows, by (id, number).
async fn write(tx: &SourceTx, numbers: &[(i64, i64)]) -> Result<(), Fault> {
    let mut written = 0;
    for list in padded_to(AT_ONCE, numbers) {
        let number = |case: CaseStatement, (id, number): &(i64, i64)| case.case(Column::Id.eq(*id), *number);
        let number = list.iter().fold(CaseStatement::new(), number);
        let update = Entity::update_many().col_expr(Column::PubSeq, number.into());
        let update = update.filter(Column::Id.is_in(list.iter().map(|(id, _)| *id)));
        written += update.exec(&tx.whole()).await?.rows_affected;
    }
    if written == numbers.len() as u64 {
        return Ok(());
    }
    Err(Error::internal(format!("of {} rows of the outbox {written} were numbered", numbers.len())).into())
}
