//! Ranked orders: the rank indexes that follow the comments, and the ranking snapshots that are
//! made from them.

use std::ops::Range;

use async_trait::async_trait;

use crate::domain::error::Result;
use crate::domain::event::SequencedEvent;
use crate::domain::ids::CommentId;
use crate::domain::page::ListOrder;
use crate::domain::rank::{RankedList, Ranking};
use crate::domain::subject::SubjectKey;
use crate::domain::time::Millis;
use crate::ports::RebuildProgress;

/// The rank indexes, which are derived from the comments; see
/// [`RankIndex`](crate::domain::rank::RankIndex).
///
/// Both methods lock a list, read its comments under that lock and write the scores that
/// [`scores`](crate::domain::rank::scores) returns for them. So they may run twice, late,
/// concurrently and in any order.
#[async_trait]
pub trait RankIndexes: Send + Sync + std::fmt::Debug {
    /// Updates the rank indexes for the comments in these events of a data source.
    async fn apply(&self, source: usize, events: &[SequencedEvent]) -> Result<()>;

    /// Updates the rank indexes for the next comments of a subject, at most `limit`, after `after`.
    async fn rebuild(&self, key: &SubjectKey, after: Option<CommentId>, limit: usize) -> Result<RebuildProgress>;
}

/// The ranking snapshots, which are the same for all processes.
///
/// A ranking is made from the first comments of the rank index and the newest comments of the list.
/// It contains those of them that have the highest scores at that time;
/// [`RankingConfig::depth`](crate::domain::rank::RankingConfig) is their maximum number. A ranking
/// never changes and is stored for [`SNAPSHOT_RETENTION`](crate::domain::rank::SNAPSHOT_RETENTION).
#[async_trait]
pub trait RankingSnapshots: Send + Sync + std::fmt::Debug {
    /// Returns the ranking for a walk that begins now, and the list's next floor. The last ranking
    /// is returned if it is [current](crate::domain::rank::RankVersion::is_current), otherwise a
    /// new one. If several processes create a ranking at the same time, all return the one that was
    /// stored first. `None` if the subject or the root is absent, or the subject is deleted.
    async fn current(&self, list: &RankedList, now: Millis) -> Result<Option<(Ranking, i32)>>;

    /// Returns the ranking of an earlier page; `None` if it is no longer stored.
    async fn snapshot(&self, list: &RankedList, epoch: i64) -> Result<Option<Ranking>>;

    /// Returns the first `limit` of the listed floors within `floors` that are not in the ranking,
    /// in `order`.
    async fn unranked(
        &self,
        list: &RankedList,
        ranking: &Ranking,
        floors: Range<i32>,
        order: ListOrder,
        limit: usize,
    ) -> Result<Vec<i32>>;

    /// Deletes at most `limit` rankings of a data source that were created before `before`;
    /// returns the number deleted.
    async fn trim(&self, source: usize, before: Millis, limit: usize) -> Result<usize>;
}
