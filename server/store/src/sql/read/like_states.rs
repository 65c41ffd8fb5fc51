//! What one member says of some comments of a subject.

use std::collections::{HashMap, HashSet};

use riposte_core::{CommentId, LikeValue, MemberId, Partition, SubjectKey};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use super::Query;
use super::rows::open_subject;
use crate::error::Fault;
use crate::sql::chunks::padded;
use crate::sql::entity::{comment_index, comment_like};
use crate::sql::pool::Tx;
use crate::sql::row;

#[derive(Debug)]
pub(super) struct LikeStates {
    pub(super) key: SubjectKey,
    pub(super) member: MemberId,
    pub(super) ids: Vec<CommentId>,
}

impl Query for LikeStates {
    type Answer = Vec<Option<LikeValue>>;
    const NAME: &'static str = "read like_states";

    fn partition(&self) -> Partition {
        self.key.partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Answer, Fault> {
        let Some(subject) = open_subject(tx, &self.key).await? else { return Ok(vec![None; self.ids.len()]) };
        let (mut there, mut values) = (HashSet::new(), HashMap::new());
        let ids: Vec<i64> = self.ids.iter().map(|id| id.get()).collect();
        for list in padded(&ids) {
            there.extend(existing(tx, subject.id.get(), &list).await?);
            let likes = comment_like::Entity::find()
                .filter(comment_like::Column::Part.eq(tx.part()))
                .filter(comment_like::Column::SubjectId.eq(subject.id.get()))
                .filter(comment_like::Column::MemberId.eq(row::bytes(self.member.as_str())))
                .filter(comment_like::Column::CommentId.is_in(list));
            for found in likes.all(tx).await? {
                let like = row::like(found)?;
                values.insert(like.comment_id, like.value);
            }
        }
        let state =
            |id: &CommentId| there.contains(&id.get()).then(|| values.get(id).copied().unwrap_or(LikeValue::None));
        Ok(self.ids.iter().map(state).collect())
    }
}

/// Which of these ids are comments of the subject.
async fn existing(tx: &Tx, subject: i64, ids: &[i64]) -> Result<Vec<i64>, Fault> {
    use comment_index::Column;
    let query = comment_index::Entity::find()
        .filter(Column::Part.eq(tx.part()))
        .filter(Column::SubjectId.eq(subject))
        .filter(Column::Id.is_in(ids.iter().copied()));
    Ok(query.select_only().column(Column::Id).into_tuple().all(tx).await?)
}
