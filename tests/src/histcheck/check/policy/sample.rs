//! A small history of comments that the policy judges. A call of second `n` begins then and lasts
//! half a second. The id of a comment is the number of its text, which is that of its operation.

use super::super::Findings;
use super::super::tables::StoredRows;
use crate::histcheck::history::{
    Call, CommentRow, ContentRow, FilterQuestion, FilterResult, History, InjectedFault, Op, Outcome, PolicyCall,
    PolicyResponse, ProposalRow, ReviewRow, Rows, SetStanding, StandingEnd, Table, WrittenComment,
};
use crate::histcheck::names::{FILTERED, FILTERED_MEMBERS, JUDGED};

/// A history under construction.
#[derive(Clone, Default)]
pub(super) struct PolicySample(Vec<Op>, Vec<Table>, Vec<FilterQuestion>, Vec<InjectedFault>);

impl PolicySample {
    fn op(&mut self, at: u64, call: PolicyCall, outcome: Outcome) -> &mut Self {
        self.op_of(at, JUDGED, call, outcome)
    }

    fn op_of(&mut self, at: u64, subject: u32, call: PolicyCall, outcome: Outcome) -> &mut Self {
        let request = if call.writes() { (1, self.0.len() as u64 + 1) } else { (0, 0) };
        let (begun, ended) = (at * 1_000_000_000, at * 1_000_000_000 + 500_000_000);
        let call = Call::Policy { subject, call };
        self.0.push(Op { client: 1, server: 0, begun, ended, request, call, outcome });
        self
    }

    /// Puts a version of the list in place.
    pub(super) fn list(&mut self, at: u64, version: u32) -> &mut Self {
        self.op(at, PolicyCall::SetList { version }, Outcome::Policy(PolicyResponse::Set))
    }

    /// Sets a standing.
    pub(super) fn standing(&mut self, at: u64, member: u32, standing: SetStanding) -> &mut Self {
        let call = PolicyCall::SetStanding { member, standing, end: None };
        self.op(at, call, Outcome::Policy(PolicyResponse::Set))
    }

    /// Sets a standing that ends at a time.
    pub(super) fn standing_until(&mut self, at: u64, member: u32, standing: SetStanding, end: u64) -> &mut Self {
        let end = Some(StandingEnd { at: end * 1_000_000_000, unix_ms: 0 });
        self.op(at, PolicyCall::SetStanding { member, standing, end }, Outcome::Policy(PolicyResponse::Set))
    }

    /// Steps the clock of a server for some seconds.
    pub(super) fn step_clock(&mut self, (begun, ended): (u64, u64), step: i64) -> &mut Self {
        let (begun, ended) = (begun * 1_000_000_000, ended * 1_000_000_000);
        let (kind, target) = ("step clock".into(), format!("server 0: {step:+} s"));
        self.3.push(InjectedFault { kind, target, begun, ended });
        self
    }

    /// Lets the filter answer, or not any more.
    pub(super) fn filter(&mut self, at: u64, responds: bool) -> &mut Self {
        self.op(at, PolicyCall::SetFilter { responds }, Outcome::Policy(PolicyResponse::Set))
    }

    /// Returns the response to the create of the next operation.
    fn response(&self, state: i8, word: u8) -> Outcome {
        let number = self.0.len() as i64 + 1;
        Outcome::Policy(PolicyResponse::Written(WrittenComment { id: number, state, word, revision: number }))
    }

    fn create(&mut self, at: u64, subject: u32, (result, is_listed): (FilterResult, bool), outcome: Outcome) {
        let (member, text) = (FILTERED_MEMBERS + 3, self.0.len() as u64 + 1);
        self.op_of(at, subject, PolicyCall::CreateFiltered { member, text, result, is_listed }, outcome);
    }

    /// Adds an acknowledged create of a text that the filter judges.
    pub(super) fn filtered(&mut self, at: u64, subject: u32, result: FilterResult, state: i8) -> &mut Self {
        self.create(at, subject, (result, false), self.response(state, u8::MAX));
        self
    }

    /// Adds a refused create of a text that the filter judges.
    pub(super) fn filtered_refused(&mut self, at: u64, subject: u32, reason: &str) -> &mut Self {
        self.create(at, subject, (FilterResult::Allow, false), Outcome::Unknown(reason.into()));
        self
    }

    /// Adds an acknowledged create of a text that a list holds and the filter judges.
    pub(super) fn listed(&mut self, at: u64, result: FilterResult, state: i8) -> &mut Self {
        self.create(at, FILTERED, (result, true), self.response(state, u8::MAX));
        self
    }

    /// Adds an acknowledged edit of the first comment.
    pub(super) fn edited(&mut self, at: u64, result: FilterResult, proposal: i8) -> &mut Self {
        let text = self.0.len() as u64 + 1;
        let call = PolicyCall::EditFiltered { comment: 1, member: FILTERED_MEMBERS + 3, text, result };
        self.op_of(at, FILTERED, call, Outcome::Policy(PolicyResponse::Edited { proposal }))
    }

    /// Adds a verdict on the first comment, under a lease until the second 35.
    pub(super) fn judged(&mut self, at: u64, approves: bool, refused: Option<&str>) -> &mut Self {
        let call = PolicyCall::JudgeHeld { comment: 1, approves, lease_until: 35_000_000_000 };
        let outcome = refused.map_or(Outcome::Policy(PolicyResponse::Set), |reason| Outcome::Refused(reason.into()));
        self.op_of(at, FILTERED, call, outcome)
    }

    /// Adds an acknowledged create of a new member.
    pub(super) fn new_member(&mut self, at: u64, subject: u32, state: i8) -> &mut Self {
        let text = self.0.len() as u64 + 1;
        self.op_of(at, subject, PolicyCall::CreateNew { member: 7, text }, self.response(state, u8::MAX))
    }

    /// Adds a question to the filter about the comment of an operation.
    pub(super) fn questioned(&mut self, comment: i64, token: &str, other: &str) -> &mut Self {
        self.2.push(FilterQuestion { comment, token: token.into(), others: Box::new([other.into()]) });
        self
    }

    /// Adds the row of a proposed edit of the first comment.
    pub(super) fn proposed(&mut self, state: Option<i8>) -> &mut Self {
        let rows = state.map(|state| ProposalRow { comment: 1, number: 1, text: 2, state }).into_iter().collect();
        self.1.push(Table { source: 0, number: 0, rows: Rows::Proposals(rows) });
        self
    }

    /// Adds the rows of the comment of the first operation.
    pub(super) fn ends(&mut self, state: i8, text: u64, is_open: bool) -> &mut Self {
        let comment = CommentRow {
            id: 1,
            part: 0,
            subject_id: 1,
            root: 0,
            parent: 0,
            floor: 1,
            next_floor: 1,
            member: 1,
            state,
            listed: 1,
            likes: 0,
            dislikes: 0,
            replies: 0,
            revision: 1,
        };
        let is_open = i8::from(is_open);
        let review =
            ReviewRow { comment: 1, never_public: 0, is_open, questions: is_open, decisions: 0, proposal: 0, due: 0 };
        let content = ContentRow { comment: 1, part: 0, text_subject: FILTERED, text };
        let rows = [Rows::Comments(vec![comment]), Rows::Contents(vec![content]), Rows::Reviews(vec![review])];
        for rows in rows {
            self.1.push(Table { source: 0, number: 0, rows });
        }
        self
    }

    /// Adds an acknowledged create.
    pub(super) fn written(&mut self, at: u64, member: u32, word: u8, state: i8) -> &mut Self {
        self.shown(at, member, (word, word), state)
    }

    /// Adds an acknowledged create whose response shows another word.
    pub(super) fn shown(&mut self, at: u64, member: u32, (word, shown): (u8, u8), state: i8) -> &mut Self {
        let (text, outcome) = (self.0.len() as u64 + 1, self.response(state, shown));
        self.op(at, PolicyCall::Create { member, text, word }, outcome)
    }

    /// Adds a refused create.
    pub(super) fn refused(&mut self, at: u64, member: u32, word: u8, reason: &str) -> &mut Self {
        let text = self.0.len() as u64 + 1;
        self.op(at, PolicyCall::Create { member, text, word }, Outcome::Refused(reason.into()))
    }

    /// Repeats the first operation, with a response in this state.
    pub(super) fn repeat(&mut self, at: u64, state: i8) -> &mut Self {
        let Outcome::Policy(PolicyResponse::Written(first)) = self.0[0].outcome else { return self };
        self.repeat_with(at, Outcome::Policy(PolicyResponse::Written(WrittenComment { state, ..first })))
    }

    /// Repeats the first operation, which is refused.
    pub(super) fn repeat_refused(&mut self, at: u64, reason: &str) -> &mut Self {
        self.repeat_with(at, Outcome::Refused(reason.into()))
    }

    fn repeat_with(&mut self, at: u64, outcome: Outcome) -> &mut Self {
        let first = self.0[0].clone();
        let (begun, ended) = (at * 1_000_000_000, at * 1_000_000_000 + 500_000_000);
        self.0.push(Op { begun, ended, outcome, ..first });
        self
    }

    /// Reads the comment of the first operation; without a state it is not found.
    pub(super) fn read(&mut self, at: u64, by_author: bool, state: Option<i8>) -> &mut Self {
        let outcome = match state {
            Some(state) => {
                let word = self.first_word();
                Outcome::Policy(PolicyResponse::Seen { text: 1, word, state })
            }
            None => Outcome::Refused("COMMENT_NOT_FOUND".into()),
        };
        self.op(at, PolicyCall::Get { comment: 1, author: 1, by_author }, outcome)
    }

    /// Returns the word of the first operation.
    fn first_word(&self) -> u8 {
        let Call::Policy { call: PolicyCall::Create { word, .. }, .. } = self.0[0].call else { return u8::MAX };
        word
    }

    fn anomalies(&self) -> Vec<(&'static str, String)> {
        let Self(ops, tables, questions, faults) = self.clone();
        let history = History { ops, tables, questions, faults, ..History::default() };
        let mut findings = Findings::default();
        let stored = StoredRows::of(&history, &mut Findings::default());
        let stored = Some(&stored).filter(|_| !self.1.is_empty());
        super::check(&history, stored, &mut findings);
        super::filtered::check(&history, stored, &mut findings);
        findings.anomalies.into_iter().map(|anomaly| (anomaly.rule, anomaly.description)).collect()
    }

    pub(super) fn finds_nothing(&self) {
        assert_eq!(self.anomalies(), []);
    }

    pub(super) fn finds(&self, rule: &str, text: &str) {
        let found = self.anomalies();
        assert!(found.iter().any(|(of, description)| *of == rule && description.contains(text)), "{found:?}");
    }
}
