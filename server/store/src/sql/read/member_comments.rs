//! A member's own history: one range of the primary key, backwards.

use riposte_core::page::{HistoryCursor, Page};
use riposte_core::{CommentState, MemberId, Millis, ObjectType, Partition};
use sea_orm::sea_query::ExprTrait;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::ReadQuery;
use crate::error::StoreError;
use crate::sql::entity::member_comment::{Column, Entity};
use crate::sql::pool::Tx;
use crate::sql::row;

#[derive(Debug)]
pub(super) struct MemberComments {
    pub(super) object_type: ObjectType,
    pub(super) member: MemberId,
    pub(super) any_state: bool,
    pub(super) after: Option<HistoryCursor>,
    pub(super) limit: usize,
}

impl ReadQuery for MemberComments {
    type Output = Page<HistoryCursor>;
    const NAME: &'static str = "read member_comments";

    fn partition(&self) -> Partition {
        Partition::of(self.object_type.as_str(), self.member.as_str())
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        let mut list = Entity::find()
            .select_only()
            .columns([Column::CreateTime, Column::CommentId])
            .filter(Column::Part.eq(tx.part()))
            .filter(Column::ObjectType.eq(row::bytes(self.object_type.as_str())))
            .filter(Column::MemberId.eq(row::bytes(self.member.as_str())));
        if !self.any_state {
            list = list.filter(Column::State.eq(CommentState::Active.code()));
        }
        if let Some(after) = self.after {
            let same_time = Column::CreateTime.eq(after.time.0).and(Column::CommentId.lt(after.comment.get()));
            // This condition bounds the range, which the OR alone would not.
            list = list.filter(Column::CreateTime.lte(after.time.0));
            list = list.filter(Column::CreateTime.lt(after.time.0).or(same_time));
        }
        let list = list.order_by_desc(Column::CreateTime).order_by_desc(Column::CommentId);
        let rows: Vec<(i64, i64)> = list.limit(self.limit as u64 + 1).into_tuple().all(tx).await?;
        let more_after = rows.len() > self.limit;
        let cursor = |(time, id)| Ok(HistoryCursor { time: Millis(time), comment: row::id(id)? });
        let items = rows.into_iter().take(self.limit).map(cursor).collect::<Result<_, StoreError>>()?;
        Ok(Page { items, more_before: self.after.is_some(), more_after })
    }
}
