//! The queue of open reviews in the oracle: a filter and a sort.

use async_trait::async_trait;
use riposte_core::ports::{
    ReviewBacklog, ReviewClaim, ReviewCursor, ReviewFilter, ReviewPosition, ReviewQuery, Reviews,
};
use riposte_core::review::{LeaseToken, Review, ReviewLease};
use riposte_core::{CommentId, CommentState, MemberId, Millis, ObjectType, Result, SubjectId};

use super::Model;
use super::tables::Tables;

/// The reviews below deleted subjects that one claim closes.
const CLOSED_MAX: usize = 100;

impl Tables {
    fn is_below_deleted(&self, review: &Review) -> bool {
        let subject = self.comment(review.comment_id).map(|(subject_table, _)| &subject_table.subject);
        subject.is_some_and(|subject| subject.delete_time.is_some())
    }

    fn reopen(&mut self, is_below: impl Fn(&Review) -> bool) -> usize {
        let is_deleted = |review: &Review| {
            let state = self.comment(review.comment_id).map(|(_, row)| row.comment.lifecycle.state);
            self.is_below_deleted(review) || state == Some(CommentState::Deleted)
        };
        let closed = self.reviews.values().filter(|review| review.is_closed && is_below(review));
        let opened: Vec<Review> = closed.filter(|review| !is_deleted(review)).cloned().collect();
        for review in &opened {
            self.reviews.insert(review.comment_id, Review { is_closed: false, ..review.clone() });
        }
        opened.len()
    }

    fn close_review(&mut self, mut review: Review) {
        review.close(true);
        self.reviews.insert(review.comment_id, review);
    }
}

#[async_trait]
impl Reviews for Model {
    async fn list(&self, query: &ReviewQuery) -> Result<Vec<Review>> {
        let now = self.shared.clock.now();
        let tables = self.tables();
        let mut found: Vec<Review> =
            tables.reviews.values().filter(|review| is_listed(query, review, now)).cloned().collect();
        found.sort_by_key(cursor);
        found.truncate(query.limit);
        Ok(found)
    }

    async fn walk(&self, after: ReviewPosition, limit: usize) -> Result<(Vec<Review>, Option<ReviewPosition>)> {
        let tables = self.tables();
        let mut found: Vec<Review> =
            tables.reviews.values().filter(|review| Some(review.comment_id) > after.comment).cloned().collect();
        found.sort_by_key(|review| review.comment_id);
        found.truncate(limit);
        let last = found.last().filter(|_| found.len() == limit).map(|review| review.comment_id);
        Ok((found, last.map(|last| ReviewPosition { source: 0, comment: Some(last) })))
    }

    async fn claim(&self, claim: &ReviewClaim) -> Result<Vec<Review>> {
        let now = self.shared.clock.now();
        let mut tables = self.tables();
        let is_held = |review: &Review| has_token(review, claim.token) && !is_free(review, now);
        let held: Vec<CommentId> =
            tables.reviews.values().filter(|review| is_held(review)).map(|review| review.comment_id).collect();
        let ids = if held.is_empty() {
            let query =
                ReviewQuery { filter: claim.filter.clone(), member: None, leased: false, after: None, limit: 0 };
            let mut free: Vec<Review> =
                tables.reviews.values().filter(|review| is_listed(&query, review, now)).cloned().collect();
            free.retain(|review| !review.bars(&claim.holder));
            free.sort_by_key(cursor);
            let (below_deleted, free): (Vec<Review>, Vec<Review>) =
                free.into_iter().partition(|review| tables.is_below_deleted(review));
            below_deleted.into_iter().take(CLOSED_MAX).for_each(|review| tables.close_review(review));
            free.into_iter().take(claim.limit).map(|review| review.comment_id).collect()
        } else {
            held
        };
        let claimed: Vec<Review> = ids.iter().filter_map(|id| tables.reviews.get(id).cloned()).collect();
        let mut leased = Vec::new();
        for review in claimed {
            let expired = review.lease.as_ref().is_some_and(|lease| lease.until <= now);
            let lease =
                ReviewLease { token: claim.token, holder: claim.holder.clone(), until: now.plus(claim.duration) };
            let expired_leases = review.expired_leases + i32::from(expired);
            let review = Review { lease: Some(lease), expired_leases, ..review };
            tables.reviews.insert(review.comment_id, review.clone());
            leased.push(review);
        }
        leased.sort_by_key(cursor);
        Ok(leased)
    }

    async fn backlogs(&self, types: &[ObjectType]) -> Result<Vec<ReviewBacklog>> {
        let tables = self.tables();
        let backlog = |object_type: &ObjectType| {
            let open = tables.reviews.values().filter(|review| !review.open().is_empty());
            let due: Vec<Millis> =
                open.filter(|review| review.object_type == *object_type).filter_map(|review| review.due_time).collect();
            let (object_type, open) = (object_type.clone(), due.len() as u64);
            due.into_iter().min().map(|due_time| ReviewBacklog { object_type, open, due_time })
        };
        Ok(types.iter().filter_map(backlog).collect())
    }

    async fn reopen(&self, subjects: &[SubjectId]) -> Result<usize> {
        Ok(self.tables().reopen(|review| subjects.contains(&review.subject_id)))
    }

    async fn reopen_all(&self, _source: usize) -> Result<usize> {
        Ok(self.tables().reopen(|_| true))
    }

    async fn release(&self, ids: &[CommentId], holder: &MemberId, token: LeaseToken) -> Result<usize> {
        let mut tables = self.tables();
        let is_of_holder = |review: &Review| review.lease.as_ref().is_some_and(|lease| lease.holder == *holder);
        let mut released = 0;
        for id in ids {
            let review = tables.reviews.get_mut(id).filter(|review| has_token(review, token) && is_of_holder(review));
            if let Some(review) = review {
                review.lease = None;
                released += 1;
            }
        }
        Ok(released)
    }
}

fn cursor(review: &Review) -> ReviewCursor {
    ReviewCursor { due_time: review.due_time.unwrap_or_default(), comment: review.comment_id }
}

fn has_token(review: &Review, token: LeaseToken) -> bool {
    review.lease.as_ref().is_some_and(|lease| lease.token == token)
}

fn is_free(review: &Review, now: Millis) -> bool {
    review.lease.as_ref().is_none_or(|lease| lease.until <= now)
}

fn is_listed(query: &ReviewQuery, review: &Review, now: Millis) -> bool {
    let ReviewFilter { object_type, causes } = &query.filter;
    !review.open().is_empty()
        && review.object_type == *object_type
        && if causes.is_empty() {
            !review.is_left_to_services(now)
        } else {
            !review.causes.intersection(*causes).is_empty()
        }
        && query.member.as_ref().is_none_or(|member| review.member == *member)
        && (query.leased || is_free(review, now))
        && query.after.is_none_or(|after| cursor(review) > after)
}
