//! Loads the rows of a batch into a unit of work, under lock. One phase of the transaction has the
//! locking reads, in lock order, and after them the reads whose keys are known: subjects by id,
//! then comments by id, then contents, idempotency records and likes.

mod duplicates;
mod likes;
mod public_texts;
mod reviews;
mod subjects;

use std::collections::{BTreeMap, BTreeSet};

use riposte_core::{Command, CommentId, LikeCommand, MemberId, SubjectId, SubjectKey, UnitOfWork};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};

use super::LockWait;
use crate::error::StoreResult;
use crate::sql::chunks::LIST_MAX;
use crate::sql::entity::{comment_content, comment_index};
use crate::sql::grouping::{by_table, parts};
use crate::sql::phase::{Phase, PhaseResults, RowsSlot};
use crate::sql::pool::SourceTx;
use crate::sql::row;
pub(super) use duplicates::{DuplicateCheck, detects_duplicates};

/// Loads the rows that a batch of comments may touch.
pub(super) async fn comments(
    tx: &SourceTx,
    commands: &[Command],
    duplicate_check: DuplicateCheck,
    lock_wait: LockWait,
) -> StoreResult<UnitOfWork> {
    let locked_keys = LockedKeys::of(commands);
    let mut ids_may_be_stale = true;
    loop {
        let mut loader = Loader::new(tx);
        let ids = loader.subject_ids(&locked_keys.subjects).await?;
        let mut phase = tx.phase();
        let subjects = loader.lock_subjects(&mut phase, ids.values().copied(), lock_wait);
        let locked = loader.lock_comments(&mut phase, &locked_keys.comments, LockWait::Bounded);
        let reviews = loader.lock_reviews(&mut phase, &locked_keys.reviews);
        let database_time = loader.read_database_time(&mut phase, commands);
        let decisions = loader.read_decisions(&mut phase, commands);
        let proposals = loader.read_proposals(&mut phase, commands);
        let contents = loader.read_contents(&mut phase, &locked_keys.contents);
        let records = loader.read_records(&mut phase, commands, &ids, duplicate_check);
        let mut results = tx.run(phase).await?;
        loader.load_subjects(&mut results, subjects)?;
        if loader.remove_stale_ids(ids.keys()) && std::mem::take(&mut ids_may_be_stale) {
            continue; // their ids are read now, so none is stale again
        }
        loader.load_comments(&mut results, locked)?;
        loader.load_reviews(&mut results, reviews)?;
        loader.load_database_time(&mut results, database_time)?;
        loader.load_decisions(&mut results, decisions)?;
        loader.load_proposals(&mut results, proposals)?;
        loader.load_contents(&mut results, contents)?;
        let found = loader.load_records(&mut results, records)?;
        loader.comments_of_records(found, &locked_keys).await?;
        loader.unknown_reviews(commands.first().map(|command| command.subject.partition())).await?;
        loader.public_texts(commands).await?;
        return Ok(loader.unit);
    }
}

/// Loads the rows that a batch of likes may touch.
pub(super) async fn likes(tx: &SourceTx, commands: &[LikeCommand], lock_wait: LockWait) -> StoreResult<UnitOfWork> {
    // A comment of another partition does not belong to this subject and may be in another data
    // source.
    let in_partition: Vec<&LikeCommand> =
        commands.iter().filter(|c| c.verb.set().comment_id.partition() == c.subject.partition()).collect();
    let likes: BTreeSet<(CommentId, MemberId)> =
        in_partition.iter().map(|command| command.verb.set()).map(|set| (set.comment_id, set.member.clone())).collect();
    let comments = likes.iter().map(|(id, _)| *id).collect();
    // The comments are mostly of the subjects that the commands name, so the rows that depend on
    // the ids of their subjects are read in the same phase. The locked comments show whether they
    // are.
    let subject_ids = tx.subject_id_cache();
    let expected: BTreeMap<CommentId, SubjectId> = in_partition
        .iter()
        .filter_map(|command| Some((command.verb.set().comment_id, subject_ids.id(&command.subject)?)))
        .collect();
    let mut loader = Loader::new(tx);
    let mut phase = tx.phase();
    let locked = loader.lock_comments(&mut phase, &comments, lock_wait);
    let expected_likes = loader.read_likes(&mut phase, &likes, |id| expected.get(&id).copied());
    let subjects = loader.read_subjects(&mut phase, expected.values().copied());
    let mut results = tx.run(phase).await?;
    loader.load_comments(&mut results, locked)?;
    loader.load_likes(&mut results, expected_likes)?;
    loader.load_subjects(&mut results, subjects)?;

    let actual: BTreeMap<CommentId, SubjectId> = comments
        .iter()
        .filter_map(|id| Some((*id, loader.unit.comment(*id)?.reference.subject_id)))
        .filter(|(id, subject)| expected.get(id) != Some(subject))
        .collect();
    if !actual.is_empty() {
        let mut phase = tx.phase();
        let likes = loader.read_likes(&mut phase, &likes, |id| actual.get(&id).copied());
        let subjects = loader.read_subjects(&mut phase, actual.values().copied());
        let mut results = tx.run(phase).await?;
        loader.load_likes(&mut results, likes)?;
        loader.load_subjects(&mut results, subjects)?;
    }
    loader.unknown_reviews(None).await?;
    Ok(loader.unit)
}

/// A unit of work while its rows are loaded.
struct Loader<'l> {
    tx: &'l SourceTx,
    unit: UnitOfWork,
}

/// All keys that a batch of comments locks, each once, in lock order.
#[derive(Debug, Default)]
struct LockedKeys {
    subjects: BTreeSet<SubjectKey>,
    comments: BTreeSet<CommentId>,
    contents: BTreeSet<CommentId>,
    reviews: BTreeSet<CommentId>,
}

impl LockedKeys {
    fn of(commands: &[Command]) -> Self {
        let mut locked_keys = Self::default();
        for command in commands {
            let lock_set = command.verb.lock_set();
            // A comment of another partition does not belong to this subject and may be in another
            // data source.
            let is_in_partition = |id: &CommentId| id.partition() == command.subject.partition();
            locked_keys.subjects.insert(command.subject.clone());
            locked_keys.comments.extend(lock_set.comments.into_iter().filter(is_in_partition));
            locked_keys.contents.extend(lock_set.content.filter(is_in_partition));
            locked_keys.reviews.extend(lock_set.review.filter(is_in_partition));
        }
        locked_keys
    }
}

impl<'l> Loader<'l> {
    fn new(tx: &'l SourceTx) -> Self {
        Self { tx, unit: UnitOfWork::default() }
    }

    /// Adds the locking reads of comments, table by table in the order of their ids.
    fn lock_comments(&self, phase: &mut Phase, ids: &BTreeSet<CommentId>, lock_wait: LockWait) -> Vec<RowsSlot> {
        use comment_index::{Column, Entity};
        let select = move |list: Vec<CommentId>| {
            let select = Entity::find().filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))));
            let select = select.filter(Column::Id.is_in(list.iter().map(|id| id.get()))).order_by_asc(Column::Id);
            lock_wait.lock(select)
        };
        by_table(ids.iter().copied(), self.tx.tables().index, |id| id.partition())
            .map(|(partition, ids)| phase.select_lists(partition, LIST_MAX, ids, select))
            .collect()
    }

    fn load_comments(&mut self, results: &mut PhaseResults, slots: Vec<RowsSlot>) -> StoreResult<()> {
        for slot in slots {
            for found in results.models(slot)? {
                self.unit.load_comment(row::comment(found)?);
            }
        }
        Ok(())
    }

    fn read_contents(&self, phase: &mut Phase, ids: &BTreeSet<CommentId>) -> Vec<RowsSlot> {
        use comment_content::{Column, Entity};
        let select = |list: Vec<CommentId>| {
            let select = Entity::find().filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))));
            select.filter(Column::CommentId.is_in(list.iter().map(|id| id.get())))
        };
        by_table(ids.iter().copied(), self.tx.tables().index, |id| id.partition())
            .map(|(partition, ids)| phase.select_lists(partition, LIST_MAX, ids, select))
            .collect()
    }

    fn load_contents(&mut self, results: &mut PhaseResults, slots: Vec<RowsSlot>) -> StoreResult<()> {
        for slot in slots {
            for found in results.models::<comment_content::Model>(slot)? {
                self.unit.load_content(row::id(found.comment_id)?, row::content(found)?);
            }
        }
        Ok(())
    }

    /// Locks and loads the comments that idempotency records name and that the commands did not.
    async fn comments_of_records(&mut self, found: BTreeSet<CommentId>, loaded: &LockedKeys) -> StoreResult<()> {
        let comments: BTreeSet<CommentId> = found.difference(&loaded.comments).copied().collect();
        let contents: BTreeSet<CommentId> = found.difference(&loaded.contents).copied().collect();
        if comments.is_empty() && contents.is_empty() {
            return Ok(());
        }
        let mut phase = self.tx.phase();
        let comments = self.lock_comments(&mut phase, &comments, LockWait::Bounded);
        let contents = self.read_contents(&mut phase, &contents);
        let mut results = self.tx.run(phase).await?;
        self.load_comments(&mut results, comments)?;
        self.load_contents(&mut results, contents)
    }
}
