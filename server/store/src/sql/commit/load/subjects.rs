//! The subjects of a batch: found by their keys, locked by their ids.

use std::collections::{BTreeMap, BTreeSet};

use riposte_core::{CommentId, SubjectId, SubjectKey};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{Loader, LockWait};
use crate::error::StoreResult;
use crate::sql::chunks::LIST_MAX;
use crate::sql::entity::comment_subject::{Column, Entity};
use crate::sql::grouping::{by_table, parts};
use crate::sql::keys_join::KEYS_MAX;
use crate::sql::phase::{Phase, PhaseResults, RowsSlot};
use crate::sql::read::select_by_keys;
use crate::sql::row;

impl Loader<'_> {
    /// Returns the ids of those subjects that exist. The id of a key never changes, so it is read
    /// without a lock and is mostly cached. It decides only which row to lock.
    pub(super) async fn subject_ids(
        &self,
        keys: &BTreeSet<SubjectKey>,
    ) -> StoreResult<BTreeMap<SubjectKey, SubjectId>> {
        let cache = self.tx.subject_id_cache();
        let (mut ids, mut misses) = (BTreeMap::new(), Vec::new());
        for key in keys {
            match cache.id(key) {
                Some(id) => _ = ids.insert(key.clone(), id),
                None => misses.push(key.clone()),
            }
        }
        if misses.is_empty() {
            return Ok(ids);
        }
        let mut phase = self.tx.phase();
        let form = phase.key_form();
        let select = move |list: Vec<SubjectKey>| {
            let columns = [Column::Id, Column::ObjectType, Column::ObjectId];
            select_by_keys(Entity::find().select_only().columns(columns), form, list.iter().collect())
        };
        let slots: Vec<RowsSlot> = by_table(misses, self.tx.tables().subject, |key| key.partition())
            .map(|(partition, keys)| phase.select_lists(partition, KEYS_MAX, keys, select))
            .collect();
        let mut results = self.tx.run(phase).await?;
        for slot in slots {
            for (id, object_type, object_id) in results.tuples::<(i64, Vec<u8>, Vec<u8>)>(slot)? {
                let (key, id) = (row::subject_key(id, object_type, object_id)?, SubjectId::from(row::id(id)?));
                cache.insert(id, &key);
                ids.insert(key, id);
            }
        }
        Ok(ids)
    }

    /// Adds the locking reads of subjects, table by table in the order of their ids.
    pub(super) fn lock_subjects(
        &self,
        phase: &mut Phase,
        ids: impl IntoIterator<Item = SubjectId>,
        lock_wait: LockWait,
    ) -> Vec<RowsSlot> {
        self.select_subjects(phase, ids, Some(lock_wait))
    }

    /// Adds the reads of subjects without a lock: likes read them only to check whether they may be
    /// written.
    pub(super) fn read_subjects(&self, phase: &mut Phase, ids: impl IntoIterator<Item = SubjectId>) -> Vec<RowsSlot> {
        self.select_subjects(phase, ids, None)
    }

    fn select_subjects(
        &self,
        phase: &mut Phase,
        ids: impl IntoIterator<Item = SubjectId>,
        lock_wait: Option<LockWait>,
    ) -> Vec<RowsSlot> {
        // One generator makes both kinds of ids, so the id of a subject contains its partition too.
        let ids: BTreeSet<CommentId> = ids.into_iter().map(CommentId::from).collect();
        let select = move |list: Vec<CommentId>| {
            let select = Entity::find().filter(Column::Part.is_in(parts(list.iter().map(|id| id.partition()))));
            let select = select.filter(Column::Id.is_in(list.iter().map(|id| id.get())));
            match lock_wait {
                Some(lock_wait) => lock_wait.lock(select.order_by_asc(Column::Id)),
                None => select,
            }
        };
        by_table(ids, self.tx.tables().subject, |id| id.partition())
            .map(|(partition, ids)| phase.select_lists(partition, LIST_MAX, ids, select))
            .collect()
    }

    pub(super) fn load_subjects(&mut self, results: &mut PhaseResults, slots: Vec<RowsSlot>) -> StoreResult<()> {
        for slot in slots {
            for found in results.models(slot)? {
                self.unit.load_subject(row::subject(found)?);
            }
        }
        Ok(())
    }

    /// Drops the cached ids of those keys whose subjects were not found, and returns true if there
    /// are any. A database that was restored may have a subject under another id.
    pub(super) fn remove_stale_ids<'k>(&self, keys: impl Iterator<Item = &'k SubjectKey>) -> bool {
        let stale: Vec<&SubjectKey> = keys.filter(|key| self.unit.subject(key).is_none()).collect();
        stale.iter().for_each(|key| self.tx.subject_id_cache().remove(key));
        !stale.is_empty()
    }
}
