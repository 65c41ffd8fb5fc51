//! Assigns sequence numbers to commits. Rows are selected by their state and not by their position:
//! the row of a transaction that commits late appears late, without a number, and the next run
//! finds it even if its id is small. All numbers of a run become visible at once, and until then
//! the lock of the relay's row prevents another run. So a reader that follows the sequence numbers
//! never finds a gap that is filled later.

use std::collections::BTreeSet;

use riposte_core::Error;
use riposte_core::ports::Epoch;
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::CaseStatement;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::index;
use super::order::{self, PendingRevision};
use super::state::{self, RELAY};
use crate::error::StoreError;
use crate::sql::chunks::{padded_chunks, padded_chunks_of};
use crate::sql::entity::outbox_commit::{Column, Entity};
use crate::sql::entity::{outbox_revision, relay_state};
use crate::sql::keys_join::{KEYS_MAX, join_keys};
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
        let picked = self.next_in_sequence(tx).await?;
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

    /// Returns the next commits in sequence order.
    async fn next_in_sequence(&self, tx: &SourceTx) -> Result<Vec<i64>, StoreError> {
        let mut scan_limit = self.limit.max(1);
        loop {
            let oldest = unsequenced(tx, scan_limit).await?;
            let revisions = revisions_of(tx, &oldest).await?;
            // If the query returns fewer rows than requested, they are all pending rows. A batch
            // can commit only after the batch with the preceding revision has released the subject,
            // so if a commit is visible, all earlier commits of its subjects are visible too.
            let is_complete = oldest.len() < scan_limit;
            // The remaining rows are left for later. Several processes generate ids, so ids do not
            // follow the revisions: an earlier commit may be among the remaining rows.
            let deferred = if is_complete {
                BTreeSet::new()
            } else {
                unsequenced_revisions(tx, &order::predecessors(&revisions)).await?
            };
            let mut ready = order::in_order(&oldest, &revisions, &deferred);
            if is_complete || ready.len() >= self.limit {
                ready.truncate(self.limit);
                return Ok(ready);
            }
            scan_limit *= 2;
        }
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
async fn last_number(tx: &SourceTx) -> Result<i64, StoreError> {
    let last = Entity::find().select_only().column(Column::PubSeq).filter(Column::PubSeq.is_not_null());
    let last = force_index(last.order_by_desc(Column::PubSeq).limit(1), index::PUBLISHED);
    Ok(last.into_tuple::<i64>().one(&tx.unrouted()).await?.unwrap_or(0))
}

/// Reads commits without a number, in the order of a key that ends with the id: roughly the oldest
/// first. Correctness does not depend on that order, and an ORDER BY would make MariaDB read and
/// sort all pending rows for each read.
async fn unsequenced(tx: &SourceTx, limit: usize) -> Result<Vec<i64>, StoreError> {
    let rows = Entity::find().select_only().column(Column::Id).filter(Column::PubSeq.is_null()).limit(limit as u64);
    Ok(force_index(rows, index::PUBLISHED).into_tuple().all(&tx.unrouted()).await?)
}

/// Reads the revisions that these commits made.
async fn revisions_of(tx: &SourceTx, commits: &[i64]) -> Result<Vec<PendingRevision>, StoreError> {
    use outbox_revision::{Column, Entity};
    let mut revisions = Vec::new();
    for list in padded_chunks(commits) {
        let rows = Entity::find().filter(Column::CommitId.is_in(list)).all(&tx.unrouted()).await?;
        revisions.extend(rows.into_iter().map(|row| PendingRevision {
            commit: row.commit_id,
            subject: row.subject_id,
            revision: row.revision,
        }));
    }
    Ok(revisions)
}

/// Returns those of these (subject, revision) pairs whose commit exists and has no number.
async fn unsequenced_revisions(tx: &SourceTx, revisions: &[(i64, i64)]) -> Result<BTreeSet<(i64, i64)>, StoreError> {
    use outbox_revision::Column as Revision;
    let db = tx.unrouted();
    let mut found: Vec<(i64, (i64, i64))> = Vec::new();
    for list in padded_chunks_of(KEYS_MAX, revisions) {
        let columns = [Revision::SubjectId, Revision::Revision];
        let keys = list.into_iter().map(|(subject, revision)| [subject.into(), revision.into()]).collect();
        let select = outbox_revision::Entity::find();
        let rows = join_keys(select, db.get_database_backend(), index::SUBJECT, columns, keys).all(&db).await?;
        found.extend(rows.into_iter().map(|row| (row.commit_id, (row.subject_id, row.revision))));
    }
    let commits: BTreeSet<i64> = found.iter().map(|(commit, _)| *commit).collect();
    let mut unsequenced = BTreeSet::new();
    for list in padded_chunks(&commits.into_iter().collect::<Vec<_>>()) {
        // The number is checked here and not in the query: a condition on it would lead SQLite away
        // from the primary key.
        let rows = Entity::find().select_only().columns([Column::Id, Column::PubSeq]).filter(Column::Id.is_in(list));
        let rows: Vec<(i64, Option<i64>)> = rows.into_tuple().all(&db).await?;
        unsequenced.extend(rows.into_iter().filter(|(_, number)| number.is_none()).map(|(id, _)| id));
    }
    Ok(found.into_iter().filter(|(commit, _)| unsequenced.contains(commit)).map(|(_, revision)| revision).collect())
}

/// The number of rows that one statement sequences. The statement compares the id of each row with
/// half of these ids on average; at this number that costs about as much as one more statement.
const ROWS_PER_UPDATE: usize = 64;

/// Writes numbers to rows, by (id, number).
async fn write(tx: &SourceTx, numbers: &[(i64, i64)]) -> Result<(), StoreError> {
    let mut written = 0;
    for list in padded_chunks_of(ROWS_PER_UPDATE, numbers) {
        let number = |case: CaseStatement, (id, number): &(i64, i64)| case.case(Column::Id.eq(*id), *number);
        let number = list.iter().fold(CaseStatement::new(), number);
        let update = Entity::update_many().col_expr(Column::PubSeq, number.into());
        let update = update.filter(Column::Id.is_in(list.iter().map(|(id, _)| *id)));
        written += update.exec(&tx.unrouted()).await?.rows_affected;
    }
    if written == numbers.len() as u64 {
        return Ok(());
    }
    Err(Error::internal(format!("only {written} of {} rows of the outbox were numbered", numbers.len())).into())
}
