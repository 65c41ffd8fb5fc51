//! Reports over SQL. A report is a transaction of its own, which locks the comment and its review,
//! in this order. Lists of a member read every data source and merge by time.

mod read;
mod write;

use std::sync::Arc;

use async_trait::async_trait;
use futures::future::try_join_all;
use riposte_core::decision::Decision;
use riposte_core::page::{HistoryCursor, LikerCursor};
use riposte_core::ports::Reports;
use riposte_core::report::{DecisionCursor, DecisionKind, NewReport, OwnReport, Report, ReportResult};
use riposte_core::{CommentId, Error, MemberId, MemberOfType, ModerationGate, Result};

use super::bulkhead::Bulkhead;
use super::ids::SqlIds;
use super::moderation_gate::ModerationGates;
use super::pool::DataSources;
use super::transact;

/// The [`Reports`] over SQL.
#[derive(Debug)]
pub(crate) struct SqlReports {
    sources: Arc<DataSources>,
    gates: Arc<ModerationGates>,
    ids: Arc<SqlIds>,
    bulkhead: Bulkhead,
}

impl SqlReports {
    pub(crate) fn new(sources: Arc<DataSources>, gates: Arc<ModerationGates>, ids: Arc<SqlIds>) -> Self {
        let bulkhead = Bulkhead::new(&sources);
        Self { sources, gates, ids, bulkhead }
    }

    fn source(&self, id: CommentId) -> usize {
        self.sources.map().source(id.partition())
    }
}

#[async_trait]
impl Reports for SqlReports {
    async fn report(&self, report: &NewReport) -> Result<ReportResult> {
        let source = self.source(report.comment_id);
        if self.gates.state(source).await == ModerationGate::Closed {
            let stored = self.of_member(report.comment_id, &report.member).await?;
            let replayed = stored.map(|stored| stored.replayed(report.request)).transpose()?.flatten();
            return replayed.ok_or(Error::Overloaded { after: ModerationGate::RETRY });
        }
        let commit = self.ids.commit(report.comment_id.partition()).await?;
        let body = write::WriteReport { report: report.clone(), commit };
        transact::write_within(&self.bulkhead, &self.sources, source, body).await
    }

    async fn of_member(&self, id: CommentId, member: &MemberId) -> Result<Option<Report>> {
        let read = read::ReportOfMember { id, member: member.clone() };
        transact::read(&self.sources, self.source(id), read).await
    }

    async fn on_comment(&self, id: CommentId, after: Option<&LikerCursor>, limit: usize) -> Result<Vec<Report>> {
        let read = read::ReportsOnComment { id, after: after.cloned(), limit };
        transact::read(&self.sources, self.source(id), read).await
    }

    async fn by_member(&self, of: &MemberOfType, after: Option<HistoryCursor>, limit: usize) -> Result<Vec<OwnReport>> {
        let reads = (0..self.sources.all().len()).map(|source| {
            let body = read::ReportsByMember { of: of.clone(), after, limit };
            async move { transact::read(&self.sources, source, body).await }
        });
        let mut found: Vec<_> = try_join_all(reads).await?.into_iter().flatten().collect();
        found.sort_by_key(|OwnReport { report, .. }| std::cmp::Reverse((report.time, report.comment_id)));
        found.truncate(limit);
        Ok(found)
    }

    async fn decisions(
        &self,
        kind: DecisionKind,
        of: &MemberOfType,
        after: Option<DecisionCursor>,
        limit: usize,
    ) -> Result<Vec<Decision>> {
        let reads = (0..self.sources.all().len()).map(|source| {
            let body = read::DecisionsAbout { of: of.clone(), kind, after, limit };
            async move { transact::read(&self.sources, source, body).await }
        });
        let mut found: Vec<Decision> = try_join_all(reads).await?.into_iter().flatten().collect();
        found.sort_by_key(|decision| std::cmp::Reverse((decision.time, decision.id.comment, decision.id.number)));
        found.truncate(limit);
        Ok(found)
    }
}
