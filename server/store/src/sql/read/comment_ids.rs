//! The ids of comments by the times in them, in one table of comments: its key is the id.

use riposte_core::{CommentId, Partition};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::error::StoreError;
use crate::sql::entity::comment_index::{Column, Entity};
use crate::sql::pool::SourceTx;
use crate::sql::row;
use crate::sql::transact::TransactionBody;

#[derive(Debug)]
pub(super) struct CommentIds {
    /// A partition of the table.
    pub(super) at: Partition,
    /// The ids above this one.
    pub(super) after: CommentId,
    /// The ids up to this one.
    pub(super) last: CommentId,
    pub(super) limit: usize,
}

impl TransactionBody for CommentIds {
    type Output = Vec<CommentId>;
    const NAME: &'static str = "read ids of comments";
    const READS_PARTITIONS: bool = true;

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        // All partitions of the table are read, so the statement names none.
        let query = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Column::Id.gt(self.after.get()))
            .filter(Column::Id.lte(self.last.get()))
            .order_by_asc(Column::Id)
            .limit(self.limit as u64);
        let ids: Vec<i64> = query.into_tuple().all(&tx.on(self.at)).await?;
        ids.into_iter().map(|id| Ok(row::id(id)?)).collect()
    }
}
