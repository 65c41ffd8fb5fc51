//! Ranked orders: the boards that follow the comments, and the rankings that are frozen from them.

use std::ops::Range;

use async_trait::async_trait;

use crate::error::Result;
use crate::event::SequencedEvent;
use crate::ids::CommentId;
use crate::page::ListOrder;
use crate::ports::RebuildProgress;
use crate::rank::{RankedList, Ranking};
use crate::subject::SubjectKey;
use crate::time::Millis;

/// The boards: a projection of the comments, see [`Board`](crate::rank::RankIndex).
///
/// Both ways to fill them take turns at a list, look at its comments when their turn has come and write what
/// [`standings`](crate::rank::standings) says of them. So they may run twice, late, side by side and in any order.
#[async_trait]
pub trait RankIndexes: Send + Sync + std::fmt::Debug {
    /// Brings the boards up to date with the comments that these events of a source name.
    async fn apply(&self, source: usize, events: &[SequencedEvent]) -> Result<()>;

    /// The same for the next comments of a subject, at most `limit`, behind `after`.
    async fn rebuild(&self, key: &SubjectKey, after: Option<CommentId>, limit: usize) -> Result<RebuildProgress>;
}

/// Rankings, frozen for all processes alike.
///
/// A ranking holds the first of {the first of the board, the newest comments of the list}, by the scores that the
/// comments have when it is made; how many, [`Rules::depth`](crate::rank::RankingConfig) says. It never changes, and is kept for
/// [`KEPT`](crate::rank::KEPT).
#[async_trait]
pub trait Rankings: Send + Sync + std::fmt::Debug {
    /// The ranking for a walk that begins now, and the list's next floor: the last one if it
    /// [serves](crate::rank::Standing::serves), else a new one. Of several processes that make one at the same time the
    /// first wins, and all answer with its ranking. `None` where the subject or the root is absent, or the subject deleted.
    async fn current(&self, list: &RankedList, now: Millis) -> Result<Option<(Ranking, i32)>>;

    /// The ranking of an earlier page; `None` when it is not kept any more.
    async fn frozen(&self, list: &RankedList, epoch: i64) -> Result<Option<Ranking>>;

    /// The first `limit` of the listed floors within `floors` that the ranking does not hold, in `order`.
    async fn others(
        &self,
        list: &RankedList,
        ranking: &Ranking,
        floors: Range<i32>,
        order: ListOrder,
        limit: usize,
    ) -> Result<Vec<i32>>;

    /// Deletes at most `limit` rankings of a data source, from 0 on, that were made before `before`; how many it deleted.
    async fn trim(&self, source: usize, before: Millis, limit: usize) -> Result<usize>;
}
