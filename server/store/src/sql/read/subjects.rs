//! Subjects by their keys, deleted ones included.

use riposte_core::{Partition, Subject, SubjectKey};
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryResult, Select};

use super::rows;
use super::scatter::Gather;
use crate::error::StoreResult;
use crate::shard::TableCounts;
use crate::sql::entity::comment_subject::{Column, Entity, Model};
use crate::sql::grouping::parts;
use crate::sql::keys_join::{KEYS_MAX, KeyForm, join_keys};
use crate::sql::phase::{Phase, RowsSlot};
use crate::sql::pool::DataSources;
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

    fn tables(counts: TableCounts) -> u16 {
        counts.subject
    }

    fn select(phase: &mut Phase, at: Partition, keys: Vec<SubjectKey>) -> RowsSlot {
        let form = phase.key_form();
        let select = move |list: Vec<SubjectKey>| select_by_keys(Entity::find(), form, list.iter().collect());
        phase.select_lists(at, KEYS_MAX, keys, select)
    }

    fn found(sources: &DataSources, row: &QueryResult) -> StoreResult<Option<Subject>> {
        let subject = row::subject(Model::from_query_result(row, "")?)?;
        sources.subject_id_cache().insert(subject.id, &subject.key);
        Ok(Some(subject))
    }
}

/// Selects the subjects of `select` that have one of these keys. All of them are in one table.
pub(in crate::sql) fn select_by_keys(select: Select<Entity>, form: KeyForm, keys: Vec<&SubjectKey>) -> Select<Entity> {
    let select = select.filter(Column::Part.is_in(parts(keys.iter().map(|key| key.partition()))));
    let key = |key: &SubjectKey| [row::bytes(key.object_type().as_str()).into(), row::bytes(key.object_id()).into()];
    let keys = keys.into_iter().map(key).collect();
    join_keys(select, form, KEY_INDEX, [Column::ObjectType, Column::ObjectId], keys)
}

/// Returns the found subjects in the order of the keys.
pub(super) fn in_order(keys: &[SubjectKey], found: Vec<Subject>) -> Vec<Option<Subject>> {
    rows::in_order(keys, found, |subject| subject.key.clone())
}
