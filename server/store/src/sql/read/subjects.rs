//! Subjects by their keys, deleted ones included.

use riposte_core::{Partition, Subject, SubjectKey};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter};

use super::rows;
use super::scatter::Gather;
use crate::error::Fault;
use crate::shard::part;
use crate::sql::chunks::padded;
use crate::sql::entity::comment_subject::{Column, Entity};
use crate::sql::pool::SourceTx;
use crate::sql::row;

#[derive(Debug)]
pub(super) struct Subjects;

impl Gather for Subjects {
    type Item = SubjectKey;
    type Found = Subject;
    const NAME: &'static str = "read subjects";

    fn partition(key: &SubjectKey) -> Partition {
        key.partition()
    }

    async fn read(snapshot: &SourceTx, keys: Vec<SubjectKey>) -> Result<Vec<Subject>, Fault> {
        let mut found = Vec::with_capacity(keys.len());
        for list in padded(&keys) {
            let any = list.iter().fold(Condition::any(), |any, key| any.add(named(key)));
            let db = snapshot.on(list[0].partition());
            for row in Entity::find().filter(any).all(&db).await? {
                found.push(row::subject(row)?);
            }
        }
        Ok(found)
    }
}

fn named(key: &SubjectKey) -> Condition {
    Condition::all()
        .add(Column::Part.eq(part(key.partition())))
        .add(Column::ObjectType.eq(row::bytes(key.object_type().as_str())))
        .add(Column::ObjectId.eq(row::bytes(key.object_id())))
}

/// What was found, in the order of the keys.
pub(super) fn in_order(keys: &[SubjectKey], found: Vec<Subject>) -> Vec<Option<Subject>> {
    rows::in_order(keys, found, |subject| subject.key.clone())
}
