//! Reads the locations of comments from their ids alone. A location never changes.

use std::collections::HashMap;

use riposte_core::location::CommentLocation;
use riposte_core::{Comment, CommentId, Partition, Path, SubjectId};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use super::comments::subjects;
use super::rows;
use super::scatter::Gather;
use crate::error::StoreError;
use crate::shard::part;
use crate::sql::chunks::padded_chunks;
use crate::sql::entity::comment_index::{Column, Entity};
use crate::sql::grouping::by_table;
use crate::sql::pool::SourceTx;
use crate::sql::row;

#[derive(Debug)]
pub(super) struct Locate;

impl Gather for Locate {
    type Item = CommentId;
    type Found = CommentLocation;
    const NAME: &'static str = "locate comments";

    fn partition(id: &CommentId) -> Partition {
        id.partition()
    }

    async fn read(snapshot: &SourceTx, ids: Vec<CommentId>) -> Result<Vec<CommentLocation>, StoreError> {
        let (mut comments, mut ancestors) = (Vec::with_capacity(ids.len()), HashMap::new());
        // If no comment is found, subjects are queried by the comments' ids; otherwise the time
        // of the second statement would reveal that a comment exists.
        let ids_as_subjects: Vec<SubjectId> = ids.iter().copied().map(SubjectId::from).collect();
        for (partition, ids) in by_table(ids, snapshot.tables().index, |id| id.partition()) {
            let found = rows::comments(&snapshot.on(partition), &ids).await?;
            ancestors.extend(intermediate_ids(snapshot, &found).await?);
            comments.extend(found);
        }
        let ids_to_read = if comments.is_empty() {
            ids_as_subjects
        } else {
            comments.iter().map(|comment| comment.reference.subject_id).collect()
        };
        let subjects = subjects(snapshot, ids_to_read.into_iter()).await?;
        let locations = comments.into_iter().filter_map(|comment| {
            let ancestor_ids = ancestor_ids(&comment, &ancestors)?;
            Some(CommentLocation {
                id: comment.reference.id,
                subject: subjects.get(&comment.reference.subject_id)?.key.clone(),
                floor: comment.reference.floor,
                ancestor_ids,
                parent_id: comment.reference.parent_id,
                member: comment.reference.member,
                path: comment.reference.path,
            })
        });
        Ok(locations.collect())
    }
}

/// Returns the ids of the comments between these comments and their roots. Only threads of three
/// and more levels have any.
async fn intermediate_ids(snapshot: &SourceTx, comments: &[Comment]) -> Result<HashMap<Path, CommentId>, StoreError> {
    let mut paths: Vec<(Path, i16)> = Vec::new();
    for comment in comments {
        paths.extend(
            comment.reference.path.ancestors().skip(1).map(|path| (path, part(comment.reference.id.partition()))),
        );
    }
    paths.sort_unstable();
    paths.dedup();
    let mut found = HashMap::with_capacity(paths.len());
    let Some(first) = comments.first() else { return Ok(found) };
    let db = snapshot.on(first.reference.id.partition());
    for list in padded_chunks(&paths) {
        let parts: Vec<i16> = list.iter().map(|(_, part)| *part).collect();
        let query = Entity::find()
            .filter(Column::Part.is_in(parts))
            .filter(Column::Path.is_in(list.iter().map(|(path, _)| path.as_bytes())))
            .select_only()
            .columns([Column::Id, Column::Path]);
        for (id, path) in query.into_tuple::<(i64, Vec<u8>)>().all(&db).await? {
            found.extend(Path::from_bytes(path).zip(Some(row::id(id)?)));
        }
    }
    Ok(found)
}

/// Returns the ids along the path of a comment: the root first, the comment itself last.
fn ancestor_ids(comment: &Comment, ancestors: &HashMap<Path, CommentId>) -> Option<Vec<CommentId>> {
    let intermediate_ids = comment.reference.path.ancestors().skip(1).map(|path| ancestors.get(&path).copied());
    comment
        .reference
        .root_id
        .map(Some)
        .into_iter()
        .chain(intermediate_ids)
        .chain([Some(comment.reference.id)])
        .collect()
}
