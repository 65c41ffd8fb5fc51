//! Client data by the ids of the comments.

use riposte_core::{ClientInfo, CommentId, Partition};
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, QueryFilter, QueryResult};

use super::scatter::Gather;
use crate::error::StoreResult;
use crate::shard::TableCounts;
use crate::sql::chunks::LIST_MAX;
use crate::sql::entity::comment_client::{Column, Entity, Model};
use crate::sql::grouping::parts;
use crate::sql::phase::{Phase, RowsSlot};
use crate::sql::pool::DataSources;
use crate::sql::row;

/// Reads the client data of comments.
#[derive(Debug)]
pub(super) struct ClientsById;

impl Gather for ClientsById {
    type Item = CommentId;
    type Found = (CommentId, ClientInfo);
    const NAME: &'static str = "read clients";

    fn partition(id: &CommentId) -> Partition {
        id.partition()
    }

    fn tables(counts: TableCounts) -> u16 {
        counts.index
    }

    fn select(phase: &mut Phase, at: Partition, ids: Vec<CommentId>) -> RowsSlot {
        phase.select_lists(at, LIST_MAX, ids, |list| {
            let select = Entity::find().filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))));
            select.filter(Column::CommentId.is_in(list.iter().map(|id| id.get())))
        })
    }

    fn found(_: &DataSources, row: &QueryResult) -> StoreResult<Option<Self::Found>> {
        let found = Model::from_query_result(row, "")?;
        Ok(Some((row::id(found.comment_id)?, row::client_row(found)?)))
    }
}
