//! The subjects of a batch: found by their keys, locked by their ids.

use std::collections::BTreeSet;

use riposte_core::{CommentId, SubjectId, SubjectKey};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use super::{Load, Loaded};
use crate::sql::among::MOST;
use crate::sql::chunks::{padded, padded_to};
use crate::sql::entity::comment_subject::{Column, Entity};
use crate::sql::grouping::{by_table, parts};
use crate::sql::read::named;
use crate::sql::row;

impl Load<'_> {
    /// Locks the subjects that exist. The id of a key never changes, so it is read without a lock
    /// and is mostly cached. It decides only which row to lock.
    pub(super) async fn subjects(&mut self, keys: &BTreeSet<SubjectKey>) -> Loaded<()> {
        let identities = self.tx.identities();
        let mut unknown = Vec::new();
        let mut ids = BTreeSet::new();
        for key in keys {
            match identities.id(key) {
                Some(id) => _ = ids.insert(id),
                None => unknown.push(key),
            }
        }
        ids.extend(self.identify(&unknown).await?);
        self.lock_subjects(&ids).await?;
        self.add_to_cache(&unknown);
        let missing = keys.iter().filter(|key| self.unit.subject(key).is_none());
        let gone: Vec<&SubjectKey> = missing.filter(|key| identities.id(key).is_some()).collect();
        if gone.is_empty() {
            return Ok(());
        }
        gone.iter().for_each(|key| identities.remove(key));
        let ids = self.identify(&gone).await?.into_iter().collect();
        self.lock_subjects(&ids).await?;
        self.add_to_cache(&gone);
        Ok(())
    }

    fn add_to_cache(&self, keys: &[&SubjectKey]) {
        for subject in keys.iter().filter_map(|key| self.unit.subject(key)) {
            self.tx.identities().insert(subject.id, &subject.key);
        }
    }

    /// Returns the ids of those subjects with these keys that exist.
    async fn identify(&self, keys: &[&SubjectKey]) -> Loaded<Vec<SubjectId>> {
        let mut found = Vec::with_capacity(keys.len());
        for (partition, keys) in by_table(keys, self.tx.tables().subject, |key| key.partition()) {
            for list in padded_to(MOST, &keys) {
                let select = Entity::find().select_only().column(Column::Id);
                let list = list.into_iter().copied().collect();
                let select = named(select, self.tx.unrouted().get_database_backend(), list);
                let ids: Vec<i64> = select.into_tuple().all(&self.tx.on(partition)).await?;
                for id in ids {
                    found.push(SubjectId::from(row::id(id)?));
                }
            }
        }
        Ok(found)
    }

    async fn lock_subjects(&mut self, ids: &BTreeSet<SubjectId>) -> Loaded<()> {
        self.read_subjects(ids, |select| select.order_by_asc(Column::Id).lock_exclusive()).await
    }

    /// Loads the subjects of loaded comments without a lock: likes read them only to check whether
    /// they may be written.
    pub(super) async fn subjects_of(&mut self, comments: &BTreeSet<CommentId>) -> Loaded<()> {
        let ids = comments.iter().filter_map(|id| Some(self.unit.comment(*id)?.reference.subject_id)).collect();
        self.read_subjects(&ids, |select| select).await
    }

    async fn read_subjects(
        &mut self,
        ids: &BTreeSet<SubjectId>,
        how: impl Fn(Select<Entity>) -> Select<Entity>,
    ) -> Loaded<()> {
        // One generator makes both kinds of ids, so the id of a subject contains its partition too.
        let ids = ids.iter().copied().map(CommentId::from);
        for (partition, ids) in by_table(ids, self.tx.tables().subject, |id| id.partition()) {
            for list in padded(&ids) {
                let select = Entity::find().filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))));
                let select = how(select.filter(Column::Id.is_in(list.iter().map(|id| id.get()))));
                for found in select.all(&self.tx.on(partition)).await? {
                    self.unit.load_subject(row::subject(found)?);
                }
            }
        }
        Ok(())
    }
}
