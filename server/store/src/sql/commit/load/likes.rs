//! Loads the current likes that the commands of a batch may change.

use std::collections::BTreeSet;

use riposte_core::{CommentId, MemberId, SubjectId};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, Select};

use super::Loader;
use crate::error::StoreResult;
use crate::sql::entity::comment_like;
use crate::sql::grouping::{by_table, parts};
use crate::sql::keys_join::{KEYS_MAX, KeyForm, PRIMARY, join_keys};
use crate::sql::phase::{Phase, PhaseResults, RowsSlot};
use crate::sql::read::force_index;
use crate::sql::row;

impl Loader<'_> {
    /// Adds the reads of likes of locked comments. A writer of a like holds the lock of its
    /// comment, so these likes cannot change until the commit. The primary key starts with the id
    /// of the subject; the likes of comments for which `subject` returns none are not read.
    pub(super) fn read_likes(
        &self,
        phase: &mut Phase,
        likes: &BTreeSet<(CommentId, MemberId)>,
        subject: impl Fn(CommentId) -> Option<SubjectId>,
    ) -> Vec<RowsSlot> {
        let keys = likes
            .iter()
            .filter_map(|(id, member)| Some(LikeKey { subject: subject(*id)?, member: member.clone(), comment: *id }));
        let mut keys: Vec<LikeKey> = keys.collect();
        keys.sort_unstable();
        let form = phase.key_form();
        let select = move |list: Vec<LikeKey>| LikeKey::select_any(&list, form);
        by_table(keys, self.tx.tables().index, |key| key.comment.partition())
            .map(|(partition, keys)| phase.select_lists(partition, KEYS_MAX, keys, select))
            .collect()
    }

    pub(super) fn load_likes(&mut self, results: &mut PhaseResults, slots: Vec<RowsSlot>) -> StoreResult<()> {
        for slot in slots {
            for found in results.models(slot)? {
                self.unit.load_like(row::like(found)?);
            }
        }
        Ok(())
    }
}

/// The primary key of a like.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct LikeKey {
    subject: SubjectId,
    member: MemberId,
    comment: CommentId,
}

impl LikeKey {
    /// Selects the likes with these keys: by an IN list of members if all keys have the same
    /// subject and comment, otherwise by a join.
    fn select_any(list: &[Self], form: KeyForm) -> Select<comment_like::Entity> {
        use comment_like::{Column, Entity};
        let select = Entity::find().filter(Column::Part.is_in(parts(list.iter().map(|key| key.comment.partition()))));
        let member = |key: &Self| row::bytes(key.member.as_str());
        if let Some(first) = list.first()
            && list.iter().all(|key| (key.subject, key.comment) == (first.subject, first.comment))
        {
            return force_index(select, PRIMARY)
                .filter(Column::SubjectId.eq(first.subject.get()))
                .filter(Column::CommentId.eq(first.comment.get()))
                .filter(Column::MemberId.is_in(list.iter().map(member)));
        }
        let key = |key: &Self| [key.subject.get().into(), member(key).into(), key.comment.get().into()];
        let columns = [Column::SubjectId, Column::MemberId, Column::CommentId];
        join_keys(select, form, PRIMARY, columns, list.iter().map(key).collect())
    }
}
