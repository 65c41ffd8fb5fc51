//! The subjects of a batch: found by their keys, locked by their ids.

use std::collections::BTreeSet;

use riposte_core::{CommentId, SubjectId, SubjectKey};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use super::Loader;
use crate::error::StoreResult;
use crate::sql::chunks::{padded_chunks, padded_chunks_of};
use crate::sql::entity::comment_subject::{Column, Entity};
use crate::sql::grouping::{by_table, parts};
use crate::sql::keys_join::KEYS_MAX;
use crate::sql::read::select_by_keys;
use crate::sql::row;

impl Loader<'_> {
    /// Locks the subjects that exist. The id of a key never changes, so it is read without a lock
    /// and is mostly cached. It decides only which row to lock.
    pub(super) async fn subjects(&mut self, keys: &BTreeSet<SubjectKey>) -> StoreResult<()> {
        let subject_ids = self.tx.subject_id_cache();
        let mut misses = Vec::new();
        let mut ids = BTreeSet::new();
        for key in keys {
            match subject_ids.id(key) {
                Some(id) => _ = ids.insert(id),
                None => misses.push(key),
            }
        }
        ids.extend(self.read_ids(&misses).await?);
        self.lock_subjects(&ids).await?;
        self.add_to_cache(&misses);
        let missing = keys.iter().filter(|key| self.unit.subject(key).is_none());
        let stale: Vec<&SubjectKey> = missing.filter(|key| subject_ids.id(key).is_some()).collect();
        if stale.is_empty() {
            return Ok(());
        }
        stale.iter().for_each(|key| subject_ids.remove(key));
        let ids = self.read_ids(&stale).await?.into_iter().collect();
        self.lock_subjects(&ids).await?;
        self.add_to_cache(&stale);
        Ok(())
    }

    fn add_to_cache(&self, keys: &[&SubjectKey]) {
        for subject in keys.iter().filter_map(|key| self.unit.subject(key)) {
            self.tx.subject_id_cache().insert(subject.id, &subject.key);
        }
    }

    /// Returns the ids of those subjects with these keys that exist.
    async fn read_ids(&self, keys: &[&SubjectKey]) -> StoreResult<Vec<SubjectId>> {
        let mut found = Vec::with_capacity(keys.len());
        for (partition, keys) in by_table(keys, self.tx.tables().subject, |key| key.partition()) {
            for list in padded_chunks_of(KEYS_MAX, &keys) {
                let select = Entity::find().select_only().column(Column::Id);
                let list = list.into_iter().copied().collect();
                let select = select_by_keys(select, self.tx.unrouted().get_database_backend(), list);
                let ids: Vec<i64> = select.into_tuple().all(&self.tx.on(partition)).await?;
                for id in ids {
                    found.push(SubjectId::from(row::id(id)?));
                }
            }
        }
        Ok(found)
    }

    async fn lock_subjects(&mut self, ids: &BTreeSet<SubjectId>) -> StoreResult<()> {
        self.read_subjects(ids, |select| select.order_by_asc(Column::Id).lock_exclusive()).await
    }

    /// Loads the subjects of loaded comments without a lock: likes read them only to check whether
    /// they may be written.
    pub(super) async fn subjects_of(&mut self, comments: &BTreeSet<CommentId>) -> StoreResult<()> {
        let ids = comments.iter().filter_map(|id| Some(self.unit.comment(*id)?.reference.subject_id)).collect();
        self.read_subjects(&ids, |select| select).await
    }

    async fn read_subjects(
        &mut self,
        ids: &BTreeSet<SubjectId>,
        modify: impl Fn(Select<Entity>) -> Select<Entity>,
    ) -> StoreResult<()> {
        // One generator makes both kinds of ids, so the id of a subject contains its partition too.
        let ids = ids.iter().copied().map(CommentId::from);
        for (partition, ids) in by_table(ids, self.tx.tables().subject, |id| id.partition()) {
            for list in padded_chunks(&ids) {
                let select = Entity::find().filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))));
                let select = modify(select.filter(Column::Id.is_in(list.iter().map(|id| id.get()))));
                for found in select.all(&self.tx.on(partition)).await? {
                    self.unit.load_subject(row::subject(found)?);
                }
            }
        }
        Ok(())
    }
}
