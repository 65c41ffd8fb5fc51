//! The subjects of a type in one subject table, by their object ids: the only key that a type has.

use riposte_core::page::SubjectCursor;
use riposte_core::{Error, ObjectType, Partition, Subject};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::Query;
use crate::error::Fault;
use crate::shard::part;
use crate::sql::entity::comment_subject::{Column, Entity};
use crate::sql::pool::Tx;
use crate::sql::row;

#[derive(Debug)]
pub(super) struct ListSubjects {
    pub(super) object_type: ObjectType,
    pub(super) at: SubjectCursor,
    pub(super) limit: usize,
}

impl Query for ListSubjects {
    type Answer = Vec<Subject>;
    const NAME: &'static str = "list subjects";

    fn partition(&self) -> Partition {
        Partition::number(self.at.table)
    }

    async fn read(self, tx: &Tx) -> Result<Self::Answer, Fault> {
        // All partitions of the table are wanted: with its outbox the only read that names none.
        let mut query = Entity::find().filter(Column::ObjectType.eq(row::bytes(self.object_type.as_str())));
        if let Some(after) = self.at.after {
            let last = Entity::find()
                .filter(Column::Part.eq(part(after.partition())))
                .filter(Column::Id.eq(after.get()))
                .one(tx)
                .await?
                .ok_or(Error::PageTokenInvalid)?;
            query = query.filter(Column::ObjectId.gt(last.object_id));
        }
        let query = query.order_by_asc(Column::ObjectId).limit(self.limit as u64);
        let subjects = query.all(tx).await?.into_iter().map(row::subject);
        Ok(subjects.collect::<riposte_core::Result<_>>()?)
    }
}
