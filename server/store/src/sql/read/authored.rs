//! Comments with the type of their subject: the data of their authors' histories.

use std::collections::HashMap;

use riposte_core::{CommentId, MemberId, Millis, ObjectType, Partition, SubjectId};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect, Select};

use super::comments::subjects;
use super::scatter::Gather;
use crate::error::StoreError;
use crate::sql::chunks::padded_chunks;
use crate::sql::entity::comment_index::{Column, Entity};
use crate::sql::grouping::{by_table, parts};
use crate::sql::pool::SourceTx;
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

    async fn read(snapshot: &SourceTx, ids: Vec<CommentId>) -> Result<Vec<HistoryEntry>, StoreError> {
        let mut rows = Vec::with_capacity(ids.len());
        for (partition, ids) in by_table(ids, snapshot.tables().index, |id| id.partition()) {
            for list in padded_chunks(&ids) {
                rows.extend(select_columns(&list).into_tuple::<AuthoredColumns>().all(&snapshot.on(partition)).await?);
            }
        }
        let types = types(snapshot, &rows).await?;
        let entries = rows.into_iter().filter_map(|(id, subject, member, time, state, version)| {
            let subject = SubjectId::new(subject)?;
            let object_type = types.get(&subject)?.clone();
            Some(history_entry(object_type, subject, (id, member, time, state, version)))
        });
        Ok(entries.collect::<riposte_core::Result<_>>()?)
    }
}

/// Id, subject, member, time, state, version.
type AuthoredColumns = (i64, i64, Vec<u8>, i64, i8, i64);

fn select_columns(ids: &[CommentId]) -> Select<Entity> {
    Entity::find()
        .select_only()
        .columns([Column::Id, Column::SubjectId, Column::MemberId, Column::CreateTime, Column::State, Column::Version])
        .filter(Column::Part.is_in(parts(ids.iter().map(|id| id.partition()))))
        .filter(Column::Id.is_in(ids.iter().map(|id| id.get())))
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

/// Returns the types of the subjects of these rows, mostly from the cache.
async fn types(snapshot: &SourceTx, rows: &[AuthoredColumns]) -> Result<HashMap<SubjectId, ObjectType>, StoreError> {
    let subject_ids = snapshot.subject_id_cache();
    let (mut types, mut misses) = (HashMap::new(), Vec::new());
    for id in rows.iter().filter_map(|(_, subject, ..)| SubjectId::new(*subject)) {
        match subject_ids.key(id) {
            Some(key) => _ = types.entry(id).or_insert_with(|| key.object_type().clone()),
            None => misses.push(id),
        }
    }
    for (id, subject) in subjects(snapshot, misses.into_iter()).await? {
        subject_ids.insert(id, &subject.key);
        types.insert(id, subject.key.object_type().clone());
    }
    Ok(types)
}
