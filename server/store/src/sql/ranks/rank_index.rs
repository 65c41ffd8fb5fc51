//! Writes the rank index of one data source: the current scores of comments replace the stored
//! ones.
//!
//! A writer locks the lists first and reads the comments afterwards, so that of two writers none
//! replaces a newer state by an older one. The comments themselves are not locked: their writers do
//! not wait for the rank index.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use riposte_core::rank::{RankingConfig, list_of, scores};
use riposte_core::{Comment, CommentId, Subject, SubjectId};
use sea_orm::ActiveValue::Set;
use sea_orm::sea_query::{Expr, ExprTrait, OnConflict};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};

use crate::error::StoreError;
use crate::on_shard::OnShard;
use crate::shard::part;
use crate::sql::chunks::{padded_chunks, sized_chunks};
use crate::sql::entity::comment_rank::{ActiveModel, Column, Entity, Model};
use crate::sql::entity::comment_ranked;
use crate::sql::grouping::{by_table, parts};
use crate::sql::pool::SourceTx;
use crate::sql::read::{comments, subjects};
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

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        let tables: Vec<_> =
            by_table(self.ranked.iter().copied(), tx.tables().index, |ranked_comment| ranked_comment.list.partition())
                .collect();
        for (partition, ranked) in &tables {
            lock(&tx.on(*partition), ranked.iter().map(|ranked_comment| ranked_comment.list).collect()).await?;
        }
        let mut changed = 0;
        for (partition, ranked) in tables {
            let db = tx.on(partition);
            let ids: Vec<CommentId> = ranked.iter().map(|ranked_comment| ranked_comment.comment).collect();
            let found = comments(&db, &ids).await?;
            let subjects = subjects(tx, found.iter().map(|comment| comment.reference.subject_id)).await?;
            let expected = self.scores(&found, &subjects);
            changed += replace_rows(&db, &ids, expected, tx.is_confined()).await?;
        }
        Ok(changed)
    }
}

/// Rows of the rank index by their comment.
type RowsByComment = HashMap<CommentId, Vec<Model>>;

impl WriteRankIndex {
    /// Returns the rows that these comments should have.
    fn scores(&self, found: &[Comment], subjects: &HashMap<SubjectId, Subject>) -> RowsByComment {
        let rows = |comment: &Comment| {
            let hot =
                subjects.get(&comment.reference.subject_id).map(|subject| self.config.hot(subject.key.object_type()));
            let scores = scores(comment, hot.unwrap_or_default());
            let row = |(rank_index, score): (riposte_core::rank::RankIndex, f64)| Model {
                subject_id: list_of(comment).get(),
                sort: rank_index.code(),
                score,
                floor: comment.reference.floor,
                part: part(comment.reference.id.partition()),
                comment_id: comment.reference.id.get(),
            };
            (comment.reference.id, scores.into_iter().map(row).collect())
        };
        found.iter().map(rows).collect()
    }
}

/// Locks these lists of one table, in the order of their ids, and counts the change of their rank
/// index.
pub(super) async fn lock<C: ConnectionTrait>(db: &OnShard<C>, lists: BTreeSet<CommentId>) -> Result<(), StoreError> {
    use comment_ranked::{ActiveModel, Column, Entity};
    let row =
        |list: CommentId| ActiveModel { list_id: Set(list.get()), part: Set(part(list.partition())), changes: Set(1) };
    let rows: Vec<_> = lists.into_iter().map(row).collect();
    for chunk in sized_chunks(rows) {
        let count_change = OnConflict::column(Column::ListId)
            .value(Column::Changes, Expr::col((Entity, Column::Changes)).add(1))
            .to_owned();
        Entity::insert_many(chunk).on_conflict(count_change).exec_without_returning(db).await?;
    }
    Ok(())
}

/// Replaces the rows of those comments of one table whose scores differ.
async fn replace_rows<C: ConnectionTrait>(
    db: &OnShard<C>,
    ids: &[CommentId],
    mut expected: RowsByComment,
    is_confined: bool,
) -> Result<usize, StoreError> {
    let mut existing = existing_rows(db, ids).await?;
    let (mut changed, mut removed, mut added) = (0, BTreeMap::<i8, Vec<CommentId>>::new(), Vec::new());
    for id in ids {
        let (before, after) = (existing.remove(id).unwrap_or_default(), expected.remove(id).unwrap_or_default());
        let (before_only, after_only) = (rows_not_in(&before, &after), rows_not_in(&after, &before));
        changed += usize::from(!before_only.is_empty() || !after_only.is_empty());
        before_only.iter().for_each(|row| removed.entry(row.sort).or_default().push(*id));
        added.extend(after_only);
    }
    for (sort, ids) in removed {
        for list in padded_chunks(&ids) {
            let rows = Entity::delete_many().filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))));
            let rows = rows.filter(Column::CommentId.is_in(list.iter().map(|id| id.get())));
            rows.filter(Column::Sort.eq(sort)).exec(db).await?;
        }
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
    for chunk in sized_chunks(added) {
        Entity::insert_many(chunk).on_conflict(replace.clone()).exec_without_returning(db).await?;
    }
    Ok(changed)
}

/// Loads the existing rows of these comments.
async fn existing_rows<C: ConnectionTrait>(db: &OnShard<C>, ids: &[CommentId]) -> Result<RowsByComment, StoreError> {
    let mut existing = RowsByComment::new();
    for list in padded_chunks(ids) {
        let rows = Entity::find()
            .filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))))
            .filter(Column::CommentId.is_in(list.iter().map(|id| id.get())));
        for row in rows.all(db).await? {
            existing.entry(crate::sql::row::id(row.comment_id)?).or_default().push(row);
        }
    }
    Ok(existing)
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
