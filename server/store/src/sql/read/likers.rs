//! The members that like or dislike a comment: the newest first, or all of them by member id.

use riposte_core::page::{Liker, LikerCursor, Page};
use riposte_core::{CommentId, LikeValue, MemberId, Millis, Partition};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use super::ReadQuery;
use super::rows::{force_index, index};
use crate::error::StoreError;
use crate::sql::entity::comment_like::{Column, Entity};
use crate::sql::pool::Tx;
use crate::sql::row;

/// A page of likers, the newest first; likers of the same time by member id.
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
            items = self.at_time(tx, after.time, Some(&after.member), count_max).await?;
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

    /// Returns the likers before the time of the cursor, the newest first. The key has likers of
    /// the same time in descending order of member id, but a page has them in ascending order. If
    /// the page ends among likers of one time, these are read again in ascending order.
    async fn older(&self, tx: &Tx, count_max: usize) -> Result<Vec<Liker>, StoreError> {
        let mut likers_query = self.likers_query(tx);
        if let Some(after) = &self.after {
            likers_query = likers_query.filter(Column::Time.lt(after.time.0));
        }
        let likers_query = likers_query.order_by_desc(Column::Time).order_by_desc(Column::MemberId);
        let mut found = likers(tx, likers_query.limit(count_max as u64)).await?;
        if let Some(last) = found.last().map(|liker| liker.time).filter(|_| found.len() == count_max) {
            found.retain(|liker| liker.time > last);
            found.extend(self.at_time(tx, last, None, count_max - found.len()).await?);
        }
        found.sort_by(|a, b| b.time.cmp(&a.time).then_with(|| a.member.cmp(&b.member)));
        Ok(found)
    }

    /// Returns the likers of one time, by member id, after the member `after`.
    async fn at_time(
        &self,
        tx: &Tx,
        time: Millis,
        after: Option<&MemberId>,
        limit: usize,
    ) -> Result<Vec<Liker>, StoreError> {
        let mut likers_query = self.likers_query(tx).filter(Column::Time.eq(time.0));
        if let Some(after) = after {
            likers_query = likers_query.filter(Column::MemberId.gt(row::bytes(after.as_str())));
        }
        likers(tx, likers_query.order_by_asc(Column::MemberId).limit(limit as u64)).await
    }

    /// Returns whether the list has a liker at the cursor or before it, so that the page has a
    /// previous page.
    async fn has_previous(&self, tx: &Tx, after: &LikerCursor) -> Result<bool, StoreError> {
        let newer = Condition::any()
            .add(Column::Time.gt(after.time.0))
            .add(Column::MemberId.lte(row::bytes(after.member.as_str())));
        let likers_query = self.likers_query(tx).filter(Column::Time.gte(after.time.0)).filter(newer);
        Ok(!likers(tx, likers_query.limit(1)).await?.is_empty())
    }
}

/// All members that like or dislike a comment, by member id.
#[derive(Debug)]
pub(super) struct AllLikers {
    pub(super) id: CommentId,
    pub(super) after: Option<MemberId>,
    pub(super) limit: usize,
}

impl ReadQuery for AllLikers {
    type Output = Vec<Liker>;
    const NAME: &'static str = "export likes";

    fn partition(&self) -> Partition {
        self.id.partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        let mut likers_query = Entity::find()
            .filter(Column::Part.eq(tx.part()))
            .filter(Column::CommentId.eq(self.id.get()))
            .filter(Column::Value.is_in([LikeValue::Like.code(), LikeValue::Dislike.code()]));
        if let Some(after) = &self.after {
            likers_query = likers_query.filter(Column::MemberId.gt(row::bytes(after.as_str())));
        }
        // No key has this order, so the database sorts. The range of the named key that belongs to
        // one comment is small, and contains every column of the sort.
        likers(tx, force_index(likers_query, index::LIKERS).order_by_asc(Column::MemberId).limit(self.limit as u64))
            .await
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
