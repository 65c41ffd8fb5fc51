//! The members that like or dislike a comment, the newest first.

use riposte_core::page::{Liker, LikerCursor, Page};
use riposte_core::{CommentId, LikeValue, MemberId, Millis, Partition};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use super::ReadQuery;
use super::rows::{force_index, index};
use crate::error::StoreError;
use crate::sql::entity::comment_like::{Column, Entity};
use crate::sql::pool::Tx;
use crate::sql::row;

/// A page of likers, the newest first; of likers of the same time, the highest member id first.
#[derive(Debug)]
pub(super) struct Likers {
    pub(super) id: CommentId,
    pub(super) value: LikeValue,
    pub(super) after: Option<LikerCursor>,
    pub(super) limit: usize,
}

impl ReadQuery for Likers {
    type Output = Page<Liker>;
    const NAME: &'static str = "read likers";

    fn partition(&self) -> Partition {
        self.id.partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        let count_max = self.limit + 1;
        let (mut items, mut more_before) = (Vec::new(), false);
        if let Some(after) = &self.after {
            more_before = self.has_previous(tx, after).await?;
            items = self.at_time(tx, after, count_max).await?;
        }
        items.extend(self.older(tx, count_max - items.len()).await?);
        let more_after = items.len() > self.limit;
        items.truncate(self.limit);
        Ok(Page { items, more_before, more_after })
    }
}

impl Likers {
    fn likers_query(&self, tx: &Tx) -> Select<Entity> {
        let query = Entity::find()
            .filter(Column::Part.eq(tx.part()))
            .filter(Column::CommentId.eq(self.id.get()))
            .filter(Column::Value.eq(self.value.code()));
        force_index(query, index::LIKERS)
    }

    /// Returns the likers of the cursor's time that follow its member. They are a range of their
    /// own: a filter over all earlier likers would read those of this time that came before.
    async fn at_time(&self, tx: &Tx, after: &LikerCursor, limit: usize) -> Result<Vec<Liker>, StoreError> {
        let likers_query = self.likers_query(tx).filter(Column::Time.eq(after.time.0));
        let likers_query = likers_query.filter(Column::MemberId.lt(row::bytes(after.member.as_str())));
        likers(tx, likers_query.order_by_desc(Column::MemberId).limit(limit as u64)).await
    }

    /// Returns the likers before the time of the cursor, in the descending order of the key.
    async fn older(&self, tx: &Tx, limit: usize) -> Result<Vec<Liker>, StoreError> {
        let mut likers_query = self.likers_query(tx);
        if let Some(after) = &self.after {
            likers_query = likers_query.filter(Column::Time.lt(after.time.0));
        }
        let likers_query = likers_query.order_by_desc(Column::Time).order_by_desc(Column::MemberId);
        likers(tx, likers_query.limit(limit as u64)).await
    }

    /// Returns whether the list has a liker at the cursor or before it, so that the page has a
    /// previous page.
    async fn has_previous(&self, tx: &Tx, after: &LikerCursor) -> Result<bool, StoreError> {
        let newer = Condition::any()
            .add(Column::Time.gt(after.time.0))
            .add(Column::MemberId.gte(row::bytes(after.member.as_str())));
        let likers_query = self.likers_query(tx).filter(Column::Time.gte(after.time.0)).filter(newer);
        Ok(!likers(tx, likers_query.limit(1)).await?.is_empty())
    }
}

async fn likers(tx: &Tx, likers_query: Select<Entity>) -> Result<Vec<Liker>, StoreError> {
    let likers_query = likers_query.select_only().columns([Column::MemberId, Column::Value, Column::Time]);
    let mut likers = Vec::new();
    for (member, value, time) in likers_query.into_tuple::<(Vec<u8>, i8, i64)>().all(tx).await? {
        let value =
            LikeValue::from_code(value).ok_or_else(|| riposte_core::Error::internal("a like of an unknown value"))?;
        likers.push(Liker { member: MemberId::stored(row::string(member)?), value, time: Millis(time) });
    }
    Ok(likers)
}
