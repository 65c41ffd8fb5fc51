//! Writes the rank index of one data source: the current scores of comments replace the stored
//! ones.
//!
//! A writer locks the lists first and reads the comments afterwards, so that of two writers none
//! replaces a newer state by an older one. The comments themselves are not locked: their writers do
//! not wait for the rank index.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use riposte_core::rank::{RankingConfig, list_of, scores};
use riposte_core::{CommentId, ObjectType, Partition};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, JoinType, QueryFilter, QueryResult, QuerySelect, Select,
};

use crate::error::StoreError;
use crate::on_shard::OnShard;
use crate::shard::part;
use crate::sql::chunks::{LIST_MAX, sized_chunks};
use crate::sql::entity::comment_rank::{ActiveModel, Column, Entity, Model};
use crate::sql::entity::{comment_index, comment_ranked, comment_subject};
use crate::sql::grouping::{by_table, parts};
use crate::sql::phase::{Phase, RowsSlot};
use crate::sql::pool::SourceTx;
use crate::sql::read::subject_of_comment;
use crate::sql::row;
use crate::sql::transact::TransactionBody;

/// A comment, and the list in whose rank index it may have scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RankedComment {
    pub(super) list: CommentId,
    pub(super) comment: CommentId,
}

/// Updates the rank index for comments and returns the number whose scores changed.
#[derive(Debug)]
pub(super) struct WriteRankIndex {
    pub(super) ranked: Vec<RankedComment>,
    pub(super) config: RankingConfig,
}

impl TransactionBody for WriteRankIndex {
    type Output = usize;
    const NAME: &'static str = "write rank index";
    const BEGINS_WITH_PHASE: bool = true;

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        let tables: Vec<_> =
            by_table(self.ranked.iter().copied(), tx.tables().index, |ranked_comment| ranked_comment.list.partition())
                .collect();
        let mut phase = tx.phase();
        for (partition, ranked) in &tables {
            let (locks, count_change) = list_locks(ranked.iter().map(|ranked_comment| ranked_comment.list).collect());
            phase.upsert(*partition, locks, count_change);
        }
        // The reads follow all locks, so they see what other writers of these lists committed.
        let read = |(partition, ranked): (Partition, Vec<RankedComment>)| {
            let ids: Vec<CommentId> = ranked.iter().map(|ranked_comment| ranked_comment.comment).collect();
            let comments = phase.select_lists(partition, LIST_MAX, ids.clone(), |list| with_object_type(&list));
            let existing = phase.select_lists(partition, LIST_MAX, ids.clone(), |list| rank_rows(&list));
            TableReads { partition, ids, comments, existing }
        };
        let reads: Vec<TableReads> = tables.into_iter().map(read).collect();
        let mut results = tx.run(phase).await?;
        let (mut changed, mut replacements) = (0, tx.phase());
        for TableReads { partition, ids, comments, existing } in reads {
            let expected = self.scores(results.rows(comments)?)?;
            let existing = by_comment(results.models(existing)?)?;
            changed += replace_rows(&mut replacements, partition, &ids, (existing, expected), tx.is_confined());
        }
        if changed > 0 {
            tx.run(replacements).await?;
        }
        Ok(changed)
    }
}

/// The reads of the comments of one table, and of their rows in the rank index.
struct TableReads {
    partition: Partition,
    ids: Vec<CommentId>,
    comments: RowsSlot,
    existing: RowsSlot,
}

/// Rows of the rank index by their comment.
type RowsByComment = HashMap<CommentId, Vec<Model>>;

impl WriteRankIndex {
    /// Returns the rows that these comments should have.
    fn scores(&self, found: Vec<QueryResult>) -> Result<RowsByComment, StoreError> {
        let mut expected = RowsByComment::new();
        for found in found {
            let object_type: Option<Vec<u8>> = found.try_get("", OBJECT_TYPE)?;
            let object_type = object_type.map(row::string).transpose()?.map(ObjectType::stored);
            let comment = row::comment(comment_index::Model::from_query_result(&found, "")?)?;
            let hot = object_type.map(|object_type| self.config.hot(&object_type)).unwrap_or_default();
            let row = |(rank_index, score): (riposte_core::rank::RankIndex, f64)| Model {
                subject_id: list_of(&comment).get(),
                sort: rank_index.code(),
                score,
                floor: comment.reference.floor,
                part: part(comment.reference.id.partition()),
                comment_id: comment.reference.id.get(),
            };
            expected.insert(comment.reference.id, scores(&comment, hot).into_iter().map(row).collect());
        }
        Ok(expected)
    }
}

/// The name of the column with the type of a comment's subject.
const OBJECT_TYPE: &str = "subject_type";

/// Selects comments by their ids, each with the type of its subject if the subject exists.
fn with_object_type(ids: &[CommentId]) -> Select<comment_index::Entity> {
    use comment_index::{Column, Entity};
    Entity::find()
        .column_as(comment_subject::Column::ObjectType, OBJECT_TYPE)
        .filter(Column::Part.is_in(parts(ids.iter().map(|id| id.partition()))))
        .filter(Column::Id.is_in(ids.iter().map(|id| id.get())))
        .join(JoinType::LeftJoin, subject_of_comment())
}

/// Selects the rows of comments in the rank index.
fn rank_rows(ids: &[CommentId]) -> Select<Entity> {
    Entity::find()
        .filter(Column::Part.is_in(parts(ids.iter().map(|id| id.partition()))))
        .filter(Column::CommentId.is_in(ids.iter().map(|id| id.get())))
}

fn by_comment(rows: Vec<Model>) -> Result<RowsByComment, StoreError> {
    let mut found = RowsByComment::new();
    for row in rows {
        found.entry(row::id(row.comment_id)?).or_default().push(row);
    }
    Ok(found)
}

/// Locks these lists of one table, in the order of their ids, and counts the change of their rank
/// index.
pub(super) async fn lock<C: ConnectionTrait>(db: &OnShard<C>, lists: BTreeSet<CommentId>) -> Result<(), StoreError> {
    let (locks, count_change) = list_locks(lists);
    for chunk in sized_chunks(locks) {
        comment_ranked::Entity::insert_many(chunk).on_conflict(count_change.clone()).exec_without_returning(db).await?;
    }
    Ok(())
}

/// Returns the rows that lock these lists, in the order of their ids, and what changes them if they
/// exist.
fn list_locks(lists: BTreeSet<CommentId>) -> (Vec<comment_ranked::ActiveModel>, OnConflict) {
    use comment_ranked::{ActiveModel, Column, Entity};
    let row =
        |list: CommentId| ActiveModel { list_id: Set(list.get()), part: Set(part(list.partition())), changes: Set(1) };
    let count_change = OnConflict::column(Column::ListId)
        .value(Column::Changes, Expr::col((Entity, Column::Changes)).add(1))
        .to_owned();
    (lists.into_iter().map(row).collect(), count_change)
}

/// Adds the replacement of the rows of those comments of one table whose scores differ, and returns
/// their number.
fn replace_rows(
    phase: &mut Phase,
    partition: Partition,
    ids: &[CommentId],
    (mut existing, mut expected): (RowsByComment, RowsByComment),
    is_confined: bool,
) -> usize {
    let (mut changed, mut removed, mut added) = (0, BTreeMap::<i8, Vec<CommentId>>::new(), Vec::new());
    for id in ids {
        let (before, after) = (existing.remove(id).unwrap_or_default(), expected.remove(id).unwrap_or_default());
        let (before_only, after_only) = (rows_not_in(&before, &after), rows_not_in(&after, &before));
        changed += usize::from(!before_only.is_empty() || !after_only.is_empty());
        before_only.iter().for_each(|row| removed.entry(row.sort).or_default().push(*id));
        added.extend(after_only);
    }
    for (sort, ids) in removed {
        let delete = move |list: Vec<CommentId>| {
            let rows = Entity::delete_many().filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))));
            rows.filter(Column::CommentId.is_in(list.iter().map(|id| id.get()))).filter(Column::Sort.eq(sort))
        };
        phase.delete_lists(partition, LIST_MAX, ids, delete);
    }
    // In key order, so that the rows of one list are inserted side by side, as readers scan them.
    added.sort_by(|a, b| (a.subject_id, a.sort).cmp(&(b.subject_id, b.sort)).then(a.score.total_cmp(&b.score)));
    let added: Vec<ActiveModel> = added.into_iter().map(active_model).collect();
    // The key of a row contains the comment's list and floor, so a row of another comment under it
    // is damaged and is replaced. A confined store has found the row by its partition, and accepts
    // no change of it.
    let mut replace = OnConflict::columns([Column::SubjectId, Column::Sort, Column::Score, Column::Floor]);
    replace.update_column(Column::CommentId);
    if !is_confined {
        replace.update_column(Column::Part);
    }
    phase.upsert(partition, added, replace);
    changed
}

/// Returns the `rows` that are not in `excluded`. Scores are stored bit for bit as they
/// were computed, so they compare exactly.
fn rows_not_in(rows: &[Model], excluded: &[Model]) -> Vec<Model> {
    rows.iter().filter(|row| !excluded.contains(row)).cloned().collect()
}

fn active_model(row: Model) -> ActiveModel {
    let Model { subject_id, sort, score, floor, part, comment_id } = row;
    ActiveModel {
        subject_id: Set(subject_id),
        sort: Set(sort),
        score: Set(score),
        floor: Set(floor),
        part: Set(part),
        comment_id: Set(comment_id),
    }
}
