//! The subjects in one subject table, of one type or of all types, by type and object id: the only
//! key that contains the type.

use riposte_core::page::SubjectCursor;
use riposte_core::{Error, ObjectType, Partition};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use crate::error::StoreError;
use crate::shard::part;
use crate::sql::entity::comment_subject::{Column, Entity, Model};
use crate::sql::pool::SourceTx;
use crate::sql::row;
use crate::sql::transact::TransactionBody;

#[derive(Debug)]
pub(super) struct ListSubjects {
    pub(super) object_type: Option<ObjectType>,
    pub(super) cursor: SubjectCursor,
    pub(super) limit: usize,
}

impl ListSubjects {
    /// Returns a partition of the table.
    pub(super) fn partition(&self) -> Partition {
        Partition::number(self.cursor.table)
    }
}

impl TransactionBody for ListSubjects {
    type Output = Vec<Model>;
    const NAME: &'static str = "list subjects";
    const READS_PARTITIONS: bool = true;

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        let tx = &tx.on(self.partition());
        // All partitions of the table are read. This read and those of the outbox are the only ones
        // that name no partition.
        let of_type = |object_type: Vec<u8>| Entity::find().filter(Column::ObjectType.eq(object_type));
        let wanted_type = self.object_type.as_ref().map(|object_type| row::bytes(object_type.as_str()));
        let mut found = Vec::new();
        let remaining_range = match self.cursor.after {
            None => wanted_type.map_or_else(|| Some(Entity::find()), |wanted_type| Some(of_type(wanted_type))),
            Some(after) => {
                let last = Entity::find()
                    .filter(Column::Part.eq(part(after.partition())))
                    .filter(Column::Id.eq(after.get()))
                    .one(tx)
                    .await?
                    .ok_or(Error::PageTokenInvalid)?;
                // The two ranges of the key are read one after the other, because not every
                // database reads a condition with OR as two ranges.
                let rest_of_type = of_type(last.object_type.clone()).filter(Column::ObjectId.gt(last.object_id));
                found = first_rows(rest_of_type, self.limit).all(tx).await?;
                let includes_other_types = wanted_type.is_none() && found.len() < self.limit;
                includes_other_types.then(|| Entity::find().filter(Column::ObjectType.gt(last.object_type)))
            }
        };
        if let Some(remaining_range) = remaining_range {
            found.append(&mut first_rows(remaining_range, self.limit - found.len()).all(tx).await?);
        }
        Ok(found)
    }
}

fn first_rows(query: Select<Entity>, limit: usize) -> Select<Entity> {
    query.order_by_asc(Column::ObjectType).order_by_asc(Column::ObjectId).limit(limit as u64)
}
