//! Comments with the type of their subject: the data of their authors' histories.

use riposte_core::{CommentId, MemberId, Millis, ObjectType, Partition, SubjectId};
use sea_orm::{ColumnTrait, EntityTrait, JoinType, QueryFilter, QueryResult, QuerySelect, Select, TryGetableMany};

use super::comments::subject_of_comment;
use super::scatter::Gather;
use crate::error::StoreResult;
use crate::shard::TableCounts;
use crate::sql::chunks::LIST_MAX;
use crate::sql::entity::comment_index::{Column, Entity};
use crate::sql::entity::comment_subject;
use crate::sql::grouping::parts;
use crate::sql::phase::{Phase, RowsSlot};
use crate::sql::pool::DataSources;
use crate::sql::row::{self, HistoryEntry};

/// Reads comments by their ids; comments that do not exist are left out.
#[derive(Debug)]
pub(super) struct HistoryEntriesById;

impl Gather for HistoryEntriesById {
    type Item = CommentId;
    type Found = HistoryEntry;
    const NAME: &'static str = "read authored comments";

    fn partition(id: &CommentId) -> Partition {
        id.partition()
    }

    fn tables(counts: TableCounts) -> u16 {
        counts.index
    }

    fn select(phase: &mut Phase, at: Partition, ids: Vec<CommentId>) -> RowsSlot {
        phase.select_lists(at, LIST_MAX, ids, |list| select_columns(&list))
    }

    fn found(_: &DataSources, row: &QueryResult) -> StoreResult<Option<HistoryEntry>> {
        let (id, subject, member, time, state, version, object_type) =
            AuthoredColumns::try_get_many_by_index(row).map_err(sea_orm::DbErr::from)?;
        let (Some(subject), Some(object_type)) = (SubjectId::new(subject), object_type) else { return Ok(None) };
        let object_type = ObjectType::stored(row::string(object_type)?);
        Ok(Some(history_entry(object_type, subject, (id, member, time, state, version))?))
    }
}

/// Id, subject, member, time, state, version, and the type of the subject if it exists.
type AuthoredColumns = (i64, i64, Vec<u8>, i64, i8, i64, Option<Vec<u8>>);

fn select_columns(ids: &[CommentId]) -> Select<Entity> {
    Entity::find()
        .select_only()
        .columns([Column::Id, Column::SubjectId, Column::MemberId, Column::CreateTime, Column::State, Column::Version])
        .column(comment_subject::Column::ObjectType)
        .filter(Column::Part.is_in(parts(ids.iter().map(|id| id.partition()))))
        .filter(Column::Id.is_in(ids.iter().map(|id| id.get())))
        .join(JoinType::LeftJoin, subject_of_comment())
}

fn history_entry(
    object_type: ObjectType,
    subject: SubjectId,
    (id, member, time, state, version): (i64, Vec<u8>, i64, i8, i64),
) -> riposte_core::Result<HistoryEntry> {
    Ok(HistoryEntry {
        object_type,
        member: MemberId::stored(row::string(member)?),
        time: Millis(time),
        id: row::id(id)?,
        subject,
        state: row::state(id, state)?,
        version,
    })
}
