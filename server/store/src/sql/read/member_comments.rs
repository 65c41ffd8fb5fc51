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
        let mut list = own(&self.object_type, &self.member).columns([Column::CreateTime, Column::CommentId]);
        if !self.any_state {
            list = list.filter(Column::State.eq(CommentState::Active.code()));
        }
        if let Some(after) = self.after {
            let same_time = Column::CreateTime.eq(after.time.0).and(Column::CommentId.lt(after.comment.get()));
            // This condition bounds the range, which the OR alone would not.
            list = list.filter(Column::CreateTime.lte(after.time.0));
            list = list.filter(Column::CreateTime.lt(after.time.0).or(same_time));
        }
        newest_first(list).limit(self.limit as u64 + 1)
    }
}

/// Reads the states of a member's newest comments.
#[derive(Debug)]
pub(super) struct NewestStates {
    pub(super) object_type: ObjectType,
    pub(super) member: MemberId,
    pub(super) limit: usize,
}

impl NewestStates {
    /// The name of the read.
    pub(super) const NAME: &'static str = "read newest states";

    /// Returns the partition of the history.
    pub(super) fn partition(&self) -> Partition {
        Partition::of(self.object_type.as_str(), self.member.as_str())
    }

    /// Returns the number of those that are ACTIVE.
    pub(super) async fn active(self, sources: Arc<DataSources>) -> Result<u32, StoreError> {
        let list = own(&self.object_type, &self.member).columns([Column::State]);
        let list = newest_first(list).limit(self.limit as u64);
        let mut active = 0;
        for found in sources.select(self.partition(), list.as_query()).await? {
            let (state,) = <(i8,)>::try_get_many_by_index(&found).map_err(DbErr::from)?;
            active += u32::from(state == CommentState::Active.code());
        }
        Ok(active)
    }
}

/// Returns the select of the history of a member, without columns.
fn own(object_type: &ObjectType, member: &MemberId) -> Select<Entity> {
    let partition = Partition::of(object_type.as_str(), member.as_str());
    Entity::find()
        .select_only()
        .filter(Column::Part.eq(part(partition)))
        .filter(Column::ObjectType.eq(row::bytes(object_type.as_str())))
        .filter(Column::MemberId.eq(row::bytes(member.as_str())))
}

fn newest_first(list: Select<Entity>) -> Select<Entity> {
    list.order_by_desc(Column::CreateTime).order_by_desc(Column::CommentId)
}
