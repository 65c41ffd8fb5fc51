//! Loads the rows of a batch into a unit of work, under lock: subjects by id, then comments by id,
//! then likes.

mod duplicates;
mod likes;
mod subjects;

use std::collections::BTreeSet;

use riposte_core::{Command, CommentId, LikeCommand, MemberId, SubjectKey, UnitOfWork};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::error::StoreResult;
use crate::sql::chunks::padded_chunks;
use crate::sql::entity::{comment_content, comment_index};
use crate::sql::grouping::{by_table, parts};
use crate::sql::pool::SourceTx;
use crate::sql::row;
pub(super) use duplicates::{DuplicateCheck, detects_duplicates};

/// Loads the rows that a batch of comments may touch.
pub(super) async fn comments(
    tx: &SourceTx,
    commands: &[Command],
    duplicate_check: DuplicateCheck,
) -> StoreResult<UnitOfWork> {
    let mut loader = Loader { tx, unit: UnitOfWork::default() };
    let mut locked_keys = LockedKeys::of(commands);
    loader.subjects(&locked_keys.subjects).await?;
    let found = loader.idempotency_records(commands, duplicate_check).await?;
    locked_keys.comments.extend(&found);
    locked_keys.contents.extend(&found);
    loader.comments(&locked_keys.comments).await?;
    loader.contents(&locked_keys.contents).await?;
    Ok(loader.unit)
}

/// Loads the rows that a batch of likes may touch.
pub(super) async fn likes(tx: &SourceTx, commands: &[LikeCommand]) -> StoreResult<UnitOfWork> {
    let mut loader = Loader { tx, unit: UnitOfWork::default() };
    // A comment of another partition does not belong to this subject and may be in another data
    // source.
    let in_partition = commands.iter().filter(|c| c.verb.set().comment_id.partition() == c.subject.partition());
    let likes: BTreeSet<(CommentId, MemberId)> =
        in_partition.map(|command| command.verb.set()).map(|set| (set.comment_id, set.member.clone())).collect();
    let comments = likes.iter().map(|(id, _)| *id).collect();
    loader.comments(&comments).await?;
    loader.likes(&likes).await?;
    loader.subjects_of(&comments).await?;
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
        }
        locked_keys
    }
}

impl Loader<'_> {
    async fn comments(&mut self, ids: &BTreeSet<CommentId>) -> StoreResult<()> {
        use comment_index::{Column, Entity};
        for (partition, ids) in by_table(ids.iter().copied(), self.tx.tables().index, |id| id.partition()) {
            for list in padded_chunks(&ids) {
                let select = Entity::find().filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))));
                let select = select.filter(Column::Id.is_in(list.iter().map(|id| id.get()))).order_by_asc(Column::Id);
                for found in select.lock_exclusive().all(&self.tx.on(partition)).await? {
                    self.unit.load_comment(row::comment(found)?);
                }
            }
        }
        Ok(())
    }

    async fn contents(&mut self, ids: &BTreeSet<CommentId>) -> StoreResult<()> {
        use comment_content::{Column, Entity};
        for (partition, ids) in by_table(ids.iter().copied(), self.tx.tables().index, |id| id.partition()) {
            for list in padded_chunks(&ids) {
                let select = Entity::find().filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))));
                let select = select.filter(Column::CommentId.is_in(list.iter().map(|id| id.get())));
                for found in select.all(&self.tx.on(partition)).await? {
                    self.unit.load_content(row::id(found.comment_id)?, row::content(found)?);
                }
            }
        }
        Ok(())
    }
}
