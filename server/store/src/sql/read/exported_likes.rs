//! All members that like or dislike some comments of one subject.

use riposte_core::page::Liker;
use riposte_core::ports::ExportedLike;
use riposte_core::{CommentId, Error, LikeValue, MemberId, Millis, Partition};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::ReadQuery;
use super::rows::{force_index, index};
use crate::error::StoreError;
use crate::sql::chunks::padded_chunks;
use crate::sql::entity::comment_like::{Column, Entity};
use crate::sql::pool::Tx;
use crate::sql::row;

/// The columns that an export has of a like.
type LikeColumns = (i64, Vec<u8>, i8, i64);

#[derive(Debug)]
pub(super) struct ExportedLikes {
    pub(super) partition: Partition,
    pub(super) ids: Vec<CommentId>,
    pub(super) after: Option<ExportedLike>,
    pub(super) limit: usize,
}

impl ReadQuery for ExportedLikes {
    type Output = Vec<ExportedLike>;
    const NAME: &'static str = "export likes";

    fn partition(&self) -> Partition {
        self.partition
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        let first = self.after.as_ref().map(|after| after.comment);
        let mut ids: Vec<CommentId> = self.ids.iter().copied().filter(|id| Some(*id) >= first).collect();
        ids.sort_unstable();
        let mut likes = Vec::new();
        for list in padded_chunks(&ids) {
            let remaining = self.limit - likes.len();
            if remaining == 0 {
                break;
            }
            likes.extend(self.likes_of(tx, &list, remaining).await?);
        }
        Ok(likes)
    }
}

impl ExportedLikes {
    /// Returns at most `limit` likes of the comments in a list.
    async fn likes_of(&self, tx: &Tx, list: &[CommentId], limit: usize) -> Result<Vec<ExportedLike>, StoreError> {
        let mut query = Entity::find()
            .filter(Column::Part.eq(tx.part()))
            .filter(Column::CommentId.is_in(list.iter().map(|id| id.get())))
            .filter(Column::Value.is_in([LikeValue::Like.code(), LikeValue::Dislike.code()]));
        if let Some(ExportedLike { comment, liker }) = &self.after {
            let later = Condition::any()
                .add(Column::CommentId.gt(comment.get()))
                .add(Column::MemberId.gt(row::bytes(liker.member.as_str())));
            query = query.filter(later);
        }
        // No key has this order, so the database sorts. The ranges of the named key that belong to
        // the comments contain every column of the sort.
        let query = force_index(query, index::LIKERS).order_by_asc(Column::CommentId).order_by_asc(Column::MemberId);
        let query = query.select_only().columns([Column::CommentId, Column::MemberId, Column::Value, Column::Time]);
        let found = query.limit(limit as u64).into_tuple::<LikeColumns>().all(tx).await?;
        found.into_iter().map(like).collect()
    }
}

fn like((comment, member, value, time): LikeColumns) -> Result<ExportedLike, StoreError> {
    let value = LikeValue::from_code(value).ok_or_else(|| Error::internal("a like of an unknown value"))?;
    let liker = Liker { member: MemberId::stored(row::string(member)?), value, time: Millis(time) };
    Ok(ExportedLike { comment: row::id(comment)?, liker })
}
