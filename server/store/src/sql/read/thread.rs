//! A part of a subtree in thread order: one range of paths.

use riposte_core::page::{SubtreeQuery, ThreadPage};
use riposte_core::{Comment, Partition, SubjectKey};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::ReadQuery;
use super::rows::{comments_of, force_index, index, open_subject, views};
use crate::error::StoreError;
use crate::sql::entity::comment_index::{Column, Entity};
use crate::sql::pool::Tx;

#[derive(Debug)]
pub(super) struct SubtreePage {
    pub(super) key: SubjectKey,
    pub(super) subtree: SubtreeQuery,
}

impl ReadQuery for SubtreePage {
    type Output = Option<ThreadPage>;
    const NAME: &'static str = "read thread";

    fn partition(&self) -> Partition {
        self.key.partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        let Some(subject) = open_subject(tx, &self.key).await? else { return Ok(None) };
        let mut comments = subtree(tx, &self.subtree).await?;
        // A subtree belongs to one subject as a whole; a subtree of another subject gives an empty
        // result.
        comments.retain(|comment| comment.reference.subject_id == subject.id);
        let more_after = comments.len() > self.subtree.limit;
        comments.truncate(self.subtree.limit);
        let comments = views(tx, &subject, comments).await?;
        Ok(Some(ThreadPage { subject, comments, more_after }))
    }
}

/// Returns the listed comments of the range, and one more if there are more. A path implies its
/// subject by its root; a condition on the subject would lead SQLite away from the key of paths.
async fn subtree(tx: &Tx, range: &SubtreeQuery) -> Result<Vec<Comment>, StoreError> {
    let query = Entity::find().filter(Column::Part.eq(tx.part())).filter(Column::Listed.eq(1));
    let after = range.after.as_ref().filter(|after| **after >= range.top);
    let query = match after {
        Some(after) => query.filter(Column::Path.gt(after.as_bytes())),
        None => query.filter(Column::Path.gte(range.top.as_bytes())),
    };
    let query = if range.max_depth == range.top.depth() {
        // Only the top has this depth, so its whole subtree need not be searched.
        query.filter(Column::Path.lte(range.top.as_bytes()))
    } else {
        query.filter(Column::Path.lt(range.top.subtree_end())).filter(Column::Depth.lte(range.max_depth))
    };
    let query = force_index(query, index::PATH).order_by_asc(Column::Path).limit(range.limit as u64 + 1);
    comments_of(query.all(tx).await?)
}
