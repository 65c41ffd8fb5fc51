//! What is derived from rows, and what sets it right.

use async_trait::async_trait;

use crate::error::Result;
use crate::event::SequencedEvent;
use crate::ids::CommentId;
use crate::page::CountDrift;
use crate::subject::SubjectKey;
use crate::time::Millis;

/// Members' own histories: a projection of the comments, spread by member.
///
/// Both ways to fill it read the comments as they are now and write a history row only over an older one, so they may
/// run twice, late, side by side and in any order.
#[async_trait]
pub trait MemberHistories: Send + Sync + std::fmt::Debug {
    /// Brings the history rows of the comments that these events of a source name up to date.
    async fn apply(&self, source: usize, events: &[SequencedEvent]) -> Result<()>;

    /// The same for the next comments of a subject, at most `limit`, behind `after`.
    async fn rebuild(&self, key: &SubjectKey, after: Option<CommentId>, limit: usize) -> Result<RebuildProgress>;
}

/// How far the rebuilding of a subject's histories has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RebuildProgress {
    /// Comments looked at.
    pub comments: usize,
    /// History rows that were missing or behind.
    pub changed: usize,
    /// The last comment looked at; `None` at the end of the subject.
    pub next: Option<CommentId>,
}

/// Sets counts right.
#[async_trait]
pub trait CountRepair: Send + Sync + std::fmt::Debug {
    /// Sets every count of a subject to what its rows say, under the subject's lock, as one revision; an allocator of
    /// floors is only ever raised. `None` where there is no such subject. Writers of the subject wait meanwhile.
    async fn repair(&self, key: &SubjectKey, now: Millis) -> Result<Option<RepairReport>>;
}

/// What a repair did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RepairReport {
    /// The counts that differed and now agree.
    pub drifts: Vec<CountDrift>,
    /// The subject's revision afterwards.
    pub revision: i64,
}
