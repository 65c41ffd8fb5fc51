//! Reviews below deleted subjects: a claim skips and closes them. The invariant of reviews does not
//! hold below a deleted subject, so a repair opens them again after the subject was restored.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::try_join_all;
use riposte_core::review::Review;
use riposte_core::{CommentId, Partition, Result, SubjectId};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{SqlReviews, ended_lease, of_reviews};
use crate::error::{StoreError, StoreResult};
use crate::sql::entity::{comment_review, comment_subject};
use crate::sql::grouping::{by_table, parts};
use crate::sql::pool::SourceTx;
use crate::sql::transact::{self, TransactionBody};

impl SqlReviews {
    /// Divides reviews into those below subjects that exist, and those below deleted ones.
    pub(super) async fn split_deleted(&self, found: Vec<Review>) -> Result<(Vec<Review>, Vec<Review>)> {
        let mut subjects: BTreeMap<usize, BTreeSet<SubjectId>> = BTreeMap::new();
        for review in &found {
            subjects.entry(self.source(review.comment_id.partition())).or_default().insert(review.subject_id);
        }
        let reads = subjects.into_iter().map(|(source, subjects)| async move {
            transact::read(&self.sources, source, DeletedSubjects { subjects }).await
        });
        let deleted: BTreeSet<SubjectId> = try_join_all(reads).await?.into_iter().flatten().collect();
        Ok(found.into_iter().partition(|review| !deleted.contains(&review.subject_id)))
    }

    /// Closes reviews whose subjects are still deleted.
    pub(super) async fn close(&self, reviews: &[Review]) -> Result<()> {
        let mut groups: BTreeMap<(usize, Option<Partition>), Vec<(SubjectId, CommentId)>> = BTreeMap::new();
        for review in reviews {
            let partition = review.comment_id.partition();
            let confined = self.sources.is_confined().then_some(partition);
            let group = groups.entry((self.source(partition), confined)).or_default();
            group.push((review.subject_id, review.comment_id));
        }
        for ((source, _), reviews) in groups {
            transact::write(&self.sources, source, CloseReviews { reviews }).await?;
        }
        Ok(())
    }

    fn source(&self, partition: Partition) -> usize {
        self.sources.map().source(partition)
    }
}

/// Reads which of some subjects are deleted.
#[derive(Debug)]
struct DeletedSubjects {
    subjects: BTreeSet<SubjectId>,
}

impl TransactionBody for DeletedSubjects {
    type Output = BTreeSet<SubjectId>;
    const NAME: &'static str = "read deleted subjects";
    const READS_PARTITIONS: bool = true;

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        deleted(tx, &self.subjects, false).await
    }
}

/// Closes reviews below deleted subjects. The subjects are locked first, as in a commit: one that
/// is restored meanwhile keeps its reviews open.
#[derive(Debug)]
struct CloseReviews {
    reviews: Vec<(SubjectId, CommentId)>,
}

impl TransactionBody for CloseReviews {
    type Output = ();
    const NAME: &'static str = "close reviews";

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        use comment_review::{Column, Entity};
        let subjects = self.reviews.iter().map(|(subject, _)| *subject).collect();
        let deleted = deleted(tx, &subjects, true).await?;
        let below = self.reviews.iter().filter(|(subject, _)| deleted.contains(subject));
        let mut ids: Vec<CommentId> = below.map(|(_, id)| *id).collect();
        if ids.is_empty() {
            return Ok(());
        }
        ids.sort_unstable();
        let update = ended_lease(of_reviews(Entity::update_many(), &ids))
            .col_expr(Column::IsOpen, 0_i8.into())
            .col_expr(Column::OpenBits, 0_i8.into());
        update.exec(&tx.unrouted()).await?;
        Ok(())
    }
}

/// Returns those of these subjects that are deleted.
async fn deleted(tx: &SourceTx, subjects: &BTreeSet<SubjectId>, lock: bool) -> StoreResult<BTreeSet<SubjectId>> {
    use comment_subject::{Column, Entity};
    let ids = subjects.iter().map(|subject| CommentId::from(*subject));
    let mut deleted = BTreeSet::new();
    for (partition, ids) in by_table(ids, tx.tables().subject, |id| id.partition()) {
        let select = Entity::find()
            .select_only()
            .columns([Column::Id, Column::DeleteTime])
            .filter(Column::Part.is_in(parts(ids.iter().map(|id| id.partition()))))
            .filter(Column::Id.is_in(ids.iter().map(|id| id.get())))
            .order_by_asc(Column::Id);
        let select = if lock { select.lock_exclusive() } else { select };
        let rows = select.into_tuple::<(i64, Option<i64>)>().all(&tx.on(partition)).await?;
        deleted.extend(rows.into_iter().filter(|(_, time)| time.is_some()).filter_map(|(id, _)| SubjectId::new(id)));
    }
    Ok(deleted)
}
