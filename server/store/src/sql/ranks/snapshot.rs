//! The insert of one new ranking. If several processes make one at the same time, the first row
//! inserted wins.

use riposte_core::rank::{RankedList, Ranking};
use riposte_core::{CommentId, Error};
use sea_orm::sea_query::OnConflict;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::error::StoreError;
use crate::shard::part;
use crate::sql::entity::comment_epoch::{Column, Entity};
use crate::sql::pool::SourceTx;
use crate::sql::row::{self, SnapshotFingerprint};
use crate::sql::transact::TransactionBody;

/// Inserts a ranking and returns the one that is stored under its number.
#[derive(Debug)]
pub(super) struct InsertSnapshot {
    pub(super) list: RankedList,
    /// The list id in the rows of rankings.
    pub(super) id: CommentId,
    pub(super) ranking: Ranking,
    pub(super) fingerprint: SnapshotFingerprint,
}

const KEY_COLUMNS: [Column; 3] = [Column::SubjectId, Column::Sort, Column::Epoch];

impl TransactionBody for InsertSnapshot {
    type Output = Ranking;
    const NAME: &'static str = "create ranking snapshot";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        let db = tx.on(self.id.partition());
        let row = row::ranking_model(&self.list, self.id, &self.ranking, self.fingerprint);
        let keep_existing = OnConflict::columns(KEY_COLUMNS).do_nothing_on(KEY_COLUMNS).to_owned();
        Entity::insert(row).on_conflict(keep_existing).exec_without_returning(&db).await?;
        let stored = Entity::find()
            .filter(Column::Part.eq(part(self.id.partition())))
            .filter(Column::SubjectId.eq(self.id.get()))
            .filter(Column::Sort.eq(self.list.rank_index().code()))
            .filter(Column::Epoch.eq(self.ranking.epoch));
        let stored =
            stored.one(&db).await?.ok_or_else(|| Error::internal("a ranking does not exist after its insert"))?;
        Ok(row::ranking(&stored)?.0)
    }
}
