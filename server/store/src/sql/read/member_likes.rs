//! The likes and dislikes of one member in a subject: one range of the primary key.

use riposte_core::page::{MemberLike, Page};
use riposte_core::{CommentId, LikeValue, MemberId, Partition, SubjectKey};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::ReadQuery;
use super::rows::open_subject;
use crate::error::StoreError;
use crate::sql::entity::comment_like::{Column, Entity};
use crate::sql::pool::Tx;
use crate::sql::row;

#[derive(Debug)]
pub(super) struct MemberLikes {
    pub(super) key: SubjectKey,
    pub(super) member: MemberId,
    pub(super) after: Option<CommentId>,
    pub(super) limit: usize,
}

impl ReadQuery for MemberLikes {
    type Output = Page<MemberLike>;
    const NAME: &'static str = "read member_likes";

    fn partition(&self) -> Partition {
        self.key.partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        let Some(subject) = open_subject(tx, &self.key).await? else { return Ok(Page::default()) };
        let list = Entity::find()
            .filter(Column::Part.eq(tx.part()))
            .filter(Column::SubjectId.eq(subject.id.get()))
            .filter(Column::MemberId.eq(row::bytes(self.member.as_str())))
            .filter(Column::CommentId.gt(self.after.map_or(0, CommentId::get)))
            .filter(Column::Value.ne(LikeValue::None.code()))
            .order_by_asc(Column::CommentId)
            .limit(self.limit as u64 + 1);
        let mut items = Vec::new();
        for found in list.all(tx).await? {
            let like = row::like(found)?;
            items.push(MemberLike { comment: like.comment_id, value: like.value, time: like.time });
        }
        let more_after = items.len() > self.limit;
        items.truncate(self.limit);
        Ok(Page { items, more_before: self.after.is_some(), more_after })
    }
}
