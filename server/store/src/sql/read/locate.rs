//! Reads the locations of comments from their ids alone. A location never changes.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use riposte_core::location::CommentLocation;
use riposte_core::{Comment, CommentId, Partition, Path, Result, SubjectKey};
use sea_orm::{
    ColumnTrait, EntityTrait, FromQueryResult, JoinType, QueryFilter, QueryResult, QuerySelect, Select, TryGetableMany,
};

use super::comments::subject_of_comment;
use super::scatter::{self, Gather};
use crate::error::StoreResult;
use crate::shard::{TableCounts, part};
use crate::sql::chunks::LIST_MAX;
use crate::sql::entity::comment_index::{Column, Entity, Model};
use crate::sql::entity::comment_subject;
use crate::sql::grouping::parts;
use crate::sql::phase::{Phase, RowsSlot};
use crate::sql::pool::DataSources;
use crate::sql::row;

/// Returns the locations of those of `ids` that exist, in no order. Only threads of three and more
/// levels need a second read, of the comments between a comment and its root; a read that finds no
/// comment takes as long as one that does.
pub(super) async fn locate(sources: &Arc<DataSources>, ids: Vec<CommentId>) -> Result<Vec<CommentLocation>> {
    let comments = scatter::gather::<CommentsWithKey>(sources, ids).await?;
    let ancestors = |(comment, _): &(Comment, SubjectKey)| {
        let partition = comment.reference.id.partition();
        comment.reference.path.ancestors().skip(1).map(move |path| PathKey { partition, path }).collect::<Vec<_>>()
    };
    let paths: BTreeSet<PathKey> = comments.iter().flat_map(ancestors).collect();
    let ancestors: HashMap<Path, CommentId> = if paths.is_empty() {
        HashMap::new()
    } else {
        scatter::gather::<IdsByPath>(sources, paths.into_iter().collect()).await?.into_iter().collect()
    };
    let location = |(comment, subject): (Comment, SubjectKey)| {
        let ancestor_ids = ancestor_ids(&comment, &ancestors)?;
        let reference = comment.reference;
        Some(CommentLocation {
            id: reference.id,
            subject,
            floor: reference.floor,
            ancestor_ids,
            parent_id: reference.parent_id,
            member: reference.member,
            path: reference.path,
        })
    };
    Ok(comments.into_iter().filter_map(location).collect())
}

/// Comments by their ids, with the keys of their subjects.
#[derive(Debug)]
struct CommentsWithKey;

impl Gather for CommentsWithKey {
    type Item = CommentId;
    type Found = (Comment, SubjectKey);
    const NAME: &'static str = "locate comments";

    fn partition(id: &CommentId) -> Partition {
        id.partition()
    }

    fn tables(counts: TableCounts) -> u16 {
        counts.index
    }

    fn select(phase: &mut Phase, at: Partition, ids: Vec<CommentId>) -> RowsSlot {
        phase.select_lists(at, LIST_MAX, ids, |list| with_key(&list))
    }

    fn found(_: &DataSources, row: &QueryResult) -> StoreResult<Option<(Comment, SubjectKey)>> {
        let object_type: Option<Vec<u8>> = row.try_get("", OBJECT_TYPE)?;
        let object_id: Option<Vec<u8>> = row.try_get("", OBJECT_ID)?;
        let (Some(object_type), Some(object_id)) = (object_type, object_id) else { return Ok(None) };
        let comment = row::comment(Model::from_query_result(row, "")?)?;
        Ok(Some((comment, SubjectKey::stored(row::string(object_type)?, row::string(object_id)?))))
    }
}

/// The names of the columns of a subject's key in a row.
const OBJECT_TYPE: &str = "subject_type";
const OBJECT_ID: &str = "subject_object";

fn with_key(ids: &[CommentId]) -> Select<Entity> {
    Entity::find()
        .column_as(comment_subject::Column::ObjectType, OBJECT_TYPE)
        .column_as(comment_subject::Column::ObjectId, OBJECT_ID)
        .filter(Column::Part.is_in(parts(ids.iter().map(|id| id.partition()))))
        .filter(Column::Id.is_in(ids.iter().map(|id| id.get())))
        .join(JoinType::LeftJoin, subject_of_comment())
}

/// The path of a comment, and the partition of its row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct PathKey {
    partition: Partition,
    path: Path,
}

/// The ids of comments by their paths.
#[derive(Debug)]
struct IdsByPath;

impl Gather for IdsByPath {
    type Item = PathKey;
    type Found = (Path, CommentId);
    const NAME: &'static str = "locate ancestors";

    fn partition(key: &PathKey) -> Partition {
        key.partition
    }

    fn tables(counts: TableCounts) -> u16 {
        counts.index
    }

    fn select(phase: &mut Phase, at: Partition, keys: Vec<PathKey>) -> RowsSlot {
        phase.select_lists(at, LIST_MAX, keys, |list| {
            Entity::find()
                .filter(Column::Part.is_in(list.iter().map(|key| part(key.partition))))
                .filter(Column::Path.is_in(list.iter().map(|key| key.path.as_bytes())))
                .select_only()
                .columns([Column::Id, Column::Path])
        })
    }

    fn found(_: &DataSources, row: &QueryResult) -> StoreResult<Option<(Path, CommentId)>> {
        let (id, path) = <(i64, Vec<u8>)>::try_get_many_by_index(row).map_err(sea_orm::DbErr::from)?;
        Ok(Path::from_bytes(path).zip(Some(row::id(id)?)))
    }
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
