//! Reviews below deleted subjects: a claim skips and closes them. The invariant of reviews does not
//! hold below a deleted subject; a consumer of changed subjects opens them again after the subject
//! was restored.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::try_join_all;
use riposte_core::review::Review;
use riposte_core::{CommentId, CommentState, Partition, Result, SubjectId};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{SqlReviews, ended_lease, of_reviews};
use crate::error::{StoreError, StoreResult};
use crate::sql::entity::{comment_index, comment_review, comment_subject};
use crate::sql::grouping::{by_table, parts};
use crate::sql::pool::SourceTx;
use crate::sql::row;
use crate::sql::transact::{self, TransactionBody};

/// The subject and the comment of a review.
type ReviewKey = (SubjectId, CommentId);

/// The reviews that one transaction opens again.
const OPENED_MAX: u64 = 200;

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
        let mut groups: BTreeMap<(usize, Option<Partition>), Vec<ReviewKey>> = BTreeMap::new();
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

    /// Opens closed reviews of a source again, below these subjects or below all.
    pub(super) async fn reopen_at(&self, source: usize, subjects: Option<Vec<SubjectId>>) -> Result<usize> {
        let (mut opened, mut after) = (0, 0);
        loop {
            let closed = ClosedReviews { subjects: subjects.clone(), after };
            let closed = transact::read(&self.sources, source, closed).await?;
            let Some((_, last)) = closed.last() else { return Ok(opened) };
            after = last.get();
            let mut groups: BTreeMap<Option<Partition>, Vec<ReviewKey>> = BTreeMap::new();
            for (subject, id) in closed {
                let confined = self.sources.is_confined().then_some(id.partition());
                groups.entry(confined).or_default().push((subject, id));
            }
            for reviews in groups.into_values() {
                opened += transact::write(&self.sources, source, OpenReviews { reviews }).await?;
            }
        }
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
    reviews: Vec<ReviewKey>,
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

/// Reads a part of the closed reviews, by comment id.
#[derive(Debug)]
struct ClosedReviews {
    subjects: Option<Vec<SubjectId>>,
    after: i64,
}

impl TransactionBody for ClosedReviews {
    type Output = Vec<ReviewKey>;
    const NAME: &'static str = "read closed reviews";
    const READS_PARTITIONS: bool = true;

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        use comment_review::{Column, Entity};
        let mut select = Entity::find().select_only().columns([Column::SubjectId, Column::CommentId]);
        if let Some(subjects) = &self.subjects {
            let partitions = subjects.iter().map(|subject| CommentId::from(*subject).partition());
            select = select
                .filter(Column::Part.is_in(parts(partitions)))
                .filter(Column::SubjectId.is_in(subjects.iter().map(|subject| subject.get())));
        }
        let select = select
            .filter(Column::IsOpen.eq(0_i8))
            .filter(Column::Causes.ne(0_i16))
            .filter(Column::CommentId.gt(self.after))
            .order_by_asc(Column::CommentId)
            .limit(OPENED_MAX);
        let rows = select.into_tuple::<(i64, i64)>().all(&tx.unrouted()).await?;
        let ids = |(subject, id)| Some((SubjectId::new(subject)?, CommentId::new(id)?));
        Ok(rows.into_iter().filter_map(ids).collect())
    }
}

/// Opens closed reviews again whose subjects and comments are not deleted. The subjects are locked
/// first, so that no commit changes their comments meanwhile.
#[derive(Debug)]
struct OpenReviews {
    reviews: Vec<ReviewKey>,
}

impl TransactionBody for OpenReviews {
    type Output = usize;
    const NAME: &'static str = "open reviews";

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        use comment_review::{Column, Entity};
        let subjects = self.reviews.iter().map(|(subject, _)| *subject).collect();
        let deleted = deleted(tx, &subjects, true).await?;
        let below = self.reviews.iter().filter(|(subject, _)| !deleted.contains(subject)).map(|(_, id)| *id);
        let ids = existing(tx, below.collect()).await?;
        if ids.is_empty() {
            return Ok(0);
        }
        let locked = Entity::find()
            .filter(Column::Part.is_in(parts(ids.iter().map(|id| id.partition()))))
            .filter(Column::CommentId.is_in(ids.iter().map(|id| id.get())))
            .filter(Column::IsOpen.eq(0_i8))
            .order_by_asc(Column::CommentId)
            .lock_exclusive();
        let mut opened = 0;
        for found in locked.all(&tx.unrouted()).await? {
            let mut review = row::review(found)?;
            review.close(false);
            let update = of_reviews(Entity::update_many(), &[review.comment_id]).set(row::review_changes(&review));
            update.exec(&tx.unrouted()).await?;
            opened += 1;
        }
        Ok(opened)
    }
}

/// Returns those of these comments that are not deleted.
async fn existing(tx: &SourceTx, ids: Vec<CommentId>) -> StoreResult<Vec<CommentId>> {
    use comment_index::{Column, Entity};
    let mut existing = Vec::new();
    for (partition, ids) in by_table(ids, tx.tables().index, |id| id.partition()) {
        let select = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Column::Part.is_in(parts(ids.iter().map(|id| id.partition()))))
            .filter(Column::Id.is_in(ids.iter().map(|id| id.get())))
            .filter(Column::State.ne(CommentState::Deleted.code()));
        let found: Vec<i64> = select.into_tuple().all(&tx.on(partition)).await?;
        existing.extend(found.into_iter().filter_map(CommentId::new));
    }
    Ok(existing)
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
