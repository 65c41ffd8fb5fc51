//! Comments with content, by their bare ids.

use std::collections::HashMap;

use riposte_core::comment::CommentView;
use riposte_core::{Comment, CommentId, Content, Partition, Subject, SubjectId};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, JoinType, QueryFilter, QuerySelect, RelationDef};

use super::rows;
use super::scatter::Gather;
use crate::error::StoreError;
use crate::on_shard::OnShard;
use crate::sql::chunks::padded_chunks;
use crate::sql::entity::{comment_content, comment_index, comment_subject};
use crate::sql::grouping::{by_table, parts};
use crate::sql::pool::SourceTx;
use crate::sql::row;

#[derive(Debug)]
pub(super) struct CommentsById;

impl Gather for CommentsById {
    type Item = CommentId;
    type Found = CommentView;
    const NAME: &'static str = "read comments";

    fn partition(id: &CommentId) -> Partition {
        id.partition()
    }

    async fn read(snapshot: &SourceTx, ids: Vec<CommentId>) -> Result<Vec<CommentView>, StoreError> {
        let mut found = Vec::with_capacity(ids.len());
        for (partition, ids) in by_table(ids, snapshot.tables().index, |id| id.partition()) {
            found.extend(with_content(&snapshot.on(partition), &ids).await?);
        }
        let subjects = subjects(snapshot, found.iter().map(|(comment, _)| comment.reference.subject_id)).await?;
        let open = |comment: &Comment| subjects.get(&comment.reference.subject_id).filter(|s| s.delete_time.is_none());
        Ok(found.into_iter().filter_map(|(c, content)| Some(rows::view(open(&c)?, content, c))).collect())
    }
}

/// Reads the comments with these ids that exist. One statement reads rows together with their
/// contents, because a batch may touch every table.
async fn with_content<C: ConnectionTrait>(
    db: &OnShard<C>,
    ids: &[CommentId],
) -> Result<Vec<(Comment, Option<Content>)>, StoreError> {
    use comment_index::{Column, Entity};
    let content: RelationDef = Entity::belongs_to(comment_content::Entity)
        .from((Column::Id, Column::Part))
        .to((comment_content::Column::CommentId, comment_content::Column::Part))
        .into();
    let mut found = Vec::with_capacity(ids.len());
    for list in padded_chunks(ids) {
        let query = Entity::find()
            .filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))))
            .filter(Column::Id.is_in(list.iter().map(|id| id.get())))
            .join(JoinType::LeftJoin, content.clone())
            .select_also(comment_content::Entity);
        for (comment, content) in query.all(db).await? {
            found.push((row::comment(comment)?, content.map(row::content).transpose()?));
        }
    }
    Ok(found)
}

/// Reads subjects by their ids. All of them are in one subject table.
pub(in crate::sql) async fn subjects(
    snapshot: &SourceTx,
    ids: impl Iterator<Item = SubjectId>,
) -> Result<HashMap<SubjectId, Subject>, StoreError> {
    use comment_subject::{Column, Entity};
    // One generator makes both kinds of ids, so the id of a subject contains its partition too.
    let mut ids: Vec<CommentId> = ids.map(CommentId::from).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut subjects = HashMap::with_capacity(ids.len());
    for list in padded_chunks(&ids) {
        let query = Entity::find()
            .filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))))
            .filter(Column::Id.is_in(list.iter().map(|id| id.get())));
        for found in query.all(&snapshot.on(list[0].partition())).await? {
            let subject = row::subject(found)?;
            subjects.insert(subject.id, subject);
        }
    }
    Ok(subjects)
}
