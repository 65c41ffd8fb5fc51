//! The rows that the events of the feed name.

use std::collections::{BTreeSet, HashMap};

use async_trait::async_trait;
use riposte_core::feed::EventComment;
use riposte_core::ports::EventRows;
use riposte_core::{CommentId, MemberId, Partition, Result, SubjectId, SubjectKey};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryResult, QuerySelect, TryGetableMany};

use super::SqlReader;
use super::scatter::{self, Gather};
use crate::error::StoreResult;
use crate::shard::TableCounts;
use crate::sql::chunks::LIST_MAX;
use crate::sql::entity::{comment_index, comment_subject};
use crate::sql::grouping::parts;
use crate::sql::phase::{Phase, RowsSlot};
use crate::sql::pool::DataSources;
use crate::sql::row;

#[async_trait]
impl EventRows for SqlReader {
    async fn event_subjects(&self, ids: BTreeSet<SubjectId>) -> Result<HashMap<SubjectId, SubjectKey>> {
        let (mut keys, mut unknown) = (HashMap::with_capacity(ids.len()), Vec::new());
        for id in ids {
            match self.sources.subject_id_cache().key(id) {
                Some(key) => drop(keys.insert(id, SubjectKey::clone(&key))),
                None => unknown.push(id),
            }
        }
        if !unknown.is_empty() {
            keys.extend(scatter::gather::<KeysOfSubjects>(&self.sources, unknown).await?);
        }
        Ok(keys)
    }

    async fn event_comments(&self, ids: BTreeSet<CommentId>) -> Result<HashMap<CommentId, EventComment>> {
        let ids = ids.into_iter().collect();
        Ok(scatter::gather::<CommentsOfEvents>(&self.sources, ids).await?.into_iter().collect())
    }
}

/// Reads the keys of subjects by their ids.
#[derive(Debug)]
pub(super) struct KeysOfSubjects;

impl Gather for KeysOfSubjects {
    type Item = SubjectId;
    type Found = (SubjectId, SubjectKey);
    const NAME: &'static str = "read subjects of events";

    fn partition(id: &SubjectId) -> Partition {
        partition(*id)
    }

    fn tables(counts: TableCounts) -> u16 {
        counts.subject
    }

    fn select(phase: &mut Phase, at: Partition, ids: Vec<SubjectId>) -> RowsSlot {
        use comment_subject::{Column, Entity};
        phase.select_lists(at, LIST_MAX, ids, |list| {
            Entity::find()
                .filter(Column::Part.is_in(parts(list.iter().map(|id| partition(*id)))))
                .filter(Column::Id.is_in(list.iter().map(|id| id.get())))
                .select_only()
                .columns([Column::Id, Column::ObjectType, Column::ObjectId])
        })
    }

    fn found(sources: &DataSources, row: &QueryResult) -> StoreResult<Option<Self::Found>> {
        let columns = <(i64, Vec<u8>, Vec<u8>)>::try_get_many_by_index(row).map_err(sea_orm::DbErr::from)?;
        let (id, object_type, object_id) = columns;
        let key = row::subject_key(id, object_type, object_id)?;
        let Some(id) = SubjectId::new(id) else { return Ok(None) };
        sources.subject_id_cache().insert(id, &key);
        Ok(Some((id, key)))
    }
}

/// Reads the parts of comments that events show.
#[derive(Debug)]
pub(super) struct CommentsOfEvents;

impl Gather for CommentsOfEvents {
    type Item = CommentId;
    type Found = (CommentId, EventComment);
    const NAME: &'static str = "read comments of events";

    fn partition(id: &CommentId) -> Partition {
        id.partition()
    }

    fn tables(counts: TableCounts) -> u16 {
        counts.index
    }

    fn select(phase: &mut Phase, at: Partition, ids: Vec<CommentId>) -> RowsSlot {
        use comment_index::{Column, Entity};
        phase.select_lists(at, LIST_MAX, ids, |list| {
            Entity::find()
                .filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))))
                .filter(Column::Id.is_in(list.iter().map(|id| id.get())))
                .select_only()
                .columns([Column::Id, Column::ParentId, Column::MemberId, Column::State])
        })
    }

    fn found(_: &DataSources, row: &QueryResult) -> StoreResult<Option<Self::Found>> {
        let columns = <(i64, i64, Vec<u8>, i8)>::try_get_many_by_index(row).map_err(sea_orm::DbErr::from)?;
        let (id, parent, member, state) = columns;
        let comment = EventComment {
            parent: CommentId::new(parent),
            member: MemberId::stored(row::string(member)?),
            state: row::state(id, state)?,
        };
        Ok(Some((row::id(id)?, comment)))
    }
}

/// Returns the partition of a subject: one generator makes both kinds of ids.
fn partition(id: SubjectId) -> Partition {
    CommentId::from(id).partition()
}
