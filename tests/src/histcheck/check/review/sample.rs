//! A small valid history of comments that wait, and variants with a deliberate violation.
//!
//! Member 5 writes root 11, which moderator 1 reads and approves, and root 12, which waits. A call
//! of second `n` begins then and lasts half a second. The text number of a comment is its id.

use super::super::{Findings, tables};
use crate::histcheck::history::{
    APPEAL, Call, CommentRow, ContentRow, DecisionRow, History, JudgedTarget, ModeratedItem, ModeratorAct, Op, Outcome,
    ProposalRow, PublicRead, ReportRow, ReviewCall, ReviewResponse, ReviewRow, Rows, SeenComment, SeenDecision,
    SeenProposal, SubjectRow, Table, proposal_state, state,
};
use crate::histcheck::names::{LAST_READS, REVIEWED};

/// The author of all comments.
pub(super) const AUTHOR: u32 = 5;

/// A history under construction.
#[derive(Debug)]
pub(super) struct ReviewSample {
    history: History,
    comments: Vec<CommentRow>,
    reviews: Vec<ReviewRow>,
    decisions: Vec<DecisionRow>,
    proposals: Vec<ProposalRow>,
    reports: Vec<ReportRow>,
    /// The texts that an approved edit gave to comments.
    texts: Vec<(i64, u64)>,
}

impl Default for ReviewSample {
    fn default() -> Self {
        let mut sample = Self {
            history: History::default(),
            comments: Vec::new(),
            reviews: Vec::new(),
            decisions: Vec::new(),
            proposals: Vec::new(),
            reports: Vec::new(),
            texts: Vec::new(),
        };
        sample.root(1, 11, 1).root(2, 12, 2).read(3, 11, "11.1", state::PENDING, 0);
        sample.judge(
            4,
            1,
            (11, "11.1"),
            sample_decision(11, 1, ModeratorAct::Approve, state::PENDING, state::ACTIVE),
            3,
        );
        sample
    }
}

/// Returns a decision of moderator 1.
pub(super) fn sample_decision(comment: i64, number: i32, act: ModeratorAct, from: i8, to: i8) -> SeenDecision {
    SeenDecision { comment, number, act: act as i32, of_proposal: false, from, to, moderator: 1 }
}

/// Returns the text of a proposed edit.
pub(super) const fn edited_text(number: i32) -> u64 {
    number as u64 + 100
}

impl ReviewSample {
    /// Adds a call of a second. A write has a request id of its own.
    pub(super) fn op(&mut self, at: u64, call: ReviewCall, outcome: Outcome) -> &mut Self {
        let request = if call.writes() { (1, self.history.ops.len() as u64 + 1) } else { (0, 0) };
        let (begun, ended) = (at * 1_000_000_000, at * 1_000_000_000 + 500_000_000);
        let call = Call::Review { subject: REVIEWED, call };
        self.history.ops.push(Op { client: 1, server: 0, begun, ended, request, call, outcome });
        self
    }

    /// Changes the last operation.
    pub(super) fn change_last(&mut self, change: impl FnOnce(&mut Op)) -> &mut Self {
        change(self.history.ops.last_mut().unwrap());
        self
    }

    /// Repeats the last operation at another second, with another outcome.
    pub(super) fn repeat(&mut self, at: u64, outcome: Outcome) -> &mut Self {
        let last = self.history.ops.last().unwrap().clone();
        let Call::Review { call, .. } = last.call else { panic!("{last:?}") };
        self.op(at, call, outcome).change_last(|op| op.request = last.request)
    }

    pub(super) fn root(&mut self, at: u64, id: i64, revision: i64) -> &mut Self {
        let call = ReviewCall::Create { parent: 0, member: AUTHOR, text: id as u64 };
        let comment = SeenComment { id, text: id as u64, state: state::PENDING };
        self.comments.push(CommentRow {
            id,
            part: 0,
            subject_id: 1,
            root: 0,
            parent: 0,
            floor: 1,
            next_floor: 1,
            member: AUTHOR,
            state: state::PENDING,
            listed: 0,
            likes: 0,
            dislikes: 0,
            replies: 0,
            revision: 1,
        });
        self.reviews.push(ReviewRow {
            comment: id,
            never_public: 1,
            is_open: 1,
            questions: 1,
            decisions: 0,
            proposal: 0,
            due: id,
        });
        self.op(at, call, Outcome::Reviewed(ReviewResponse::Written { comment, revision, proposal: None }))
    }

    /// Adds a write of the author, after which the row has this state.
    pub(super) fn write(&mut self, at: u64, call: ReviewCall, seen: SeenComment, revision: i64) -> &mut Self {
        self.row(seen.id, |row| row.state = seen.state);
        self.op(at, call, Outcome::Reviewed(ReviewResponse::Written { comment: seen, revision, proposal: None }))
    }

    /// Adds an edit of the author, whose text is its number plus 100. It waits in place of an
    /// earlier one.
    pub(super) fn propose(&mut self, at: u64, id: i64, number: i32, revision: i64) -> &mut Self {
        let (text, state) = (edited_text(number), proposal_state::WAITING);
        for row in self.proposals.iter_mut().filter(|row| row.comment == id && row.state == state) {
            row.state = proposal_state::DROPPED;
        }
        self.proposals.push(ProposalRow { comment: id, number, text, state });
        self.review(id, |row| (row.is_open, row.questions, row.proposal) = (1, 2, number));
        let comment = SeenComment { id, text: id as u64, state: state::ACTIVE };
        let proposal = Some(SeenProposal { number, text, state });
        let call = ReviewCall::Edit { comment: id, member: AUTHOR, text };
        self.op(at, call, Outcome::Reviewed(ReviewResponse::Written { comment, revision, proposal }))
    }

    /// Adds a moderator's read of the edit that waits.
    pub(super) fn read_proposal(&mut self, at: u64, id: i64, etag: &str, number: i32, decisions: i32) -> &mut Self {
        let item = ModeratedItem {
            id,
            text: id as u64,
            state: state::ACTIVE,
            etag: format!("{id}.text.{decisions}").into(),
            open: true,
            decisions,
            due: 0,
            proposal: Some(SeenProposal { number, text: edited_text(number), state: proposal_state::WAITING }),
            proposal_etag: etag.into(),
        };
        let call = ReviewCall::Moderated { comments: [id].into() };
        self.op(at, call, Outcome::Reviewed(ReviewResponse::Moderated([item].into())))
    }

    /// Adds a verdict of moderator 1 on a proposed edit, and the rows that it makes: revision 0
    /// refuses the edit.
    pub(super) fn judge_proposal(
        &mut self,
        at: u64,
        (id, etag): (i64, &str),
        (number, proposal): (i32, i32),
        revision: i64,
    ) -> &mut Self {
        let (act, ends_as) = if revision > 0 {
            (ModeratorAct::Approve, proposal_state::APPROVED)
        } else {
            (ModeratorAct::Reject, proposal_state::REJECTED)
        };
        let decision =
            SeenDecision { of_proposal: true, ..sample_decision(id, number, act, state::ACTIVE, state::ACTIVE) };
        self.judge(at, 1, (id, etag), decision, revision);
        self.decisions.last_mut().unwrap().proposal = proposal;
        if revision > 0 {
            self.texts.push((id, edited_text(proposal)));
        }
        self.proposal(id, proposal, |row| row.state = ends_as)
    }

    /// Adds a report by reporter 1, after this number of decisions, and its row.
    pub(super) fn report(&mut self, comment: i64, decisions: i32, settled: i8) -> &mut Self {
        self.report_by(comment, 1, (decisions, settled))
    }

    /// Adds a report by any reporter.
    pub(super) fn report_by(&mut self, comment: i64, reporter: u8, (decisions, settled): (i32, i8)) -> &mut Self {
        self.reports.push(ReportRow { comment, reporter, decisions, settled });
        // Root 11 has its first decision in between.
        let at = if decisions == 0 { 1 } else { 6 };
        self.op(at, ReviewCall::Report { comment, reporter }, Outcome::Reviewed(ReviewResponse::Reported(true)))
    }

    /// Adds the hiding of root 11 by a moderator: decision 2, at revision 4.
    pub(super) fn hide(&mut self, at: u64, moderator: u32) -> &mut Self {
        let decision = sample_decision(11, 2, ModeratorAct::Hide, state::ACTIVE, state::HIDDEN);
        self.judge(at, moderator, (11, "11.2"), SeenDecision { moderator, ..decision }, 4)
    }

    /// Adds the verdict of moderator 1 that shows root 11 again: decision 3, at revision 6.
    pub(super) fn unhide(&mut self, at: u64) -> &mut Self {
        let decision = sample_decision(11, 3, ModeratorAct::Unhide, state::HIDDEN, state::ACTIVE);
        self.judge(at, 1, (11, "11.3"), decision, 6)
    }

    /// Adds an appeal of the author against a decision on a hidden comment, as decision `number`.
    pub(super) fn appeal(&mut self, at: u64, (id, contested): (i64, i32), number: i32) -> &mut Self {
        let (from, to) = (state::HIDDEN, state::HIDDEN);
        let appeal = DecisionRow {
            comment: id,
            number,
            act: APPEAL,
            proposal: 0,
            from,
            to,
            revision: 0,
            actor: AUTHOR,
            contested,
        };
        self.decisions.push(appeal);
        self.review(id, |row| (row.is_open, row.questions, row.decisions) = (1, 4, number));
        let call = ReviewCall::Appeal { comment: id, number: contested, member: AUTHOR };
        self.op(at, call, Outcome::Reviewed(ReviewResponse::Appealed))
    }

    /// Adds the decision of a moderator that leaves root 11 hidden and settles an appeal.
    pub(super) fn uphold(&mut self, at: u64, moderator: u32, (number, contested): (i32, i32)) -> &mut Self {
        let decision = sample_decision(11, number, ModeratorAct::Keep, state::HIDDEN, state::HIDDEN);
        let etag = format!("11.{number}");
        self.judge(at, moderator, (11, &etag), SeenDecision { moderator, ..decision }, 0);
        self.decision(|row| row.contested = contested)
    }

    /// Changes the row of the last decision.
    pub(super) fn decision(&mut self, change: impl FnOnce(&mut DecisionRow)) -> &mut Self {
        change(self.decisions.last_mut().unwrap());
        self
    }

    /// Changes the row of a proposed edit.
    pub(super) fn proposal(&mut self, id: i64, number: i32, change: impl FnOnce(&mut ProposalRow)) -> &mut Self {
        change(self.proposals.iter_mut().find(|row| (row.comment, row.number) == (id, number)).unwrap());
        self
    }

    /// Adds a read by a moderator.
    pub(super) fn read(&mut self, at: u64, id: i64, etag: &str, state: i8, decisions: i32) -> &mut Self {
        let open = state == state::PENDING;
        let item = ModeratedItem {
            id,
            text: id as u64,
            state,
            etag: etag.into(),
            open,
            decisions,
            due: 0,
            proposal: None,
            proposal_etag: "".into(),
        };
        let call = ReviewCall::Moderated { comments: [id].into() };
        self.op(at, call, Outcome::Reviewed(ReviewResponse::Moderated([item].into())))
    }

    /// Adds a verdict with a decision, and the rows that it makes.
    pub(super) fn judge(
        &mut self,
        at: u64,
        moderator: u32,
        target: (i64, &str),
        decision: SeenDecision,
        revision: i64,
    ) -> &mut Self {
        let SeenDecision { comment, number, act, from, to, .. } = decision;
        self.decisions.push(DecisionRow {
            comment,
            number,
            act,
            proposal: 0,
            from,
            to,
            revision,
            actor: moderator,
            contested: 0,
        });
        self.row(comment, |row| row.state = to);
        self.review(comment, |row| {
            (row.decisions, row.never_public) = (number, i8::from(row.never_public != 0 && to != state::ACTIVE));
            (row.is_open, row.questions) = [(0, 0), (1, 1)][usize::from(to == state::PENDING)];
        });
        let outcome = JudgedTarget {
            comment,
            decision: Some(decision),
            reason: "".into(),
            etag: "next".into(),
            winner: 0,
            revision,
        };
        self.judged(at, (moderator, ModeratorAct::of(act).unwrap()), target, outcome)
    }

    /// Adds a verdict with any outcome of its target.
    pub(super) fn judged(
        &mut self,
        at: u64,
        (moderator, act): (u32, ModeratorAct),
        (id, etag): (i64, &str),
        outcome: JudgedTarget,
    ) -> &mut Self {
        let (targets, lease) = ([(id, etag.into())].into(), "".into());
        let call = ReviewCall::Judge { moderator, act, targets, lease };
        self.op(at, call, Outcome::Reviewed(ReviewResponse::Judged([outcome].into())))
    }

    /// Adds a verdict that is refused for its target.
    pub(super) fn refused(&mut self, at: u64, act: ModeratorAct, target: (i64, &str), reason: &str) -> &mut Self {
        let (comment, reason) = (target.0, reason.into());
        let outcome = JudgedTarget { comment, decision: None, reason, etag: "other".into(), winner: 0, revision: 0 };
        self.judged(at, (1, act), target, outcome)
    }

    /// Adds a public read that shows a comment.
    pub(super) fn shown(
        &mut self,
        at: u64,
        (read, viewer): (PublicRead, Option<u32>),
        id: i64,
        state: i8,
    ) -> &mut Self {
        let comments = [SeenComment { id, text: id as u64, state }].into();
        let response = ReviewResponse::Seen { comments, proposals: [].into(), counts: None, has_secret: false };
        self.op(at, ReviewCall::Public { read, viewer, fresh: true }, Outcome::Reviewed(response))
    }

    /// Adds the last read of the queue.
    pub(super) fn queue(&mut self, at: u64, ids: &[i64]) -> &mut Self {
        let item = |id: &i64| ModeratedItem {
            id: *id,
            text: *id as u64,
            state: state::PENDING,
            etag: format!("{id}.1").into(),
            open: true,
            decisions: 0,
            due: *id,
            proposal: None,
            proposal_etag: "".into(),
        };
        let response = ReviewResponse::Moderated(ids.iter().map(item).collect());
        self.op(at, ReviewCall::Queue { leased: true }, Outcome::Reviewed(response))
            .change_last(|op| op.client = LAST_READS)
    }

    /// Changes the row of a comment.
    pub(super) fn row(&mut self, id: i64, change: impl FnOnce(&mut CommentRow)) -> &mut Self {
        change(self.comments.iter_mut().find(|row| row.id == id).unwrap());
        self
    }

    /// Changes the review of a comment.
    pub(super) fn review(&mut self, id: i64, change: impl FnOnce(&mut ReviewRow)) -> &mut Self {
        change(self.reviews.iter_mut().find(|row| row.comment == id).unwrap());
        self
    }

    /// Removes the row of the last decision.
    pub(super) fn lose_decision(&mut self) -> &mut Self {
        self.decisions.pop();
        self
    }

    /// Removes the row of the last report.
    pub(super) fn lose_report(&mut self) -> &mut Self {
        self.reports.pop();
        self
    }

    /// Changes the history.
    pub(super) fn change(&mut self, change: impl FnOnce(&mut History)) -> &mut Self {
        change(&mut self.history);
        self
    }

    fn anomalies(&self) -> Vec<(&'static str, String)> {
        let subject =
            SubjectRow { id: 1, part: 0, subject: REVIEWED, next_floor: 9, roots: 1, comments: 1, revision: 9 };
        let content = |row: &CommentRow| {
            let approved = self.texts.iter().rfind(|(comment, _)| *comment == row.id).map(|(_, text)| *text);
            let text = approved.unwrap_or(row.id as u64);
            ContentRow { comment: row.id, part: 0, text_subject: REVIEWED, text }
        };
        let table = |rows| Table { source: 0, number: 0, rows };
        let (ops, cache) = (self.history.ops.clone(), self.history.cache.clone());
        let tables = vec![
            table(Rows::Subjects(vec![subject])),
            table(Rows::Comments(self.comments.clone())),
            table(Rows::Contents(self.comments.iter().map(content).collect())),
            table(Rows::Reviews(self.reviews.clone())),
            table(Rows::Decisions(self.decisions.clone())),
            table(Rows::Proposals(self.proposals.clone())),
            table(Rows::Reports(self.reports.clone())),
        ];
        let history = History { ops, cache, tables, ..History::default() };
        let stored = tables::check(&history, &mut Findings::default());
        let mut findings = Findings::default();
        super::check(&history, &stored, &mut findings);
        findings.anomalies.into_iter().map(|anomaly| (anomaly.rule, anomaly.description)).collect()
    }

    /// Fails if an anomaly is found.
    pub(super) fn finds_nothing(&self) {
        assert_eq!(self.anomalies(), []);
    }

    /// Fails unless this rule finds an anomaly whose description contains this text.
    pub(super) fn finds(&self, rule: &str, text: &str) {
        let all = self.anomalies();
        let is_found = all.iter().any(|(found, description)| *found == rule && description.contains(text));
        assert!(is_found, "{rule}: {text:?} is not in {all:#?}");
    }
}
