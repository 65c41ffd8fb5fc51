//! Data that is derived from rows, and its repair.

use async_trait::async_trait;

use crate::domain::error::Result;
use crate::domain::event::SequencedEvent;
use crate::domain::ids::CommentId;
use crate::domain::page::CountDrift;
use crate::domain::subject::SubjectKey;
use crate::domain::time::Millis;

/// The member histories, which are derived from the comments and distributed by member.
///
/// Both methods read the current comments and write a history row only over an older one. So they
/// may run twice, late, concurrently and in any order.
#[async_trait]
pub trait MemberHistories: Send + Sync + std::fmt::Debug {
    /// Updates the history rows of the comments that these events of a source name.
    async fn apply(&self, source: usize, events: &[SequencedEvent]) -> Result<()>;

    /// Updates the history rows of the next comments of a subject, at most `limit`, after `after`.
    async fn rebuild(&self, key: &SubjectKey, after: Option<CommentId>, limit: usize) -> Result<RebuildProgress>;
}

/// The progress of a rebuild of a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RebuildProgress {
    /// The number of comments read.
    pub comments: usize,
    /// The number of derived rows that were missing or out of date.
    pub changed: usize,
    /// The last comment read; `None` at the end of the subject.
    pub next: Option<CommentId>,
}

/// The repair of counts.
#[async_trait]
pub trait CountRepair: Send + Sync + std::fmt::Debug {
    /// Sets every count of a subject to the value computed from its rows, under the subject's lock,
    /// as one revision. A floor allocator is only ever raised. Returns `None` if the subject does
    /// not exist. Writers of the subject wait during the repair.
    async fn repair(&self, key: &SubjectKey, now: Millis) -> Result<Option<RepairReport>>;
}

/// The result of a repair.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RepairReport {
    /// The counts that differed and were corrected.
    pub drifts: Vec<CountDrift>,
    /// The subject's revision after the repair.
    pub revision: i64,
}
