//! The choice of the commits that get the next sequence numbers.

use std::collections::BTreeSet;

use riposte_core::{CommentId, Partition};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use super::index;
use super::order::{self, PendingRevision};
use crate::error::StoreError;
use crate::sql::chunks::{padded_chunks, padded_chunks_of};
use crate::sql::entity::outbox_commit::{Column, Entity};
use crate::sql::entity::outbox_revision;
use crate::sql::grouping::parts;
use crate::sql::keys_join::{KEYS_MAX, join_keys};
use crate::sql::pool::SourceTx;
use crate::sql::read::force_index;

/// Returns the next `limit` commits without a number, in sequence order.
pub(super) async fn next_in_sequence(tx: &SourceTx, limit: usize) -> Result<Vec<i64>, StoreError> {
    let mut scan_limit = limit.max(1);
    loop {
        let oldest = unsequenced(tx, scan_limit).await?;
        let revisions = revisions_of(tx, &oldest).await?;
        // If the query returns fewer rows than requested, they are all pending rows. A batch
        // can commit only after the batch with the preceding revision has released the subject,
        // so if a commit is visible, all earlier commits of its subjects are visible too.
        let is_complete = oldest.len() < scan_limit;
        // The remaining rows are left for later. Several processes generate ids, so ids do not
        // follow the revisions: an earlier commit may be among the remaining rows.
        let deferred = if is_complete {
            BTreeSet::new()
        } else {
            unsequenced_revisions(tx, &order::predecessors(&revisions)).await?
        };
        let mut ready = order::in_order(&oldest, &revisions, &deferred);
        if is_complete || ready.len() >= limit {
            ready.truncate(limit);
            return Ok(ready);
        }
        scan_limit *= 2;
    }
}

/// Reads commits without a number, in the order of a key that ends with the id: roughly the oldest
/// first. Correctness does not depend on that order, and an ORDER BY would make MariaDB read and
/// sort all pending rows for each read. A confined store orders them, because the first rows that
/// arrive may all be of one shard.
async fn unsequenced(tx: &SourceTx, limit: usize) -> Result<Vec<i64>, StoreError> {
    let mut rows = Entity::find().select_only().column(Column::Id).filter(Column::PubSeq.is_null());
    if tx.is_confined() {
        rows = rows.order_by_asc(Column::Id);
    }
    let rows = rows.limit(limit as u64);
    Ok(force_index(rows, index::PUBLISHED).into_tuple().all(&tx.unrouted()).await?)
}

/// Reads the revisions that these commits made.
async fn revisions_of(tx: &SourceTx, commits: &[i64]) -> Result<Vec<PendingRevision>, StoreError> {
    use outbox_revision::{Column, Entity};
    let mut revisions = Vec::new();
    for list in padded_chunks(commits) {
        let rows = of_commits(tx, Entity::find(), Column::Part, &list).filter(Column::CommitId.is_in(list));
        let rows = rows.all(&tx.unrouted()).await?;
        revisions.extend(rows.into_iter().map(|row| PendingRevision {
            commit: row.commit_id,
            subject: row.subject_id,
            revision: row.revision,
        }));
    }
    Ok(revisions)
}

/// Returns those of these (subject, revision) pairs whose commit exists and has no number.
async fn unsequenced_revisions(tx: &SourceTx, revisions: &[(i64, i64)]) -> Result<BTreeSet<(i64, i64)>, StoreError> {
    use outbox_revision::Column as Revision;
    let db = tx.unrouted();
    let mut found: Vec<(i64, (i64, i64))> = Vec::new();
    for list in padded_chunks_of(KEYS_MAX, revisions) {
        let columns = [Revision::SubjectId, Revision::Revision];
        let keys = list.into_iter().map(|(subject, revision)| [subject.into(), revision.into()]).collect();
        let select = outbox_revision::Entity::find();
        let rows = join_keys(select, tx.sources().key_form(), index::SUBJECT, columns, keys).all(&db).await?;
        found.extend(rows.into_iter().map(|row| (row.commit_id, (row.subject_id, row.revision))));
    }
    let commits: BTreeSet<i64> = found.iter().map(|(commit, _)| *commit).collect();
    let mut unsequenced = BTreeSet::new();
    for list in padded_chunks(&commits.into_iter().collect::<Vec<_>>()) {
        // The number is checked here and not in the query: a condition on it would lead SQLite away
        // from the primary key.
        let rows = of_commits(tx, Entity::find(), Column::Part, &list).filter(Column::Id.is_in(list));
        let rows = rows.select_only().columns([Column::Id, Column::PubSeq]);
        let rows: Vec<(i64, Option<i64>)> = rows.into_tuple().all(&db).await?;
        unsequenced.extend(rows.into_iter().filter(|(_, number)| number.is_none()).map(|(id, _)| id));
    }
    Ok(found.into_iter().filter(|(commit, _)| unsequenced.contains(commit)).map(|(_, revision)| revision).collect())
}

/// Restricts a read of the rows of these commits, or of those of a subject, to their partitions, by
/// which a confined store finds the shards. Rows of earlier versions have no partition, and no
/// confined store has such.
pub(super) fn of_commits<E: EntityTrait>(tx: &SourceTx, select: Select<E>, part: E::Column, ids: &[i64]) -> Select<E> {
    if !tx.is_confined() {
        return select;
    }
    select.filter(part.is_in(parts(ids.iter().filter_map(|id| partition_of(*id)))))
}

/// Returns the partition that the id of a commit contains.
pub(super) fn partition_of(commit: i64) -> Option<Partition> {
    CommentId::new(commit).map(CommentId::partition)
}
