//! Records the reporters of comments, which the mutant `reporter-leaks` writes into contents that
//! are read. The mutant `statements-mixed` shows a member a statement to another one, and the
//! mutants `outcomes-…` change what became of a member's reports.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use riposte_core::decision::Decision;
use riposte_core::page::{HistoryCursor, LikerCursor};
use riposte_core::ports::Reports;
use riposte_core::report::{DecisionCursor, DecisionKind, NewReport, OwnReport, Report, ReportOutcome, ReportResult};
use riposte_core::{CommentId, MemberId, MemberOfType, Result};

use crate::mutant::Mutant;

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
    mutant: Mutant,
    /// The last statement that was read.
    statement: Mutex<Option<Decision>>,
    /// The outcome of each report at its first read.
    outcomes: Mutex<HashMap<(CommentId, MemberId), ReportOutcome>>,
}

impl RecordedReports {
    pub(crate) fn new(inner: Arc<dyn Reports>, reporters: Reporters, mutant: Mutant) -> Self {
        Self { inner, reporters, mutant, statement: Mutex::default(), outcomes: Mutex::default() }
    }

    /// Changes the outcome of a report.
    fn change(&self, OwnReport { report, outcome }: &mut OwnReport) {
        if self.mutant == Mutant::OutcomesNeverReloaded {
            let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
            *outcome = *outcomes.entry((report.comment_id, report.member.clone())).or_insert(*outcome);
        }
        if self.mutant == Mutant::OutcomesSwapped {
            *outcome = match *outcome {
                ReportOutcome::Open => ReportOutcome::Open,
                ReportOutcome::Restricted(time) => ReportOutcome::Unrestricted(time),
                ReportOutcome::Unrestricted(time) => ReportOutcome::Restricted(time),
            };
        }
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

    async fn by_member(&self, of: &MemberOfType, after: Option<HistoryCursor>, limit: usize) -> Result<Vec<OwnReport>> {
        let mut found = self.inner.by_member(of, after, limit).await?;
        found.iter_mut().for_each(|own| self.change(own));
        Ok(found)
    }

    async fn decisions(
        &self,
        kind: DecisionKind,
        of: &MemberOfType,
        after: Option<DecisionCursor>,
        limit: usize,
    ) -> Result<Vec<Decision>> {
        let mut found = self.inner.decisions(kind, of, after, limit).await?;
        if self.mutant == Mutant::StatementsMixed && kind == DecisionKind::Restriction && found.len() < limit {
            let mut last = self.statement.lock().unwrap_or_else(PoisonError::into_inner);
            let own = found.first().cloned();
            found.extend(last.take().filter(|decision| decision.member != of.member));
            *last = own;
        }
        Ok(found)
    }
}
