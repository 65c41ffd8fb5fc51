//! Subjects by their keys, deleted ones included.

use riposte_core::{Partition, Subject, SubjectKey};
use sea_orm::{ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, QueryFilter, Select};

use super::rows;
use super::scatter::Gather;
use crate::error::StoreError;
use crate::sql::chunks::padded_chunks_of;
use crate::sql::entity::comment_subject::{Column, Entity};
use crate::sql::grouping::parts;
use crate::sql::keys_join::{KEYS_MAX, join_keys};
use crate::sql::pool::SourceTx;
use crate::sql::row;

/// The index on (object_type, object_id).
const KEY_INDEX: &str = "comment_subject_@_key";

#[derive(Debug)]
pub(super) struct SubjectsByKey;

impl Gather for SubjectsByKey {
    type Item = SubjectKey;
    type Found = Subject;
    const NAME: &'static str = "read subjects";

    fn partition(key: &SubjectKey) -> Partition {
        key.partition()
    }

    async fn read(snapshot: &SourceTx, keys: Vec<SubjectKey>) -> Result<Vec<Subject>, StoreError> {
        let mut found = Vec::with_capacity(keys.len());
        for list in padded_chunks_of(KEYS_MAX, &keys) {
            let db = snapshot.on(list[0].partition());
            let select = select_by_keys(Entity::find(), db.get_database_backend(), list.iter().collect());
            for row in select.all(&db).await? {
                let subject = row::subject(row)?;
                snapshot.subject_id_cache().insert(subject.id, &subject.key);
                found.push(subject);
            }
        }
        Ok(found)
    }
}

/// Selects the subjects of `select` that have one of these keys. All of them are in one table.
pub(in crate::sql) fn select_by_keys(
    select: Select<Entity>,
    backend: DbBackend,
    keys: Vec<&SubjectKey>,
) -> Select<Entity> {
    let select = select.filter(Column::Part.is_in(parts(keys.iter().map(|key| key.partition()))));
    let key = |key: &SubjectKey| [row::bytes(key.object_type().as_str()).into(), row::bytes(key.object_id()).into()];
    let keys = keys.into_iter().map(key).collect();
    join_keys(select, backend, KEY_INDEX, [Column::ObjectType, Column::ObjectId], keys)
}

/// Returns the found subjects in the order of the keys.
pub(super) fn in_order(keys: &[SubjectKey], found: Vec<Subject>) -> Vec<Option<Subject>> {
    rows::in_order(keys, found, |subject| subject.key.clone())
}
