//! Commits the commands of a batch without a wait for the subjects that other transactions hold.
//!
//! The error of a locking read does not name the row. So the transaction is rolled back, and the
//! held rows are found by bisection: locking reads without a transaction lock a list of rows for an
//! instant, and the lists that fail are halved. Then the batch runs again without the held
//! subjects.
//!
//! The locks of subjects do not wait, since a transaction on a hot subject follows the other. The
//! locks of comments wait: likes and replies of the same comments meet often, and only for
//! milliseconds.

use std::collections::{BTreeMap, BTreeSet};

use riposte_core::{CommentId, Partition, SubjectKey};
use sea_orm::sea_query::SelectStatement;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, QueryTrait};

use super::{CommitBatch, CommitType, LockWait, UnheldOutputs};
use crate::error::{ErrorClass, StoreResult};
use crate::sql::chunks::padded_chunks;
use crate::sql::entity::{comment_index, comment_subject};
use crate::sql::grouping::{by_table, parts};

/// The number of attempts without a wait. Each of them leaves out the subjects that the attempts
/// before it found held. The transactions that hold subjects after the last one have begun since
/// then, so they are short, and the batch waits for them.
const ATTEMPTS: usize = 3;

/// The highest number of locking reads that one search sends. Rows that it does not reach count as
/// free.
const SEARCH_READS_MAX: usize = 128;

/// A row that a batch locks, and the subject of the command that needs it.
#[derive(Debug)]
pub(super) struct RowLock {
    pub(super) table: LockedTable,
    /// The id of the subject or the comment; it contains its partition.
    pub(super) id: CommentId,
    pub(super) subject: SubjectKey,
}

/// The tables in which batches lock rows.
#[derive(Debug, Clone, Copy)]
pub(super) enum LockedTable {
    Subject,
    Index,
}

impl<K: CommitType> CommitBatch<'_, K> {
    /// Commits the commands, except those of subjects that other transactions hold.
    pub(super) async fn run_without_wait(mut self) -> StoreResult<UnheldOutputs> {
        let mut outputs: UnheldOutputs = vec![None; self.commands.len()];
        let mut positions: Vec<usize> = (0..self.commands.len()).collect();
        let (mut attempts, mut outcome_unknown) = (0, false);
        let committed = loop {
            if self.commands.is_empty() || attempts == ATTEMPTS || outcome_unknown {
                break self.run(outcome_unknown).await?;
            }
            attempts += 1;
            match self.commit_with_retry(&self.commands, false, K::FIRST_LOCK_WAIT).await {
                Ok(committed) => break committed,
                Err(failure) => match failure.fault.class() {
                    ErrorClass::Locked if !failure.outcome_unknown => {
                        let held = self.held_subjects().await?;
                        tracing::debug!(subjects = held.len(), "other transactions hold subjects of a batch");
                        positions = self.leave_out(&held, positions);
                    }
                    ErrorClass::Locked | ErrorClass::Fatal | ErrorClass::Duplicate => {
                        outcome_unknown = failure.outcome_unknown;
                        attempts = ATTEMPTS; // a division of the batch shows which command fails
                    }
                    ErrorClass::Conflict | ErrorClass::SecondShard | ErrorClass::Lost | ErrorClass::Unreachable => {
                        return Err(failure.into_store_error());
                    }
                },
            }
        };
        for (position, output) in positions.into_iter().zip(committed) {
            outputs[position] = Some(output);
        }
        Ok(outputs)
    }

    /// Removes the commands of these subjects, and returns the positions of the others.
    fn leave_out(&mut self, held: &BTreeSet<SubjectKey>, positions: Vec<usize>) -> Vec<usize> {
        let commands = self.commands.iter().zip(positions);
        let left = commands.filter(|(command, _)| !held.contains(&command.subject));
        let (commands, positions): (Vec<_>, _) = left.map(|(command, position)| (command.clone(), position)).unzip();
        self.commands = commands.into();
        positions
    }

    /// Returns the subjects of which other transactions hold rows at this moment.
    async fn held_subjects(&self) -> StoreResult<BTreeSet<SubjectKey>> {
        let (mut subjects, mut comments): (BTreeMap<_, Vec<_>>, BTreeMap<_, Vec<_>>) = Default::default();
        for RowLock { table, id, subject } in K::locks(&self.sources, &self.commands) {
            let locks = match table {
                LockedTable::Subject => &mut subjects,
                LockedTable::Index => &mut comments,
            };
            locks.entry(id).or_default().push(subject);
        }
        let (tables, mut reads, mut held) = (self.sources.map().tables(), SEARCH_READS_MAX, BTreeSet::new());
        for (table, count, mut locks) in
            [(LockedTable::Subject, tables.subject, subjects), (LockedTable::Index, tables.index, comments)]
        {
            if !held.is_empty() {
                break; // the locks of subjects come first, so one of them was the reason
            }
            let ids: Vec<CommentId> = locks.keys().copied().collect();
            for (partition, ids) in by_table(ids, count, |id| id.partition()) {
                let found = self.held_rows((table, partition), ids, &mut reads).await?;
                held.extend(found.into_iter().filter_map(|id| locks.remove(&id)).flatten());
            }
        }
        Ok(held)
    }

    /// Returns the rows of one table that other transactions hold; `reads` is the number of locking
    /// reads that may still be sent.
    async fn held_rows(
        &self,
        (table, partition): (LockedTable, Partition),
        ids: Vec<CommentId>,
        reads: &mut usize,
    ) -> StoreResult<Vec<CommentId>> {
        let (mut pending, mut held) = (vec![ids], Vec::new());
        while let Some(mut ids) = pending.pop() {
            let Some(left) = reads.checked_sub(1) else { break };
            *reads = left;
            if self.are_free(table, partition, &ids).await? {
                continue;
            }
            if let [id] = ids[..] {
                held.push(id);
                continue;
            }
            pending.push(ids.split_off(ids.len() / 2));
            pending.push(ids);
        }
        Ok(held)
    }

    /// Returns whether no other transaction holds any of these rows of one table.
    async fn are_free(&self, table: LockedTable, partition: Partition, ids: &[CommentId]) -> StoreResult<bool> {
        for list in padded_chunks(ids) {
            let select = match table {
                LockedTable::Subject => locking_read::<comment_subject::Entity>(
                    &list,
                    comment_subject::Column::Part,
                    comment_subject::Column::Id,
                ),
                LockedTable::Index => {
                    locking_read::<comment_index::Entity>(&list, comment_index::Column::Part, comment_index::Column::Id)
                }
            };
            match self.sources.lock_for_an_instant(partition, &select).await {
                Ok(()) => {}
                Err(fault) if fault.class() == ErrorClass::Locked => return Ok(false),
                Err(fault) => return Err(fault),
            }
        }
        Ok(true)
    }
}

/// Returns the read that locks these rows of one table, or fails at once.
fn locking_read<E: EntityTrait>(ids: &[CommentId], part: E::Column, id: E::Column) -> SelectStatement {
    let select = E::find().select_only().column(id).filter(part.is_in(parts(ids.iter().map(|id| id.partition()))));
    LockWait::None.lock(select.filter(id.is_in(ids.iter().map(|id| id.get())))).into_query()
}
