//! The queue of open reviews over SQL: one range of an index at each data source. A claim is one
//! UPDATE along the primary key and takes no other lock. Times are those of the database.

mod closed;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::future::try_join_all;
use riposte_core::ports::{
    ReviewBacklog, ReviewClaim, ReviewCursor, ReviewFilter, ReviewPosition, ReviewQuery, Reviews,
};
use riposte_core::review::{LeaseToken, Review, ReviewCause, ReviewCauses};
use riposte_core::{CommentId, MemberId, Millis, ObjectType, Partition, Result, SubjectId};
use sea_orm::sea_query::{Expr, ExprTrait, IntoCondition};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select, UpdateMany,
};
use xxhash_rust::xxh3::xxh3_64;

use super::bulkhead::Bulkhead;
use super::database_time;
use super::entity::comment_review::{Column, Entity, Model};
use super::grouping::parts;
use super::pool::{DataSources, SourceTx};
use super::read::force_index;
use super::row;
use super::transact::{self, TransactionBody};
use crate::error::{StoreError, StoreResult};

/// The rounds of a claim that other claims disturb.
const ATTEMPTS: usize = 3;
/// The candidates that a claim considers for each review that it wants.
const CANDIDATES: usize = 4;
/// The reviews under deleted subjects that one claim closes.
const CLOSED_MAX: usize = 100;
/// The index on (object_type, is_open, due_time, comment_id).
const QUEUE_INDEX: &str = "comment_review_queue";
/// The index on (holder, lease_until).
const HOLDER_INDEX: &str = "comment_review_holder";

/// The [`Reviews`] over SQL.
#[derive(Debug)]
pub(crate) struct SqlReviews {
    sources: Arc<DataSources>,
    bulkhead: Bulkhead,
}

impl SqlReviews {
    pub(crate) fn new(sources: Arc<DataSources>) -> Self {
        let bulkhead = Bulkhead::new(&sources);
        Self { sources, bulkhead }
    }

    /// Reads a selection at every data source, and returns the rows by due time, then comment id.
    async fn read(&self, selection: &Selection) -> Result<Vec<Review>> {
        let reads = (0..self.sources.all().len()).map(|source| {
            let body = selection.clone();
            async move { transact::read(&self.sources, source, body).await }
        });
        let mut found: Vec<Review> = try_join_all(reads).await?.into_iter().flatten().collect();
        found.sort_by_key(cursor);
        Ok(found)
    }

    /// Leases these reviews, and adds those that now have the lease.
    async fn lease(&self, lease: &Lease, ids: &[CommentId], leased: &mut Vec<Review>) -> Result<()> {
        for (source, ids) in self.groups(ids) {
            let lease = Lease { ids, ..lease.clone() };
            leased.extend(transact::write_within(&self.bulkhead, &self.sources, source, lease).await?);
        }
        Ok(())
    }

    /// Renews the leases of a claim, or takes new ones, and adds their reviews.
    async fn take(&self, claim: &ReviewClaim, leased: &mut Vec<Review>) -> Result<()> {
        let ReviewClaim { filter, holder, token, duration, limit } = claim;
        let lease =
            Lease { ids: Vec::new(), holder: holder.clone(), token: *token, duration: *duration, renews: false };
        let held = self.read(&Selection::Held { holder: holder.clone(), token: *token }).await?;
        if !held.is_empty() {
            let ids: Vec<CommentId> = held.iter().map(|review| review.comment_id).collect();
            return self.lease(&Lease { renews: true, ..lease }, &ids, leased).await;
        }
        let (mut closed, mut attempts): (usize, usize) = (0, 0);
        while attempts < ATTEMPTS {
            let wanted = limit.saturating_sub(leased.len());
            if wanted == 0 {
                break;
            }
            let query = candidates(filter, wanted * CANDIDATES);
            let found = self.read(&Selection::Candidates { query, holder: holder.clone() }).await?;
            if found.is_empty() {
                break;
            }
            let (found, below_deleted) = self.split_deleted(found).await?;
            let rest = CLOSED_MAX.saturating_sub(closed);
            let below_deleted = &below_deleted[..below_deleted.len().min(rest)];
            closed += below_deleted.len();
            self.close(below_deleted).await?;
            // A round that only makes room for the next one is no attempt.
            attempts += usize::from(below_deleted.is_empty() || !found.is_empty());
            let first = found.iter().take(wanted * CANDIDATES);
            let mut ids: Vec<CommentId> = first.map(|review| review.comment_id).collect();
            // Claims at the same time take different ones of the same candidates.
            ids.sort_by_key(|id| xxh3_64(&[&token.0[..], &id.get().to_be_bytes()].concat()));
            ids.truncate(wanted);
            ids.sort_unstable();
            let before = leased.len();
            self.lease(&lease, &ids, leased).await?;
            self.report_expired(&found, &leased[before..]);
        }
        Ok(())
    }

    /// Reports the leases of candidates that had ended without a verdict when a claim took them.
    fn report_expired(&self, candidates: &[Review], taken: &[Review]) {
        let before: BTreeMap<CommentId, i32> =
            candidates.iter().map(|review| (review.comment_id, review.expired_leases)).collect();
        for review in taken {
            if before.get(&review.comment_id).is_some_and(|before| review.expired_leases > *before) {
                self.sources.runner().lease_expired(review.object_type.as_str(), review.expired_leases);
            }
        }
    }

    /// Divides reviews into transactions: by data source, by partition if the store is confined.
    fn groups(&self, ids: &[CommentId]) -> Vec<(usize, Vec<CommentId>)> {
        let mut groups: BTreeMap<(usize, Option<Partition>), Vec<CommentId>> = BTreeMap::new();
        for id in ids {
            let partition = id.partition();
            let confined = self.sources.is_confined().then_some(partition);
            groups.entry((self.sources.map().source(partition), confined)).or_default().push(*id);
        }
        groups.into_iter().map(|((source, _), ids)| (source, ids)).collect()
    }
}

#[async_trait]
impl Reviews for SqlReviews {
    async fn list(&self, query: &ReviewQuery) -> Result<Vec<Review>> {
        let mut found = self.read(&Selection::Queue(query.clone())).await?;
        found.truncate(query.limit);
        Ok(found)
    }

    async fn walk(&self, after: ReviewPosition, limit: usize) -> Result<(Vec<Review>, Option<ReviewPosition>)> {
        let ReviewPosition { source, comment } = after;
        let found = transact::read(&self.sources, source, Selection::After { comment, limit }).await?;
        let last = found.last().filter(|_| found.len() == limit).map(|review| review.comment_id);
        let next = match last {
            Some(last) => Some(ReviewPosition { source, comment: Some(last) }),
            None if source + 1 < self.sources.all().len() => Some(ReviewPosition { source: source + 1, comment: None }),
            None => None,
        };
        Ok((found, next))
    }

    async fn claim(&self, claim: &ReviewClaim) -> Result<Vec<Review>> {
        let mut leased = Vec::new();
        let taken = self.take(claim, &mut leased).await;
        taken.map_err(|error| error.of_part(!leased.is_empty()))?;
        leased.sort_by_key(cursor);
        Ok(leased)
    }

    async fn backlogs(&self, types: &[ObjectType]) -> Result<Vec<ReviewBacklog>> {
        if types.is_empty() {
            return Ok(Vec::new());
        }
        let reads = (0..self.sources.all().len()).map(|source| {
            let body = Backlogs { types: types.to_vec() };
            async move { transact::read(&self.sources, source, body).await }
        });
        let mut all: BTreeMap<ObjectType, ReviewBacklog> = BTreeMap::new();
        for backlog in try_join_all(reads).await?.into_iter().flatten() {
            let of_type = all.entry(backlog.object_type.clone());
            of_type
                .and_modify(|all| {
                    all.open += backlog.open;
                    all.due_time = all.due_time.min(backlog.due_time);
                })
                .or_insert(backlog);
        }
        Ok(all.into_values().collect())
    }

    async fn reopen(&self, subjects: &[SubjectId]) -> Result<usize> {
        let mut opened = 0;
        let ids: Vec<CommentId> = subjects.iter().map(|subject| CommentId::from(*subject)).collect();
        for (source, ids) in self.groups(&ids) {
            let subjects = ids.into_iter().map(SubjectId::from).collect();
            opened += self.reopen_at(source, Some(subjects)).await?;
        }
        Ok(opened)
    }

    async fn reopen_all(&self, source: usize) -> Result<usize> {
        self.reopen_at(source, None).await
    }

    async fn release(&self, ids: &[CommentId], holder: &MemberId, token: LeaseToken) -> Result<usize> {
        let mut released = 0;
        for (source, ids) in self.groups(ids) {
            let body = Release { ids, holder: holder.clone(), token };
            let done = transact::write_within(&self.bulkhead, &self.sources, source, body).await;
            released += done.map_err(|error| error.of_part(released > 0))?;
        }
        Ok(released)
    }
}

/// Returns the query for the reviews that a claim may lease.
fn candidates(filter: &ReviewFilter, limit: usize) -> ReviewQuery {
    ReviewQuery { filter: filter.clone(), member: None, leased: false, after: None, limit }
}

/// Returns the position of a review in the queue.
fn cursor(review: &Review) -> ReviewCursor {
    ReviewCursor { due_time: review.due_time.unwrap_or_default(), comment: review.comment_id }
}

/// A read of reviews at one data source.
#[derive(Debug, Clone)]
enum Selection {
    /// A part of the queue.
    Queue(ReviewQuery),
    /// A part of the queue without the appeals against decisions of this moderator.
    Candidates { query: ReviewQuery, holder: MemberId },
    /// The reviews after a comment, by id.
    After { comment: Option<CommentId>, limit: usize },
    /// The reviews with a lease that has not ended.
    Held { holder: MemberId, token: LeaseToken },
}

impl TransactionBody for Selection {
    type Output = Vec<Review>;
    const NAME: &'static str = "read the review queue";
    const READS_PARTITIONS: bool = true;

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        let now = now(tx);
        let select = match self {
            Self::Queue(query) => queue(query, now),
            Self::Candidates { query, holder } => queue(query, now).filter(not_barred(holder)),
            Self::After { comment, limit } => Entity::find()
                .filter(Column::CommentId.gt(comment.map_or(0, |comment| comment.get())))
                .order_by_asc(Column::CommentId)
                .limit(*limit as u64),
            Self::Held { holder, token } => force_index(Entity::find(), HOLDER_INDEX)
                .filter(Column::Holder.eq(row::bytes(holder.as_str())))
                .filter(Column::LeaseToken.eq(token.0.to_vec()))
                .filter(Expr::col(Column::LeaseUntil).gt(now)),
        };
        reviews(select.all(&tx.unrouted()).await?)
    }
}

/// Counts the open reviews of object types at one data source.
#[derive(Debug)]
struct Backlogs {
    types: Vec<ObjectType>,
}

impl TransactionBody for Backlogs {
    type Output = Vec<ReviewBacklog>;
    const NAME: &'static str = "count open reviews";
    const READS_PARTITIONS: bool = true;

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        let select = force_index(Entity::find(), QUEUE_INDEX)
            .select_only()
            .column(Column::ObjectType)
            .column_as(Column::CommentId.count(), "open")
            .column_as(Column::DueTime.min(), "due")
            .filter(Column::ObjectType.is_in(self.types.iter().map(|of| row::bytes(of.as_str()))))
            .filter(Column::IsOpen.eq(1_i8))
            .group_by(Column::ObjectType);
        let rows: Vec<(Vec<u8>, i64, i64)> = select.into_tuple().all(&tx.unrouted()).await?;
        let known = |name: &[u8]| self.types.iter().find(|of| of.as_str().as_bytes() == name).cloned();
        let backlog = |(name, open, due): (Vec<u8>, i64, i64)| {
            let open = u64::try_from(open).unwrap_or_default();
            known(&name).map(|object_type| ReviewBacklog { object_type, open, due_time: Millis(due) })
        };
        Ok(rows.into_iter().filter_map(backlog).collect())
    }
}

fn queue(query: &ReviewQuery, now: Expr) -> Select<Entity> {
    let ReviewQuery { filter: ReviewFilter { object_type, causes }, member, leased, after, limit } = query;
    let mut select = force_index(Entity::find(), QUEUE_INDEX)
        .filter(Column::ObjectType.eq(row::bytes(object_type.as_str())))
        .filter(Column::IsOpen.eq(1_i8));
    let with_one_of = |causes: ReviewCauses| Expr::col(Column::Causes).bit_and(causes.bits()).ne(0);
    select = select.filter(if causes.is_empty() {
        let for_moderators = ReviewCauses::of(&ReviewCause::ALL).without(ReviewCauses::OUTAGE);
        let is_due = Expr::col(Column::DueTime).lte(now.clone());
        Condition::any().add(with_one_of(for_moderators)).add(is_due)
    } else {
        with_one_of(*causes).into_condition()
    });
    if let Some(member) = member {
        select = select.filter(Column::MemberId.eq(row::bytes(member.as_str())));
    }
    if !leased {
        select = select.filter(Expr::col(Column::LeaseUntil).lte(now));
    }
    if let Some(ReviewCursor { due_time, comment }) = after {
        let later = Condition::all().add(Column::DueTime.eq(due_time.0)).add(Column::CommentId.gt(comment.get()));
        select = select.filter(Condition::any().add(Column::DueTime.gt(due_time.0)).add(later));
    }
    select.order_by_asc(Column::DueTime).order_by_asc(Column::CommentId).limit(*limit as u64)
}

/// Leases reviews that no moderator holds, or renews leases with the same token.
#[derive(Debug, Clone)]
struct Lease {
    ids: Vec<CommentId>,
    holder: MemberId,
    token: LeaseToken,
    duration: Duration,
    renews: bool,
}

impl TransactionBody for Lease {
    type Output = Vec<Review>;
    const NAME: &'static str = "lease reviews";

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        let (now, token) = (now(tx), self.token.0.to_vec());
        let until = now.clone().add(i64::try_from(self.duration.as_millis()).unwrap_or(i64::MAX / 2));
        let ended = Expr::col(Column::Holder).ne(Vec::<u8>::new());
        // MySQL assigns from left to right, so the lease that has ended is counted first.
        let expired = Expr::case(Condition::all().add(ended), 1).finally(0);
        let update = of_reviews(Entity::update_many(), &self.ids);
        let update = if self.renews {
            update
                .filter(Column::LeaseToken.eq(token.clone()))
                .filter(Expr::col(Column::LeaseUntil).gt(now))
                .col_expr(Column::LeaseUntil, until)
        } else {
            update
                .filter(Column::IsOpen.eq(1_i8))
                .filter(Expr::col(Column::LeaseUntil).lte(now))
                .filter(not_barred(&self.holder))
                .col_expr(Column::ExpiredLeases, Expr::col(Column::ExpiredLeases).add(expired))
                .col_expr(Column::LeaseToken, token.clone().into())
                .col_expr(Column::Holder, row::bytes(self.holder.as_str()).into())
                .col_expr(Column::LeaseUntil, until)
        };
        update.exec(&tx.unrouted()).await?;
        let select = Entity::find()
            .filter(Column::Part.is_in(parts(self.ids.iter().map(|id| id.partition()))))
            .filter(Column::CommentId.is_in(self.ids.iter().map(|id| id.get())))
            .filter(Column::LeaseToken.eq(token));
        reviews(select.all(&tx.unrouted()).await?)
    }
}

/// Ends leases.
#[derive(Debug)]
struct Release {
    ids: Vec<CommentId>,
    holder: MemberId,
    token: LeaseToken,
}

impl TransactionBody for Release {
    type Output = usize;
    const NAME: &'static str = "release reviews";

    async fn run(&self, tx: &SourceTx) -> std::result::Result<Self::Output, StoreError> {
        let update = of_reviews(Entity::update_many(), &self.ids)
            .filter(Column::Holder.eq(row::bytes(self.holder.as_str())))
            .filter(Column::LeaseToken.eq(self.token.0.to_vec()));
        let update = ended_lease(update);
        let released = update.exec(&tx.unrouted()).await?;
        Ok(usize::try_from(released.rows_affected).unwrap_or(usize::MAX))
    }
}

/// Returns the condition that no open appeal contests a decision of this moderator.
fn not_barred(holder: &MemberId) -> Condition {
    let is_barred = Column::Barred.eq(row::bytes(holder.as_str()));
    let appeal = Expr::col(Column::Causes).bit_and(ReviewCauses::APPEAL.bits());
    Condition::all().add(is_barred).add(appeal.ne(0)).not()
}

/// Adds the end of the leases to an update.
fn ended_lease(update: UpdateMany<Entity>) -> UpdateMany<Entity> {
    update
        .col_expr(Column::LeaseToken, vec![0_u8; 16].into())
        .col_expr(Column::Holder, Vec::<u8>::new().into())
        .col_expr(Column::LeaseUntil, 0_i64.into())
}

fn of_reviews(update: UpdateMany<Entity>, ids: &[CommentId]) -> UpdateMany<Entity> {
    let update = update.filter(Column::Part.is_in(parts(ids.iter().map(|id| id.partition()))));
    update.filter(Column::CommentId.is_in(ids.iter().map(|id| id.get())))
}

fn reviews(rows: Vec<Model>) -> StoreResult<Vec<Review>> {
    Ok(rows.into_iter().map(row::review).collect::<Result<_>>()?)
}

/// Returns the present time of the database.
fn now(tx: &SourceTx) -> Expr {
    database_time::expression(tx.unrouted().get_database_backend())
}
