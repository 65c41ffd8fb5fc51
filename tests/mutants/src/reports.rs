//! Records the reporters of comments. The mutant `reporter-leaks` writes them into contents that
//! are read.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use riposte_core::decision::Decision;
use riposte_core::page::{HistoryCursor, LikerCursor};
use riposte_core::ports::Reports;
use riposte_core::report::{DecisionCursor, DecisionKind, NewReport, Report, ReportOutcome, ReportResult};
use riposte_core::{CommentId, MemberId, ObjectType, Result};

/// The last reporter of each comment that was reported to this process.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reporters(Arc<Mutex<HashMap<CommentId, MemberId>>>);

impl Reporters {
    /// Returns the last reporter of a comment.
    pub(crate) fn of(&self, id: CommentId) -> Option<MemberId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }
}

/// Reports whose reporters are recorded.
#[derive(Debug)]
pub(crate) struct RecordedReports {
    inner: Arc<dyn Reports>,
    reporters: Reporters,
}

impl RecordedReports {
    pub(crate) fn new(inner: Arc<dyn Reports>, reporters: Reporters) -> Self {
        Self { inner, reporters }
    }
}

#[async_trait]
impl Reports for RecordedReports {
    async fn report(&self, report: &NewReport) -> Result<ReportResult> {
        let result = self.inner.report(report).await?;
        let mut reporters = self.reporters.0.lock().unwrap_or_else(PoisonError::into_inner);
        reporters.insert(report.comment_id, report.member.clone());
        Ok(result)
    }

    async fn of_member(&self, id: CommentId, member: &MemberId) -> Result<Option<Report>> {
        self.inner.of_member(id, member).await
    }

    async fn on_comment(&self, id: CommentId, after: Option<&LikerCursor>, limit: usize) -> Result<Vec<Report>> {
        self.inner.on_comment(id, after, limit).await
    }

    async fn by_member(
        &self,
        object_type: &ObjectType,
        member: &MemberId,
        after: Option<HistoryCursor>,
        limit: usize,
    ) -> Result<Vec<(Report, ReportOutcome)>> {
        self.inner.by_member(object_type, member, after, limit).await
    }

    async fn decisions(
        &self,
        kind: DecisionKind,
        of: (&ObjectType, &MemberId),
        after: Option<DecisionCursor>,
        limit: usize,
    ) -> Result<Vec<Decision>> {
        self.inner.decisions(kind, of, after, limit).await
    }
}
