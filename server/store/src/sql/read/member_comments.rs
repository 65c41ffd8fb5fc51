//! A member's own history: one range of the primary key, backwards. It is one statement, which sees
//! one state by itself.

use std::sync::Arc;

use riposte_core::page::{HistoryCursor, Page};
use riposte_core::{CommentState, MemberId, Millis, ObjectType, Partition};
use sea_orm::sea_query::ExprTrait;
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Select, TryGetableMany,
};

use crate::error::StoreError;
use crate::shard::part;
use crate::sql::entity::member_comment::{Column, Entity};
use crate::sql::pool::DataSources;
use crate::sql::row;

/// The name of the read.
pub(super) const NAME: &str = "read member_comments";

#[derive(Debug)]
pub(super) struct MemberComments {
    pub(super) object_type: ObjectType,
    pub(super) member: MemberId,
    pub(super) any_state: bool,
    pub(super) after: Option<HistoryCursor>,
    pub(super) limit: usize,
}

impl MemberComments {
    /// Returns the partition of the history.
    pub(super) fn partition(&self) -> Partition {
        Partition::of(self.object_type.as_str(), self.member.as_str())
    }

    /// Reads the page.
    pub(super) async fn read(self, sources: Arc<DataSources>) -> Result<Page<HistoryCursor>, StoreError> {
        let mut items = Vec::with_capacity(self.limit);
        for found in sources.select(self.partition(), self.select().as_query()).await? {
            let (time, id) = <(i64, i64)>::try_get_many_by_index(&found).map_err(DbErr::from)?;
            items.push(HistoryCursor { time: Millis(time), comment: row::id(id)? });
        }
        let more_after = items.len() > self.limit;
        items.truncate(self.limit);
        Ok(Page { items, more_before: self.after.is_some(), more_after })
    }

    fn select(&self) -> Select<Entity> {
        let mut list = Entity::find()
            .select_only()
            .columns([Column::CreateTime, Column::CommentId])
            .filter(Column::Part.eq(part(self.partition())))
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
        list.limit(self.limit as u64 + 1)
    }
}
