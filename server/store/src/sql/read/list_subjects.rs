//! The subjects in one subject table, of one type or of all types, by type and object id: the only
//! key that contains the type.

use riposte_core::page::SubjectCursor;
use riposte_core::{Error, ObjectType, Partition, Subject};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use super::ReadQuery;
use crate::error::StoreError;
use crate::shard::part;
use crate::sql::entity::comment_subject::{Column, Entity};
use crate::sql::pool::Tx;
use crate::sql::row;

#[derive(Debug)]
pub(super) struct ListSubjects {
    pub(super) object_type: Option<ObjectType>,
    pub(super) at: SubjectCursor,
    pub(super) limit: usize,
}

impl ReadQuery for ListSubjects {
    type Output = Vec<Subject>;
    const NAME: &'static str = "list subjects";

    fn partition(&self) -> Partition {
        Partition::number(self.at.table)
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        // All partitions of the table are read. This read and those of the outbox are the only ones
        // that name no partition.
        let of_type = |object_type: Vec<u8>| Entity::find().filter(Column::ObjectType.eq(object_type));
        let wanted = self.object_type.map(|object_type| row::bytes(object_type.as_str()));
        let mut found = Vec::new();
        let rest = match self.at.after {
            None => wanted.map_or_else(|| Some(Entity::find()), |wanted| Some(of_type(wanted))),
            Some(after) => {
                let last = Entity::find()
                    .filter(Column::Part.eq(part(after.partition())))
                    .filter(Column::Id.eq(after.get()))
                    .one(tx)
                    .await?
                    .ok_or(Error::PageTokenInvalid)?;
                // One range of the key after the other: not every database makes two ranges out of
                // an OR.
                let same = of_type(last.object_type.clone()).filter(Column::ObjectId.gt(last.object_id));
                found = first(same, self.limit).all(tx).await?;
                let others = wanted.is_none() && found.len() < self.limit;
                others.then(|| Entity::find().filter(Column::ObjectType.gt(last.object_type)))
            }
        };
        if let Some(rest) = rest {
            found.append(&mut first(rest, self.limit - found.len()).all(tx).await?);
        }
        Ok(found.into_iter().map(row::subject).collect::<riposte_core::Result<_>>()?)
    }
}

fn first(query: Select<Entity>, limit: usize) -> Select<Entity> {
    query.order_by_asc(Column::ObjectType).order_by_asc(Column::ObjectId).limit(limit as u64)
}
