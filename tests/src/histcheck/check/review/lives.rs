//! The lives of all comments that wait, or waited.
//!
//! The writes of authors have revisions in their responses, and decisions have theirs in the rows.
//! So the states of a comment follow from both, whichever call was acknowledged.

use std::collections::BTreeMap;

use super::super::int_map::IntMap;
use super::super::tables::StoredRows;
use super::life::{Change, CommentLife, Event, NEVER, Point, sort};
use super::review_call;
use crate::histcheck::history::{
    APPEAL, CacheEntry, DecisionRow, History, Nanos, Op, Outcome, ProposalRow, ReportRow, RequestId, ReviewCall,
    ReviewResponse, ReviewRow, Rows, state,
};
use crate::histcheck::names;

/// All comments that wait, or waited.
#[derive(Debug)]
pub(super) struct Lives<'h> {
    pub(super) ops: &'h [Op],
    /// The operations about these comments, by their indexes, in the order in which they began.
    pub(super) numbers: Vec<u32>,
    pub(super) requests: BTreeMap<RequestId, ReviewRequest>,
    pub(super) comments: IntMap<i64, CommentLife>,
    /// The rows of decisions, by comment and number.
    pub(super) decisions: BTreeMap<(i64, i32), DecisionRow>,
    pub(super) reviews: IntMap<i64, ReviewRow>,
    /// The times of decisions: when each was first requested and first known.
    pub(super) decided: BTreeMap<(i64, i32), (Nanos, Nanos)>,
    /// The rows of proposed edits, by comment and number.
    pub(super) proposals: BTreeMap<(i64, i32), ProposalRow>,
    /// The rows of reports, by comment.
    pub(super) reports: IntMap<i64, Vec<ReportRow>>,
    pub(super) stored: &'h StoredRows<'h>,
    pub(super) cache: &'h [CacheEntry],
    /// The comments to which texts were written.
    pub(super) written: IntMap<u64, i64>,
}

/// All attempts of a write under one request id.
#[derive(Debug)]
pub(super) struct ReviewRequest {
    /// The attempts, in the order in which they began.
    pub(super) attempts: Vec<u32>,
    /// The attempt that was acknowledged first, if one was.
    pub(super) acknowledged: Option<u32>,
    /// True if an attempt without an response may have been executed.
    pub(super) unknown: bool,
}

impl<'h> Lives<'h> {
    pub(super) fn of(history: &'h History, stored: &'h StoredRows<'h>) -> Self {
        let mut numbers: Vec<u32> = (0..history.ops.len() as u32).collect();
        numbers.retain(|number| review_call(&history.ops[*number as usize]).is_some());
        numbers.sort_by_key(|number| history.ops[*number as usize].begun);
        let mut lives = Self {
            ops: &history.ops,
            numbers,
            requests: BTreeMap::new(),
            comments: IntMap::default(),
            decisions: BTreeMap::new(),
            reviews: IntMap::default(),
            decided: BTreeMap::new(),
            proposals: BTreeMap::new(),
            reports: IntMap::default(),
            stored,
            cache: &history.cache,
            written: IntMap::default(),
        };
        // The policy judges comments of another type, which have rules of their own.
        let is_judged = |comment: i64| {
            let row = stored.comments.get(&comment).and_then(|row| stored.subjects.get(&row.subject_id));
            row.is_some_and(|subject| names::is_judged(subject.subject))
        };
        for table in &history.tables {
            match &table.rows {
                Rows::Reviews(rows) => {
                    let rows = rows.iter().filter(|row| !is_judged(row.comment));
                    lives.reviews.extend(rows.map(|row| (row.comment, *row)));
                }
                Rows::Decisions(rows) => {
                    let rows = rows.iter().filter(|row| !is_judged(row.comment));
                    lives.decisions.extend(rows.map(|row| ((row.comment, row.number), *row)));
                }
                Rows::Proposals(rows) => {
                    let rows = rows.iter().filter(|row| !is_judged(row.comment));
                    lives.proposals.extend(rows.map(|row| ((row.comment, row.number), *row)));
                }
                Rows::Reports(rows) => {
                    rows.iter().for_each(|row| lives.reports.entry(row.comment).or_default().push(*row));
                }
                Rows::Subjects(_) | Rows::Comments(_) | Rows::Contents(_) | Rows::Likes(_) => {}
            }
        }
        lives.group_attempts();
        lives.add_comments();
        lives.add_changes();
        lives
    }

    /// Returns an operation by its index in the history.
    pub(super) fn op(&self, number: u32) -> &'h Op {
        &self.ops[number as usize]
    }

    /// Returns the operations with an response, in the order in which they began.
    pub(super) fn responses(&self) -> impl Iterator<Item = (u32, &'h ReviewCall, &'h ReviewResponse)> + '_ {
        self.numbers.iter().filter_map(|number| {
            let op = self.op(*number);
            let (Some(call), Outcome::Reviewed(response)) = (review_call(op), &op.outcome) else { return None };
            Some((*number, call, response))
        })
    }

    /// Returns true if a comment certainly did not change during a call.
    pub(super) fn is_unchanged(&self, id: i64, op: &Op) -> bool {
        let life = self.comments.get(&id);
        life.is_some_and(|life| !life.uncertain && life.points_within(op.begun, op.ended).count() == 1)
    }

    /// Returns the decisions about the text of a comment, the first ones first.
    pub(super) fn decisions_on(&self, id: i64) -> impl DoubleEndedIterator<Item = &DecisionRow> {
        self.decisions.range((id, i32::MIN)..=(id, i32::MAX)).map(|(_, row)| row).filter(|row| row.proposal == 0)
    }

    /// Returns the decision that an appeal contests, if this decision is an appeal.
    pub(super) fn contested_by(&self, id: i64, number: i32) -> Option<&DecisionRow> {
        let appeal = self.decisions.get(&(id, number)).filter(|row| row.act == APPEAL)?;
        self.decisions.get(&(id, appeal.contested))
    }

    /// Returns true if an appeal may have waited on a comment at some time of a call.
    pub(super) fn may_be_appealed(&self, id: i64, op: &Op) -> bool {
        let time = |row: &DecisionRow| self.decided.get(&(id, row.number)).copied().unwrap_or((0, NEVER));
        let later = self.decisions_on(id).skip(1).map(|next| time(next).1).chain([NEVER]);
        self.decisions_on(id)
            .zip(later)
            .any(|(row, settled)| row.act == APPEAL && time(row).0 < op.ended && settled > op.begun)
    }

    /// Returns the row of the newest proposed edit of a comment.
    pub(super) fn newest_proposal(&self, id: i64) -> Option<&ProposalRow> {
        self.proposals.range((id, i32::MIN)..=(id, i32::MAX)).next_back().map(|(_, row)| row)
    }

    fn group_attempts(&mut self) {
        for number in &self.numbers {
            let op = &self.ops[*number as usize];
            if op.request == (0, 0) {
                continue;
            }
            let new = || ReviewRequest { attempts: Vec::new(), acknowledged: None, unknown: false };
            let request = self.requests.entry(op.request).or_insert_with(new);
            request.attempts.push(*number);
            request.unknown |= matches!(op.outcome, Outcome::Unknown(_));
            let is_earlier = |first: u32| op.ended < self.ops[first as usize].ended;
            if op.outcome.has_result() && request.acknowledged.is_none_or(is_earlier) {
                request.acknowledged = Some(*number);
            }
        }
    }

    fn add_comments(&mut self) {
        let mut by_text: IntMap<u64, i64> = IntMap::default();
        by_text.extend(self.stored.contents.values().map(|row| (row.text, row.comment)));
        for request in self.requests.values() {
            let first = &self.ops[request.attempts[0] as usize];
            let Some(ReviewCall::Create { member, text, .. }) = review_call(first) else { continue };
            let response = request.acknowledged.map(|number| (number, &self.ops[number as usize]));
            let life = if let Some((number, op)) = response
                && let Outcome::Reviewed(ReviewResponse::Written { comment, revision, .. }) = &op.outcome
            {
                let created = Point {
                    revision: *revision,
                    begun: first.begun,
                    known: op.ended,
                    state: state::PENDING,
                    before_deletion: state::PENDING,
                    deleted_by_moderator: false,
                    text: *text,
                    op: number,
                };
                CommentLife::from(created, comment.id, *member)
            } else if let Some(id) = by_text.get(text) {
                CommentLife::new(*id, *member, request.attempts[0])
            } else {
                continue;
            };
            self.written.insert(*text, life.id);
            self.comments.insert(life.id, life);
        }
    }

    fn add_changes(&mut self) {
        let mut events: BTreeMap<i64, Vec<Event>> = BTreeMap::new();
        let proposed = self.proposals.values().map(|row| ((row.comment, row.text), row.number));
        let proposed: BTreeMap<(i64, u64), i32> = proposed.collect();
        for request in self.requests.values() {
            let first = &self.ops[request.attempts[0] as usize];
            let (id, change) = match review_call(first) {
                Some(ReviewCall::Edit { comment, text, .. }) => {
                    self.written.insert(*text, *comment);
                    (*comment, Change::Edited(*text, proposed.get(&(*comment, *text)).copied()))
                }
                Some(ReviewCall::Delete { comment, .. }) => (*comment, Change::Deleted),
                Some(ReviewCall::Undelete { comment, .. }) => (*comment, Change::Undeleted),
                _other => continue,
            };
            let response = request.acknowledged.map(|number| (number, &self.ops[number as usize]));
            if let Some((number, op)) = response
                && let Outcome::Reviewed(ReviewResponse::Written { revision, .. }) = &op.outcome
            {
                let (revision, begun, known) = (*revision, first.begun, op.ended);
                events.entry(id).or_default().push(Event { revision, begun, known, op: number, change });
            } else if request.unknown
                && let Some(life) = self.comments.get_mut(&id)
            {
                life.uncertain = true;
            }
        }
        let judgements = self.judgements();
        for row in self.decisions.values() {
            let Some((begun, known, op)) = judgements.times(row) else {
                if let Some(life) = self.comments.get_mut(&row.comment) {
                    life.violations.push((format!("a decision without a request: {row:?}"), life.created));
                }
                continue;
            };
            self.decided.insert((row.comment, row.number), (begun, known));
            let (revision, change) = (row.revision, Change::Decided(*row));
            events.entry(row.comment).or_default().push(Event { revision, begun, known, op, change });
        }
        for (id, mut events) in events {
            sort(&mut events);
            if let Some(life) = self.comments.get_mut(&id) {
                events.iter().for_each(|event| life.apply(event));
            }
        }
    }

    fn judgements(&self) -> JudgementTimes {
        let mut times = JudgementTimes::default();
        for request in self.requests.values() {
            let first = &self.ops[request.attempts[0] as usize];
            if let Some(ReviewCall::Appeal { comment, number, member }) = review_call(first) {
                let known = request.acknowledged.map_or(NEVER, |number| self.op(number).ended);
                let appeal = times.appeals.entry((*comment, *number, *member)).or_insert((
                    first.begun,
                    known,
                    request.attempts[0],
                ));
                (appeal.0, appeal.1) = (appeal.0.min(first.begun), appeal.1.min(known));
            }
            let Some(ReviewCall::Judge { moderator, act, targets, .. }) = review_call(first) else { continue };
            for (id, _) in targets {
                let key = (*id, *moderator, *act as i32);
                times.sent.entry(key).or_insert((first.begun, request.attempts[0]));
                for number in &request.attempts {
                    let op = &self.ops[*number as usize];
                    let Outcome::Reviewed(ReviewResponse::Judged(outcomes)) = &op.outcome else { continue };
                    let taken = outcomes.iter().filter(|outcome| outcome.comment == *id);
                    for decision in taken.filter_map(|outcome| outcome.decision) {
                        let known =
                            times.taken.entry((*id, decision.number)).or_insert((first.begun, op.ended, *number));
                        known.1 = known.1.min(op.ended);
                    }
                }
            }
        }
        // The first request of a moderator on a comment is the earliest that may have decided.
        times
    }
}

/// The times of verdicts and appeals.
#[derive(Debug, Default)]
struct JudgementTimes {
    /// The first verdict of each moderator and act on a comment: when it was sent, and its
    /// operation.
    sent: BTreeMap<(i64, u32, i32), (Nanos, u32)>,
    /// The decisions in responses: when they were requested and known, and the operation.
    taken: BTreeMap<(i64, i32), (Nanos, Nanos, u32)>,
    /// The same of appeals, by comment, contested decision and member.
    appeals: BTreeMap<(i64, i32, u32), (Nanos, Nanos, u32)>,
}

impl JudgementTimes {
    fn times(&self, row: &DecisionRow) -> Option<(Nanos, Nanos, u32)> {
        if row.act == APPEAL {
            return self.appeals.get(&(row.comment, row.contested, row.actor)).copied();
        }
        let (sent, op) = self.sent.get(&(row.comment, row.actor, row.act))?;
        Some(self.taken.get(&(row.comment, row.number)).copied().unwrap_or((*sent, NEVER, *op)))
    }
}
