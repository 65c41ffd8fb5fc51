//! The life of each comment that waits: its states and texts in the order of revisions.
//!
//! The writes of authors have revisions in their responses, and decisions have theirs in the rows.
//! So the states of a comment follow from both, whichever call was acknowledged.

use std::collections::BTreeMap;

use super::super::int_map::IntMap;
use super::super::tables::StoredRows;
use super::review_call;
use crate::histcheck::history::{
    CacheEntry, DecisionRow, History, ModeratorAct, Nanos, Op, Outcome, RequestId, ReviewCall, ReviewResponse,
    ReviewRow, Rows, state,
};

/// A time that never comes.
pub(super) const NEVER: Nanos = Nanos::MAX;

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

/// The life of a comment.
#[derive(Debug)]
pub(super) struct CommentLife {
    pub(super) id: i64,
    pub(super) author: u32,
    /// The operation that created it.
    pub(super) created: u32,
    /// Its states, in the order of revisions.
    pub(super) points: Vec<Point>,
    /// True if a write without an response may have changed it, so that the states are not certain.
    pub(super) uncertain: bool,
    /// Violations of the table of acts, each with its operation.
    pub(super) violations: Vec<(String, u32)>,
}

/// The state of a comment from a revision on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Point {
    pub(super) revision: i64,
    /// The time at which the first attempt of the change was sent.
    pub(super) begun: Nanos,
    /// The time of the first response that shows the change; [`NEVER`] without one.
    pub(super) known: Nanos,
    pub(super) state: i8,
    /// The state to which a deleted comment returns.
    pub(super) before_deletion: i8,
    /// True if a moderator deleted it.
    pub(super) deleted_by_moderator: bool,
    pub(super) text: u64,
    /// The operation of the change.
    pub(super) op: u32,
}

/// A change of a comment.
#[derive(Debug, Clone, Copy)]
enum Change {
    Edited(u64),
    Deleted,
    Undeleted,
    Decided(DecisionRow),
}

/// A change with its revision and its times.
type Event = (i64, Nanos, Nanos, u32, Change);

/// Returns the state that an act reaches from another one; `None` if it conflicts with that state.
/// No question but that of a PENDING text is open in this load, so nothing can be kept.
pub(super) fn reaches(act: ModeratorAct, from: i8) -> Option<i8> {
    match (act, from) {
        (ModeratorAct::Approve, state::PENDING | state::REJECTED | state::ACTIVE)
        | (ModeratorAct::Unhide, state::HIDDEN) => Some(state::ACTIVE),
        (ModeratorAct::Reject, state::ACTIVE | state::PENDING) => Some(state::REJECTED),
        (ModeratorAct::Hide, state::ACTIVE) => Some(state::HIDDEN),
        (ModeratorAct::Withhold, state::ACTIVE) => Some(state::PENDING),
        (ModeratorAct::Delete, state::ACTIVE | state::PENDING | state::REJECTED | state::HIDDEN) => {
            Some(state::DELETED)
        }
        _conflict => None,
    }
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
            stored,
            cache: &history.cache,
            written: IntMap::default(),
        };
        for table in &history.tables {
            if let Rows::Reviews(rows) = &table.rows {
                lives.reviews.extend(rows.iter().map(|row| (row.comment, *row)));
            }
            if let Rows::Decisions(rows) = &table.rows {
                lives.decisions.extend(rows.iter().map(|row| ((row.comment, row.number), *row)));
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
                && let Outcome::Reviewed(ReviewResponse::Written { comment, revision }) = &op.outcome
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
                CommentLife { points: vec![created], uncertain: false, ..CommentLife::new(comment.id, *member, number) }
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
        for request in self.requests.values() {
            let first = &self.ops[request.attempts[0] as usize];
            let (id, change) = match review_call(first) {
                Some(ReviewCall::Edit { comment, text, .. }) => {
                    self.written.insert(*text, *comment);
                    (*comment, Change::Edited(*text))
                }
                Some(ReviewCall::Delete { comment, .. }) => (*comment, Change::Deleted),
                Some(ReviewCall::Undelete { comment, .. }) => (*comment, Change::Undeleted),
                _other => continue,
            };
            let response = request.acknowledged.map(|number| (number, &self.ops[number as usize]));
            if let Some((number, op)) = response
                && let Outcome::Reviewed(ReviewResponse::Written { revision, .. }) = &op.outcome
            {
                events.entry(id).or_default().push((*revision, first.begun, op.ended, number, change));
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
            events.entry(row.comment).or_default().push((row.revision, begun, known, op, Change::Decided(*row)));
        }
        for (id, mut events) in events {
            // Changes of one batch have one revision. A verdict names the version before it, so
            // none follows a write of the author in the same batch.
            events.sort_by_key(|(revision, .., change)| (*revision, change.number()));
            if let Some(life) = self.comments.get_mut(&id) {
                events.into_iter().for_each(|event| life.apply(event));
            }
        }
    }

    fn judgements(&self) -> JudgementTimes {
        let mut times = JudgementTimes::default();
        for request in self.requests.values() {
            let first = &self.ops[request.attempts[0] as usize];
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

/// The times of verdicts.
#[derive(Debug, Default)]
struct JudgementTimes {
    /// The first verdict of each moderator and act on a comment: when it was sent, and its
    /// operation.
    sent: BTreeMap<(i64, u32, i32), (Nanos, u32)>,
    /// The decisions in responses: when they were requested and known, and the operation.
    taken: BTreeMap<(i64, i32), (Nanos, Nanos, u32)>,
}

impl JudgementTimes {
    fn times(&self, row: &DecisionRow) -> Option<(Nanos, Nanos, u32)> {
        let (sent, op) = self.sent.get(&(row.comment, row.moderator, row.act))?;
        Some(self.taken.get(&(row.comment, row.number)).copied().unwrap_or((*sent, NEVER, *op)))
    }
}

impl Change {
    /// Returns the place among the changes of one batch.
    fn number(self) -> i32 {
        if let Self::Decided(row) = self { row.number } else { i32::MAX }
    }
}

impl CommentLife {
    /// Returns a comment whose create has no response.
    fn new(id: i64, author: u32, created: u32) -> Self {
        Self { id, author, created, points: Vec::new(), uncertain: true, violations: Vec::new() }
    }

    /// Applies the next change. A change that the table of acts does not allow is a violation.
    fn apply(&mut self, (revision, begun, known, op, change): Event) {
        // A decision that changes no state makes no revision.
        if let (Change::Decided(row), 0) = (change, revision) {
            if (row.act, row.from, row.to) != (ModeratorAct::Approve as i32, state::ACTIVE, state::ACTIVE) {
                self.violations.push((format!("a decision without a revision: {row:?}"), op));
            }
            return;
        }
        let Some(last) = self.points.last().copied() else { return };
        let next = Point { revision, begun, known, op, ..last };
        let point = match change {
            Change::Edited(text) => last.edited(text).map(|point| Point { text, ..point }),
            Change::Deleted => (last.state != state::DELETED).then_some(Point {
                state: state::DELETED,
                before_deletion: last.state,
                deleted_by_moderator: false,
                ..last
            }),
            Change::Undeleted => (last.state == state::DELETED && !last.deleted_by_moderator)
                .then_some(Point { state: last.before_deletion, ..last }),
            Change::Decided(row) => last.decided(&row),
        };
        match point {
            Some(point) => {
                let Point { state, before_deletion, deleted_by_moderator, text, .. } = point;
                self.points.push(Point { state, before_deletion, deleted_by_moderator, text, ..next });
            }
            None if self.uncertain => {}
            None => {
                let description = format!(
                    "{} is in state {} (deleted from {}) when this happens at revision {revision}: {change:?}",
                    self.id, last.state, last.before_deletion
                );
                self.violations.push((description, op));
                self.uncertain = true;
            }
        }
    }

    /// Returns the points at which it may have been at some time in an interval.
    pub(super) fn points_within(&self, begun: Nanos, ended: Nanos) -> impl Iterator<Item = &Point> {
        let certain = self.points.iter().rposition(|point| point.known < begun);
        let rest = self.points.get(certain.unwrap_or(0)..).unwrap_or_default();
        let (first, others) = rest.split_at(usize::from(certain.is_some()));
        first.iter().chain(others.iter().filter(move |point| point.begun < ended))
    }

    /// Returns true if it may have been in sight before this time.
    pub(super) fn may_have_been_public(&self, before: Nanos) -> bool {
        self.uncertain || self.points.iter().any(|point| point.state == state::ACTIVE && point.begun < before)
    }
}

impl Point {
    /// Returns the state after an edit by the author; a refused comment waits again.
    fn edited(self, _: u64) -> Option<Self> {
        match self.state {
            state::ACTIVE | state::PENDING => Some(self),
            state::REJECTED => Some(Self { state: state::PENDING, ..self }),
            _conflict => None,
        }
    }

    /// Returns the state after a decision.
    fn decided(self, row: &DecisionRow) -> Option<Self> {
        let act = ModeratorAct::of(row.act)?;
        if self.state != state::DELETED {
            let to = reaches(act, self.state)?;
            let (before_deletion, deleted_by_moderator) = (self.state, to == state::DELETED);
            return ((row.from, row.to) == (self.state, to)).then_some(Self {
                state: to,
                before_deletion,
                deleted_by_moderator,
                ..self
            });
        }
        let may_judge =
            matches!(act, ModeratorAct::Reject | ModeratorAct::Hide | ModeratorAct::Withhold | ModeratorAct::Delete);
        if self.deleted_by_moderator || !may_judge || row.from != self.before_deletion {
            return None;
        }
        let to = reaches(act, self.before_deletion)?;
        // A deletion changes the capacity that may restore the comment, and not the state to which
        // it returns.
        let (before_deletion, deleted_by_moderator) =
            if act == ModeratorAct::Delete { (self.before_deletion, true) } else { (to, false) };
        (row.to == to || row.to == before_deletion).then_some(Self { before_deletion, deleted_by_moderator, ..self })
    }
}
