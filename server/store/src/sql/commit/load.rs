//! Loads the rows of a batch into a unit of work, under lock: subjects by id, then comments by id,
//! then likes.

mod duplicates;
mod likes;
mod subjects;

use std::collections::BTreeSet;

use riposte_core::{Command, CommentId, LikeCommand, MemberId, SubjectKey, UnitOfWork};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::error::StoreError;
use crate::sql::chunks::padded;
use crate::sql::entity::{comment_content, comment_index};
use crate::sql::grouping::{by_table, parts};
use crate::sql::pool::SourceTx;
use crate::sql::row;
pub(super) use duplicates::{DuplicateCheck, detects_duplicates};

type Loaded<T> = Result<T, StoreError>;

/// Loads the rows that a batch of comments may touch.
pub(super) async fn comments(tx: &SourceTx, commands: &[Command], repeats: DuplicateCheck) -> Loaded<UnitOfWork> {
    let mut load = Load { tx, unit: UnitOfWork::default() };
    let mut wanted = LockedKeys::of(commands);
    load.subjects(&wanted.subjects).await?;
    let found = load.records(commands, repeats).await?;
    wanted.comments.extend(&found);
    wanted.contents.extend(&found);
    load.comments(&wanted.comments).await?;
    load.contents(&wanted.contents).await?;
    Ok(load.unit)
}

/// Loads the rows that a batch of likes may touch.
pub(super) async fn likes(tx: &SourceTx, commands: &[LikeCommand]) -> Loaded<UnitOfWork> {
    let mut load = Load { tx, unit: UnitOfWork::default() };
    // A comment of another partition does not belong to this subject and may be in another data
    // source.
    let here = commands.iter().filter(|c| c.verb.set().comment_id.partition() == c.subject.partition());
    let likes: BTreeSet<(CommentId, MemberId)> =
        here.map(|command| command.verb.set()).map(|set| (set.comment_id, set.member.clone())).collect();
    let comments = likes.iter().map(|(id, _)| *id).collect();
    load.comments(&comments).await?;
    load.likes(&likes).await?;
    load.subjects_of(&comments).await?;
    Ok(load.unit)
}

/// A unit of work while its rows are loaded.
struct Load<'l> {
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
        let mut wanted = Self::default();
        for command in commands {
            let needs = command.verb.needs();
            // A comment of another partition does not belong to this subject and may be in another
            // data source.
            let here = |id: &CommentId| id.partition() == command.subject.partition();
            wanted.subjects.insert(command.subject.clone());
            wanted.comments.extend(needs.comments.into_iter().filter(here));
            wanted.contents.extend(needs.content.filter(here));
        }
        wanted
    }
}

impl Load<'_> {
    async fn comments(&mut self, ids: &BTreeSet<CommentId>) -> Loaded<()> {
        use comment_index::{Column, Entity};
        for (partition, ids) in by_table(ids.iter().copied(), self.tx.tables().index, |id| id.partition()) {
            for list in padded(&ids) {
                let select = Entity::find().filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))));
                let select = select.filter(Column::Id.is_in(list.iter().map(|id| id.get()))).order_by_asc(Column::Id);
                for found in select.lock_exclusive().all(&self.tx.on(partition)).await? {
                    self.unit.load_comment(row::comment(found)?);
                }
            }
        }
        Ok(())
    }

    async fn contents(&mut self, ids: &BTreeSet<CommentId>) -> Loaded<()> {
        use comment_content::{Column, Entity};
        for (partition, ids) in by_table(ids.iter().copied(), self.tx.tables().index, |id| id.partition()) {
            for list in padded(&ids) {
                let select = Entity::find().filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))));
                let select = select.filter(Column::CommentId.is_in(list.iter().map(|id| id.get())));
                for found in select.all(&self.tx.on(partition)).await? {
                    let id = row::id(found.comment_id)?;
                    self.unit.load_content(
                        id,
                        row::content(found.text, &found.mentions, &found.metadata, found.extra.as_deref())?,
                    );
                }
            }
        }
        Ok(())
    }
}
