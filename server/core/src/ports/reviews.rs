//! The queue of open reviews. The queue is the rows of reviews themselves: a review is in the queue
//! while a question is open.

use std::time::Duration;

use async_trait::async_trait;

use crate::domain::error::Result;
use crate::domain::ids::{CommentId, SubjectId};
use crate::domain::member::MemberId;
use crate::domain::object_type::ObjectType;
use crate::domain::review::{LeaseToken, Review, ReviewCauses};
use crate::domain::time::Millis;

/// The reviews that a list or a claim selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewFilter {
    /// The object type.
    pub object_type: ObjectType,
    /// Reviews with one of these causes. An empty set selects all but those that wait for services
    /// alone and are not due.
    pub causes: ReviewCauses,
}

/// A part of the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewQuery {
    /// The selected reviews.
    pub filter: ReviewFilter,
    /// The author of the comments; `None` selects all.
    pub member: Option<MemberId>,
    /// True if reviews that a moderator holds are listed too.
    pub leased: bool,
    /// The position after which the list continues; `None` for its start.
    pub after: Option<ReviewCursor>,
    /// The maximum number of reviews.
    pub limit: usize,
}

/// A position in the queue: due time, then comment id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReviewCursor {
    /// The time at which the last review is due.
    pub due_time: Millis,
    /// Its comment.
    pub comment: CommentId,
}

/// A position in a walk over all reviews: by data source, then comment id. The default is the
/// start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReviewPosition {
    /// The data source (from 0).
    pub source: usize,
    /// The last comment there; `None` before the first one.
    pub comment: Option<CommentId>,
}

/// A request for leases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewClaim {
    /// The selected reviews.
    pub filter: ReviewFilter,
    /// The moderator.
    pub holder: MemberId,
    /// The token of the leases. A repeat of a request has the same one.
    pub token: LeaseToken,
    /// The time for which the leases last.
    pub duration: Duration,
    /// The maximum number of reviews.
    pub limit: usize,
}

/// The open reviews of an object type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewBacklog {
    /// The object type.
    pub object_type: ObjectType,
    /// The number of open reviews.
    pub open: u64,
    /// The time at which the first of them is due.
    pub due_time: Millis,
}

/// Lists and leases open reviews. A claim skips those below deleted subjects and closes them. Times
/// of leases are those of the database, because several processes compare them.
#[async_trait]
pub trait Reviews: Send + Sync + std::fmt::Debug {
    /// Returns open reviews by due time, then comment id.
    async fn list(&self, query: &ReviewQuery) -> Result<Vec<Review>>;

    /// Returns the reviews after a position, at most `limit`, open or not, and the position after
    /// them; `None` at the end. A part may be short or empty before the end.
    async fn walk(&self, after: ReviewPosition, limit: usize) -> Result<(Vec<Review>, Option<ReviewPosition>)>;

    /// Leases open reviews that no moderator holds, of those that are due first. While leases with
    /// this token last, they are renewed instead and their reviews are returned, whatever else the
    /// request says. No two leases of a review last at the same time.
    async fn claim(&self, claim: &ReviewClaim) -> Result<Vec<Review>>;

    /// Returns the backlogs of those of these object types that have open reviews, each once.
    async fn backlogs(&self, types: &[ObjectType]) -> Result<Vec<ReviewBacklog>>;

    /// Opens the reviews below these subjects again that a claim closed, unless the subject or the
    /// comment is deleted, and returns their number.
    async fn reopen(&self, subjects: &[SubjectId]) -> Result<usize>;

    /// As [`Reviews::reopen`], for all subjects of a data source.
    async fn reopen_all(&self, source: usize) -> Result<usize>;

    /// Ends the leases of these comments that this moderator has with the token, and returns their
    /// number.
    async fn release(&self, ids: &[CommentId], holder: &MemberId, token: LeaseToken) -> Result<usize>;
}
