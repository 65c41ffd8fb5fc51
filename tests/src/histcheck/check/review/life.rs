//! The life of one comment that waits, or waited: its states, its texts and its proposed edits in
//! the order of revisions.

use crate::histcheck::history::{APPEAL, DecisionRow, ModeratorAct, Nanos, proposal_state, state};

/// A time that never comes.
pub(super) const NEVER: Nanos = Nanos::MAX;

/// The life of a comment.
#[derive(Debug)]
pub(super) struct CommentLife {
    pub(super) id: i64,
    pub(super) author: u32,
    /// The operation that created it.
    pub(super) created: u32,
    /// Its states, in the order of revisions.
    pub(super) points: Vec<Point>,
    /// Its proposed edits, in the order of their numbers.
    pub(super) proposals: Vec<ProposalLife>,
    /// True if a write without a response may have changed it, so that the states are not certain.
    pub(super) uncertain: bool,
    /// Violations of the table of acts, each with its operation.
    pub(super) violations: Vec<(String, u32)>,
    /// The same of the treatment of edits.
    pub(super) edit_violations: Vec<(String, u32)>,
    /// The time at which each edit was first sent.
    edits: Vec<Nanos>,
    /// The approvals: the time at which each was known, and the number of edits before it.
    approvals: Vec<(Nanos, usize)>,
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

/// The life of a proposed edit.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProposalLife {
    pub(super) number: i32,
    pub(super) text: u64,
    /// The time at which its edit was first sent, and that of the first response to it.
    pub(super) begun: Nanos,
    pub(super) known: Nanos,
    /// The state to which the changes lead.
    pub(super) state: i8,
    /// The same times of the change that ended it; [`NEVER`] while it waits.
    pub(super) end_begun: Nanos,
    pub(super) end_known: Nanos,
    /// The operation of its edit.
    pub(super) op: u32,
}

/// A change of a comment.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    /// A text, and the number of the proposed edit that the rows have for it.
    Edited(u64, Option<i32>),
    Deleted,
    Undeleted,
    Decided(DecisionRow),
}

/// A change with its revision and its times.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event {
    pub(super) revision: i64,
    pub(super) begun: Nanos,
    pub(super) known: Nanos,
    pub(super) op: u32,
    pub(super) change: Change,
}

/// Returns the state that an act on a text reaches from another one; `None` if it conflicts with
/// that state. A comment in sight can be kept only while reports wait on it, so Keep may conflict.
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

/// Returns true for a decision that leaves the state as it is: one on a comment in sight, an
/// appeal, and one that upholds what an appeal contests.
fn leaves_as_is(row: &DecisionRow) -> bool {
    const APPROVE: i32 = ModeratorAct::Approve as i32;
    const KEEP: i32 = ModeratorAct::Keep as i32;
    let is_allowed = match row.from {
        state::ACTIVE => matches!(row.act, APPROVE | KEEP),
        state::REJECTED | state::HIDDEN => matches!(row.act, KEEP | APPEAL),
        _other => false,
    };
    is_allowed && row.from == row.to
}

/// Sorts the changes of a comment into their order. Changes of one batch have one revision.
pub(super) fn sort(events: &mut [Event]) {
    // A refusal of a proposed edit makes no revision. It follows the edit, and no other change can
    // be between them that ends the edit.
    let proposed: Vec<(i32, i64)> = events
        .iter()
        .filter_map(
            |event| if let Change::Edited(_, number) = event.change { Some((number?, event.revision)) } else { None },
        )
        .collect();
    for event in events.iter_mut() {
        if let (Change::Decided(row), 0) = (event.change, event.revision)
            && let Some((_, revision)) = proposed.iter().find(|(number, _)| *number == row.proposal)
        {
            event.revision = *revision;
        }
    }
    let leaving: Vec<(i64, i32)> = events.iter().filter_map(Event::leaves_sight).collect();
    events.sort_by_key(|event| {
        let leaving = leaving.iter().filter(|(revision, _)| *revision == event.revision).map(|(_, number)| *number);
        (event.revision, event.change.place(leaving.min()))
    });
}

impl Event {
    /// Returns the revision and the number of a decision that takes the comment out of sight.
    fn leaves_sight(&self) -> Option<(i64, i32)> {
        let Change::Decided(row) = self.change else { return None };
        (row.from == state::ACTIVE && row.to != state::ACTIVE).then_some((self.revision, row.number))
    }
}

impl Change {
    /// Returns the place among the changes of one batch, of which `leaving` is the number of the
    /// decision that takes the comment out of sight. A verdict names the version before it, so none
    /// follows a write of the author in the same batch, unless it is a proposed edit, which makes
    /// no version.
    fn place(self, leaving: Option<i32>) -> i64 {
        match self {
            Self::Decided(DecisionRow { proposal, revision: 0, .. }) if proposal > 0 => i64::MAX,
            Self::Decided(row) => 2 * i64::from(row.number),
            Self::Edited(_, Some(_)) => leaving.map_or(i64::MAX - 1, |number| 2 * i64::from(number) - 1),
            Self::Edited(_, None) | Self::Deleted | Self::Undeleted => i64::MAX - 1,
        }
    }
}

impl CommentLife {
    /// Returns a comment whose create has no response.
    pub(super) fn new(id: i64, author: u32, created: u32) -> Self {
        Self {
            id,
            author,
            created,
            points: Vec::new(),
            proposals: Vec::new(),
            uncertain: true,
            violations: Vec::new(),
            edit_violations: Vec::new(),
            edits: Vec::new(),
            approvals: Vec::new(),
        }
    }

    /// Returns a comment from its creation on.
    pub(super) fn from(created: Point, id: i64, author: u32) -> Self {
        Self { points: vec![created], uncertain: false, ..Self::new(id, author, created.op) }
    }

    /// Applies the next change. A change that the table of acts does not allow is a violation.
    pub(super) fn apply(&mut self, event: &Event) {
        let Some(last) = self.points.last().copied() else { return };
        match event.change {
            Change::Edited(..) => self.edits.push(event.begun),
            Change::Decided(row) if row.act == ModeratorAct::Approve as i32 => {
                self.approvals.push((event.known, self.edits.len()));
            }
            Change::Deleted | Change::Undeleted | Change::Decided(_) => {}
        }
        let applied = match event.change {
            Change::Edited(text, number) => self.edit(last, event, (text, number)),
            Change::Deleted => (last.state != state::DELETED)
                .then_some(Some(Point {
                    state: state::DELETED,
                    before_deletion: last.state,
                    deleted_by_moderator: false,
                    ..last
                }))
                .ok_or_else(|| self.conflict(last, event)),
            Change::Undeleted => (last.state == state::DELETED && !last.deleted_by_moderator)
                .then_some(Some(Point { state: last.before_deletion, ..last }))
                .ok_or_else(|| self.conflict(last, event)),
            Change::Decided(row) if row.proposal > 0 => self.judge_proposal(last, event, &row),
            Change::Decided(row) => self.judge_text(last, event, &row),
        };
        match applied {
            Ok(Some(point)) => {
                let Event { revision, begun, known, op, .. } = *event;
                self.points.push(Point { revision, begun, known, op, ..point });
            }
            Ok(None) => {}
            Err(_) if self.uncertain => {}
            Err(Violation { description, of_edit }) => {
                let list = if of_edit { &mut self.edit_violations } else { &mut self.violations };
                list.push((description, event.op));
                self.uncertain = true;
            }
        }
    }

    fn conflict(&self, last: Point, event: &Event) -> Violation {
        let description = format!(
            "{} is in state {} (deleted from {}) when this happens at revision {}: {:?}",
            self.id, last.state, last.before_deletion, event.revision, event.change
        );
        Violation { description, of_edit: false }
    }

    /// Applies an edit by the author: that of a comment in sight waits beside the text, and a
    /// refused comment waits again.
    fn edit(&mut self, last: Point, event: &Event, (text, number): (u64, Option<i32>)) -> Applied {
        let of_edit = |description: String| Violation { description, of_edit: true };
        match (last.state, number) {
            (state::ACTIVE, None) => Err(of_edit(format!("{} is in sight, and its edit {text} did not wait", self.id))),
            (state::ACTIVE, Some(number)) => {
                self.end_proposal(proposal_state::DROPPED, event);
                let Event { begun, known, op, .. } = *event;
                let (state, end_begun, end_known) = (proposal_state::WAITING, NEVER, NEVER);
                self.proposals.push(ProposalLife { number, text, begun, known, state, end_begun, end_known, op });
                Ok(None)
            }
            (state::PENDING | state::REJECTED, None) => Ok(Some(Point { state: state::PENDING, text, ..last })),
            (state::PENDING | state::REJECTED, Some(number)) => {
                Err(of_edit(format!("{} is not in sight, and its edit {text} is proposal {number}", self.id)))
            }
            _conflict => Err(self.conflict(last, event)),
        }
    }

    /// Applies a verdict on a proposed edit, which is the one that waits.
    fn judge_proposal(&mut self, last: Point, event: &Event, row: &DecisionRow) -> Applied {
        let waiting = self.waiting().filter(|waiting| waiting.number == row.proposal).copied();
        let is_in_sight = (last.state, row.from, row.to) == (state::ACTIVE, state::ACTIVE, state::ACTIVE);
        let Some(waiting) = waiting.filter(|_| is_in_sight) else {
            let description = format!(
                "{} is in state {} with these proposals when number {} is judged: {:?}",
                self.id, last.state, row.proposal, self.proposals
            );
            return Err(Violation { description, of_edit: true });
        };
        match ModeratorAct::of(row.act) {
            Some(ModeratorAct::Approve) if row.revision > 0 => {
                self.end_proposal(proposal_state::APPROVED, event);
                Ok(Some(Point { text: waiting.text, ..last }))
            }
            Some(ModeratorAct::Reject) if row.revision == 0 => {
                self.end_proposal(proposal_state::REJECTED, event);
                Ok(None)
            }
            _other => Err(self.conflict(last, event)),
        }
    }

    fn judge_text(&mut self, last: Point, event: &Event, row: &DecisionRow) -> Applied {
        // A decision that changes no state makes no revision.
        if row.revision == 0 {
            let description = || format!("a decision without a revision: {row:?}");
            let violation = || Violation { description: description(), of_edit: false };
            return if leaves_as_is(row) { Ok(None) } else { Err(violation()) };
        }
        let point = last.decided(row).ok_or_else(|| self.conflict(last, event))?;
        let was_in_sight = if last.state == state::DELETED {
            last.before_deletion == state::ACTIVE
        } else {
            last.state == state::ACTIVE
        };
        if was_in_sight && row.to != state::ACTIVE && row.act != ModeratorAct::Delete as i32 {
            self.end_proposal(proposal_state::DROPPED, event);
        }
        Ok(Some(point))
    }

    /// The proposed edit that waits. That of a deleted comment waits until it is restored.
    pub(super) fn waiting(&self) -> Option<&ProposalLife> {
        self.proposals.last().filter(|proposal| proposal.state == proposal_state::WAITING)
    }

    fn end_proposal(&mut self, state: i8, event: &Event) {
        if let Some(waiting) = self.proposals.last_mut().filter(|last| last.state == proposal_state::WAITING) {
            (waiting.state, waiting.end_begun, waiting.end_known) = (state, event.begun, event.known);
        }
    }

    /// Returns the points at which it may have been at some time in an interval.
    pub(super) fn points_within(&self, begun: Nanos, ended: Nanos) -> impl Iterator<Item = &Point> {
        let certain = self.points.iter().rposition(|point| point.known < begun);
        let rest = self.points.get(certain.unwrap_or(0)..).unwrap_or_default();
        let (first, others) = rest.split_at(usize::from(certain.is_some()));
        first.iter().chain(others.iter().filter(move |point| point.begun < ended))
    }

    /// Returns true if it was certainly in sight during a whole interval.
    pub(super) fn is_in_sight(&self, begun: Nanos, ended: Nanos) -> bool {
        let is_known = self.points.first().is_some_and(|point| point.known < begun);
        is_known && !self.uncertain && self.points_within(begun, ended).all(|point| point.state == state::ACTIVE)
    }

    /// Returns true if it may have been in sight before this time.
    pub(super) fn may_have_been_public(&self, before: Nanos) -> bool {
        self.uncertain || self.points.iter().any(|point| point.state == state::ACTIVE && point.begun < before)
    }

    /// Returns the most edits that a moderator may have to judge in an interval.
    pub(super) fn unjudged_edits(&self, begun: Nanos, ended: Nanos) -> usize {
        let judged = self.approvals.iter().filter(|(known, _)| *known < begun).map(|(_, edits)| *edits).max();
        self.edits.iter().skip(judged.unwrap_or(0)).filter(|sent| **sent < ended).count()
    }
}

/// The point that a change makes, if it makes one, or the violation that it is.
type Applied = Result<Option<Point>, Violation>;

/// A change that may not happen.
struct Violation {
    description: String,
    /// True if it concerns the treatment of edits.
    of_edit: bool,
}

impl ProposalLife {
    /// Returns true if it may have waited at some time in an interval.
    pub(super) fn may_wait(&self, begun: Nanos, ended: Nanos) -> bool {
        self.begun < ended && self.end_known > begun
    }

    /// Returns true if it certainly waited during a whole interval.
    pub(super) fn waits(&self, begun: Nanos, ended: Nanos) -> bool {
        self.known < begun && self.end_begun > ended
    }
}

impl Point {
    /// Returns the state after a decision about the text.
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
