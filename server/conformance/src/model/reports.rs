//! Reports in the oracle: filters and sorts.

use std::cmp::Reverse;

use async_trait::async_trait;
use riposte_core::act::CommentAct;
use riposte_core::decision::Decision;
use riposte_core::page::{HistoryCursor, LikerCursor};
use riposte_core::ports::Reports;
use riposte_core::report::{DecisionCursor, DecisionKind, NewReport, OwnReport, Report, ReportOutcome, ReportResult};
use riposte_core::{CommentId, Error, MemberId, MemberOfType, Result};

use super::Model;
use super::tables::Tables;

impl Tables {
    fn outcome(&self, report: &Report) -> ReportOutcome {
        let on_comment = self.decisions.range((report.comment_id, report.decisions + 1)..);
        let mut later = on_comment.take_while(|((id, _), _)| *id == report.comment_id).map(|(_, decision)| decision);
        let first = later.find(|decision| {
            decision.act.is_settling() && decision.proposal == 0 && !decision.actor.as_str().is_empty()
        });
        report.outcome(first.map(|decision| (decision.act, decision.time)))
    }
}

#[async_trait]
impl Reports for Model {
    async fn report(&self, new: &NewReport) -> Result<ReportResult> {
        let now = self.shared.clock.now();
        let mut tables = self.tables();
        let key = (new.comment_id, new.member.clone());
        let earlier = tables.reports.get(&key).cloned();
        if let Some(result) = earlier.as_ref().map(|earlier| earlier.replayed(new.request)).transpose()?.flatten() {
            return Ok(result);
        }
        let (subject_table, row) = tables.comment(new.comment_id).ok_or(Error::CommentNotFound)?;
        if subject_table.subject.delete_time.is_some() {
            return Err(Error::CommentNotFound);
        }
        let object_type = subject_table.subject.key.object_type().clone();
        let review = tables.reviews.get(&new.comment_id);
        let changes = new.changes(&row.comment, &object_type, review, earlier.as_ref(), now)?;
        let event = new.event(&row.comment);
        tables.outbox.waiting.push(vec![event]);
        if let Some(review) = changes.review {
            tables.reviews.insert(review.comment_id, review);
        }
        tables.reports.insert(key, changes.report);
        Ok(ReportResult { first: earlier.is_none(), replayed: false })
    }

    async fn of_member(&self, id: CommentId, member: &MemberId) -> Result<Option<Report>> {
        Ok(self.tables().reports.get(&(id, member.clone())).cloned())
    }

    async fn on_comment(&self, id: CommentId, after: Option<&LikerCursor>, limit: usize) -> Result<Vec<Report>> {
        let position = |report: &Report| (report.time, report.member.clone());
        let before = after.map(|after| (after.time, after.member.clone()));
        let tables = self.tables();
        let on_comment = tables.reports.values().filter(|report| report.comment_id == id);
        let is_after = |report: &&Report| before.as_ref().is_none_or(|before| position(report) < *before);
        let mut found: Vec<Report> = on_comment.filter(is_after).cloned().collect();
        found.sort_by_key(|report| Reverse(position(report)));
        found.truncate(limit);
        Ok(found)
    }

    async fn by_member(&self, of: &MemberOfType, after: Option<HistoryCursor>, limit: usize) -> Result<Vec<OwnReport>> {
        let tables = self.tables();
        let is_listed = |report: &&Report| {
            let place = (report.time, report.comment_id);
            let is_after = after.is_none_or(|after| place < (after.time, after.comment));
            report.object_type == of.object_type && report.member == of.member && is_after
        };
        let mut found: Vec<Report> = tables.reports.values().filter(is_listed).cloned().collect();
        found.sort_by_key(|report| Reverse((report.time, report.comment_id)));
        found.truncate(limit);
        let with_outcome = |report: Report| {
            let outcome = tables.outcome(&report);
            OwnReport { report, outcome }
        };
        Ok(found.into_iter().map(with_outcome).collect())
    }

    async fn decisions(
        &self,
        kind: DecisionKind,
        of: &MemberOfType,
        after: Option<DecisionCursor>,
        limit: usize,
    ) -> Result<Vec<Decision>> {
        let tables = self.tables();
        let position = |decision: &Decision| DecisionCursor {
            time: decision.time,
            comment: decision.id.comment,
            number: decision.id.number,
        };
        let restricting = [
            CommentAct::Reject,
            CommentAct::Hide,
            CommentAct::Delete,
            CommentAct::Withhold,
            CommentAct::Hold,
            CommentAct::Mask,
        ];
        let is_listed = |decision: &&Decision| {
            let restricts = restricting.contains(&decision.act) || decision.act == CommentAct::RejectEdit;
            let is_wanted = restricts || kind == DecisionKind::Any;
            let is_after = after.is_none_or(|after| position(decision) < after);
            is_wanted && is_after && decision.object_type == of.object_type && decision.member == of.member
        };
        let mut found: Vec<Decision> = tables.decisions.values().filter(is_listed).cloned().collect();
        found.sort_by_key(|decision| Reverse(position(decision)));
        found.truncate(limit);
        Ok(found)
    }
}
