//! The use cases of members about moderation: reports, and the reasons of decisions. Appeals are
//! commands, which pass through the write queues.

use std::collections::HashMap;
use std::sync::Arc;

use crate::domain::caller::Caller;
use crate::domain::comment::CommentView;
use crate::domain::decision::Decision;
use crate::domain::error::{Error, Result};
use crate::domain::ids::{CommentId, DecisionId};
use crate::domain::location::CommentLocation;
use crate::domain::member::{MemberId, MemberOfType};
use crate::domain::object_type::Policies;
use crate::domain::page::{HistoryCursor, LikerCursor};
use crate::domain::report::ReportResult;
use crate::domain::report::{DecisionCursor, DecisionKind, NewReport, ORDINARY_WEIGHT, OwnReport, Report, ReportBody};
use crate::domain::request::{Fingerprint, IdempotencyKey, RequestId, RequestIdentity};
use crate::domain::review::Review;
use crate::domain::standing::GatedAct;
use crate::domain::state::CommentState;
use crate::domain::time::Millis;
use crate::ports::{Clock, IdSource, Reader, Reports};
use crate::write::member_gate::MemberGate;
use crate::write::submit::WriteContext;

/// The use cases of members about moderation.
#[derive(Debug, Clone)]
pub struct MemberReports {
    ports: Arc<ReportPorts>,
    policies: Arc<Policies>,
}

/// The ports of [`MemberReports`].
#[derive(Debug)]
pub struct ReportPorts {
    /// Reads of the rows.
    pub reader: Arc<dyn Reader>,
    /// The reports.
    pub reports: Arc<dyn Reports>,
    /// The rights of members.
    pub members: MemberGate,
    /// The current time.
    pub clock: Arc<dyn Clock>,
    /// The source of new ids.
    pub ids: Arc<dyn IdSource>,
}

/// The report of a comment, as a member asks for it.
#[derive(Debug, Clone)]
pub struct ReportComment {
    /// The contents.
    pub body: ReportBody,
    /// The version that the member saw; `None` for the present one.
    pub seen: Option<i64>,
}

/// A decision that restricts a comment, as its author reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The decision.
    pub decision: Decision,
    /// The time until which the author may contest it; `None` if the author may not.
    pub appeal_until: Option<Millis>,
}

impl MemberReports {
    /// Creates the use cases on `ports`, under `policies`.
    #[must_use]
    pub fn new(ports: ReportPorts, policies: Arc<Policies>) -> Self {
        Self { ports: Arc::new(ports), policies }
    }

    /// Stores the report of a comment by a member. A repeat of the request that made the stored
    /// report returns its first answer, whatever standing and account of the member are now.
    ///
    /// # Errors
    /// Those of [`Caller::policy`], of [`MemberGate::admit`] and of [`Reports::report`].
    pub async fn report(
        &self,
        context: &WriteContext,
        at: &CommentLocation,
        (member, report): (&MemberId, ReportComment),
    ) -> Result<ReportResult> {
        let policy = context.caller.policy(&self.policies, at.subject.object_type())?;
        let now = self.ports.clock.now();
        let object_type = at.subject.object_type();
        let rights = match self.ports.members.admit(object_type, Some(member), GatedAct::Report, now).await {
            Ok(rights) => rights,
            Err(rejection) => return self.replayed(context, at, (member, &report)).await?.ok_or(rejection),
        };
        let request = self.identity(context, at, &report);
        let report = NewReport {
            comment_id: at.id,
            member: member.clone(),
            body: report.body,
            seen: report.seen,
            weight: rights.standing.report_weight.unwrap_or(ORDINARY_WEIGHT),
            threshold: policy.report_threshold,
            request,
            now,
        };
        self.ports.reports.report(&report).await
    }

    /// Returns the answer to a repeat of the request that made the stored report of the member;
    /// `None` if there is no such report. A rejection by a limit asks for it first.
    ///
    /// # Errors
    /// [`Error::RequestIdReused`].
    pub async fn replayed(
        &self,
        context: &WriteContext,
        at: &CommentLocation,
        (member, report): (&MemberId, &ReportComment),
    ) -> Result<Option<ReportResult>> {
        let Some(stored) = self.ports.reports.of_member(at.id, member).await? else { return Ok(None) };
        stored.replayed(self.identity(context, at, report))
    }

    /// Returns the reports of a member, newest first, each with what became of it.
    ///
    /// # Errors
    /// Those of [`Caller::policy`].
    pub async fn own_reports(
        &self,
        caller: &Caller,
        of: &MemberOfType,
        after: Option<HistoryCursor>,
        limit: usize,
    ) -> Result<Vec<OwnReport>> {
        caller.policy(&self.policies, &of.object_type)?;
        self.ports.reports.by_member(of, after, limit).await
    }

    /// Returns the decisions that restrict comments of a member, newest first.
    ///
    /// # Errors
    /// Those of [`Caller::policy`].
    pub async fn statements(
        &self,
        caller: &Caller,
        of: &MemberOfType,
        after: Option<DecisionCursor>,
        limit: usize,
    ) -> Result<Vec<Statement>> {
        let window = caller.policy(&self.policies, &of.object_type)?.appeal_window;
        let decisions = self.ports.reports.decisions(DecisionKind::Restriction, of, after, limit).await?;
        let mut ids: Vec<CommentId> = decisions.iter().map(|decision| decision.id.comment).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        // The comment is read before its review, so that an appeal is offered too rarely at worst.
        let views = self.ports.reader.comments(&ids).await?.into_iter().flatten();
        let state = |view: CommentView| (view.comment.reference.id, view.comment.lifecycle.state);
        let states: HashMap<CommentId, CommentState> = views.map(state).collect();
        let reviews = self.ports.reader.reviews(&ids).await?.into_iter().flatten();
        let reviews: HashMap<CommentId, Review> = reviews.map(|review| (review.comment_id, review)).collect();
        let now = self.ports.clock.now();
        let statement = |decision: Decision| {
            let id = decision.id.comment;
            let state = states.get(&id).copied().unwrap_or(CommentState::Deleted);
            let obstacle = decision.appeal_obstacle(state, reviews.get(&id), window, now);
            let appeal_until = obstacle.is_none().then(|| decision.time.plus(window));
            Statement { decision, appeal_until }
        };
        Ok(decisions.into_iter().map(statement).collect())
    }

    /// Returns the decisions on comments of a member, newest first, as moderators read them.
    ///
    /// # Errors
    /// Those of [`Caller::policy`].
    pub async fn decisions(
        &self,
        caller: &Caller,
        of: &MemberOfType,
        after: Option<DecisionCursor>,
        limit: usize,
    ) -> Result<Vec<Decision>> {
        caller.policy(&self.policies, &of.object_type)?;
        self.ports.reports.decisions(DecisionKind::Any, of, after, limit).await
    }

    /// Returns a decision on a comment of a member, and the comment's location.
    ///
    /// # Errors
    /// [`Error::DecisionNotFound`], also for a decision on another member's comment or under a type
    /// that the caller may not use.
    pub async fn decision(
        &self,
        caller: &Caller,
        id: DecisionId,
        member: &MemberId,
    ) -> Result<(Decision, CommentLocation)> {
        let at = self.ports.reader.locate_among(&[id.comment], caller.types()).await?.pop().flatten();
        let at = at.filter(|at| caller.policy(&self.policies, at.subject.object_type()).is_ok());
        let at = at.filter(|at| at.member == *member).ok_or(Error::DecisionNotFound)?;
        let decision = self.ports.reader.decisions_by_id(&[id]).await?.pop().flatten();
        Ok((decision.ok_or(Error::DecisionNotFound)?, at))
    }

    /// Returns the reports on a comment, newest first, each with whether it is open.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`], also for a comment of a type that the caller may not use.
    pub async fn on_comment(
        &self,
        caller: &Caller,
        id: CommentId,
        after: Option<&LikerCursor>,
        limit: usize,
    ) -> Result<Vec<(Report, bool)>> {
        let found = self.ports.reader.locate_among(&[id], caller.types()).await?.pop().flatten();
        let location = found.ok_or(Error::CommentNotFound)?;
        caller.policy(&self.policies, location.subject.object_type()).map_err(|_| Error::CommentNotFound)?;
        let reports = self.ports.reports.on_comment(id, after, limit).await?;
        let review = self.ports.reader.reviews(&[id]).await?.pop().flatten();
        let settled = review.map_or(0, |review| review.settled_version);
        let with_open = |report: Report| {
            let is_open = report.is_open(settled);
            (report, is_open)
        };
        Ok(reports.into_iter().map(with_open).collect())
    }

    /// Returns the identity of the request for a report.
    fn identity(&self, context: &WriteContext, at: &CommentLocation, report: &ReportComment) -> RequestIdentity {
        let id = context.request_id.unwrap_or_else(|| RequestId::from_bytes(self.ports.ids.request()));
        let ReportBody { reason, text, claims_illegal, legal_reference } = &report.body;
        let seen = report.seen.unwrap_or(0).to_be_bytes();
        let codes = [reason.code().to_be_bytes()[0], u8::from(*claims_illegal)];
        let parts: [&[u8]; 6] =
            [b"ReportComment", &at.id.get().to_be_bytes(), &codes, text.as_bytes(), legal_reference.as_bytes(), &seen];
        let key = IdempotencyKey::of(&context.caller, context.member.as_ref(), &id);
        RequestIdentity { key, fingerprint: Fingerprint::of(&parts) }
    }
}
