//! Once the filter responds again, what an outage held is settled without people. What people judge
//! meanwhile under a lease stays as they say.

use std::collections::{BTreeMap, BTreeSet};

use super::super::tables::StoredRows;
use super::super::{Findings, refused_calls};
use super::policy_call;
use crate::histcheck::history::{
    FilterResult, History, Nanos, Op, Outcome, PolicyCall, PolicyResponse, ProposalRow, ReviewRow, Rows,
    WrittenComment, proposal_state, state,
};

/// The name of the rule.
const DRAINED: &str = "drained";

/// The time before its end at which a lease may be over for the service: it begins later there.
const LEASE_MARGIN: Nanos = 1_000_000_000;

/// A comment that a filter judges.
#[derive(Debug)]
struct FilteredComment {
    op: u32,
    text: u64,
    result: FilterResult,
    is_listed: bool,
    written: WrittenComment,
}

/// The acknowledged edit of a comment: its operation, its text, and what the filter says of it.
type EditedText = (u32, u64, FilterResult);

/// The texts of a run, and what became of them.
#[derive(Debug, Default)]
struct Texts {
    comments: BTreeMap<i64, FilteredComment>,
    edits: BTreeMap<i64, EditedText>,
    /// The verdicts of moderators: their operations, and true for approvals.
    verdicts: BTreeMap<i64, (u32, bool)>,
    /// Comments with a request whose result is not known.
    unknown: BTreeSet<i64>,
}

/// The state of a comment at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FinalState {
    state: i8,
    text: u64,
    /// True if a question is open.
    is_open: bool,
}

/// Finds texts that still wait for the filter at the end, and verdicts under a lease that the
/// service did not accept.
pub(super) fn check(history: &History, stored: Option<&StoredRows<'_>>, findings: &mut Findings) {
    let texts = Texts::of(&history.ops);
    findings.begin(DRAINED);
    for (number, op) in (0..).zip(&history.ops) {
        findings.add_if_any(lease_violation(op), number);
    }
    let Some(stored) = stored else { return };
    findings.cases(texts.comments.len() + texts.edits.len() + texts.verdicts.len());
    let (reviews, proposals) = (reviews(history), proposals(history));
    for (id, comment) in texts.comments.iter().filter(|(id, _)| !texts.unknown.contains(id)) {
        let (right, ops) = texts.final_state(*id, comment);
        let (row, content) = (stored.comments.get(id), stored.contents.get(id));
        let review = reviews.get(id);
        let found = row.map(|row| FinalState {
            state: row.state,
            text: content.map_or(0, |content| content.text),
            is_open: review.is_some_and(|review| review.is_open == 1),
        });
        let is_waiting = proposals.get(id).is_some_and(|proposal| proposal.state == proposal_state::WAITING);
        if found != Some(right) || is_waiting != texts.proposal_waits(*id) {
            findings.add(|| format!("it should be {right:?}, and at the end: {found:?}, {review:?}"), &ops);
        }
    }
}

/// Returns the violation of a verdict that is refused though the moderator holds a lease.
fn lease_violation(op: &Op) -> Option<String> {
    let PolicyCall::JudgeHeld { lease_until, .. } = policy_call(op)? else { return None };
    let reason = op.outcome.refused()?;
    let is_held = op.ended + LEASE_MARGIN < lease_until;
    (is_held && !refused_calls::is_transient(reason))
        .then(|| format!("a verdict is refused for {reason} while its moderator holds the lease"))
}

impl Texts {
    fn of(ops: &[Op]) -> Self {
        let mut texts = Self::default();
        let mut edits = BTreeMap::new();
        for (number, op) in (0..).zip(ops) {
            match (policy_call(op), &op.outcome) {
                (
                    Some(PolicyCall::CreateFiltered { text, result, is_listed, .. }),
                    Outcome::Policy(PolicyResponse::Written(written)),
                ) => {
                    let comment = FilteredComment { op: number, text, result, is_listed, written: *written };
                    texts.comments.entry(written.id).or_insert(comment);
                }
                (Some(PolicyCall::EditFiltered { comment, text, result, .. }), outcome) => {
                    edits.entry(comment).or_insert(false);
                    if let Outcome::Policy(PolicyResponse::Edited { .. }) = outcome {
                        edits.insert(comment, true);
                        texts.edits.insert(comment, (number, text, result));
                    }
                }
                (Some(PolicyCall::JudgeHeld { comment, approves, .. }), Outcome::Policy(_)) => {
                    texts.verdicts.insert(comment, (number, approves));
                }
                (Some(PolicyCall::JudgeHeld { comment, .. }), Outcome::Unknown(_)) => {
                    texts.unknown.insert(comment);
                }
                _other => {}
            }
        }
        texts.unknown.extend(edits.into_iter().filter(|(_, is_known)| !is_known).map(|(comment, _)| comment));
        texts
    }

    /// Returns the state of a comment at the end, with the operations that explain it.
    fn final_state(&self, id: i64, comment: &FilteredComment) -> (FinalState, Vec<u32>) {
        let FilteredComment { op, text, result, is_listed, written } = comment;
        let text = *text;
        if let Some((verdict, approves)) = self.verdicts.get(&id) {
            let state = if *approves { state::ACTIVE } else { state::REJECTED };
            return (FinalState { state, text, is_open: false }, vec![*op, *verdict]);
        }
        if let Some((edit, edited, result)) = self.edits.get(&id) {
            let text = if *result == FilterResult::Allow { *edited } else { text };
            return (FinalState { state: state::ACTIVE, text, is_open: self.proposal_waits(id) }, vec![*op, *edit]);
        }
        let (state, is_open) = match result {
            // The word list asks for people.
            _listed if *is_listed => (written.state, written.state == state::PENDING),
            FilterResult::Allow => (state::ACTIVE, false),
            FilterResult::Hold | FilterResult::Open => (state::PENDING, true),
            FilterResult::Reject => (state::REJECTED, false),
        };
        (FinalState { state, text, is_open }, vec![*op])
    }

    /// Returns true if an edit of a comment waits at the end.
    fn proposal_waits(&self, id: i64) -> bool {
        let edit = self.edits.get(&id);
        edit.is_some_and(|(.., result)| matches!(result, FilterResult::Hold | FilterResult::Open))
    }
}

fn reviews(history: &History) -> BTreeMap<i64, ReviewRow> {
    let mut reviews = BTreeMap::new();
    for table in &history.tables {
        if let Rows::Reviews(rows) = &table.rows {
            reviews.extend(rows.iter().map(|row| (row.comment, *row)));
        }
    }
    reviews
}

fn proposals(history: &History) -> BTreeMap<i64, ProposalRow> {
    let mut proposals = BTreeMap::new();
    for table in &history.tables {
        if let Rows::Proposals(rows) = &table.rows {
            // Of several rows the one that waits is the newest.
            for row in rows {
                let newest = proposals.entry(row.comment).or_insert(*row);
                if row.number > newest.number {
                    *newest = *row;
                }
            }
        }
    }
    proposals
}

#[cfg(test)]
mod tests {
    use super::super::sample::PolicySample;
    use crate::histcheck::history::FilterResult::{self, Allow, Hold, Open, Reject};
    use crate::histcheck::history::proposal_state::{REJECTED as REFUSED, WAITING};
    use crate::histcheck::history::state::{ACTIVE, PENDING, REJECTED};
    use crate::histcheck::names::FILTERED;

    #[test]
    fn at_the_end_every_text_is_what_the_filter_says() {
        let ends = |result: FilterResult, state, is_open| {
            let mut sample = PolicySample::default();
            sample.filtered(20, FILTERED, result, PENDING).ends(state, 1, is_open);
            sample
        };
        ends(Allow, ACTIVE, false).finds_nothing();
        ends(Hold, PENDING, true).finds_nothing();
        ends(Open, PENDING, true).finds_nothing();
        ends(Reject, REJECTED, false).finds_nothing();
        ends(Allow, PENDING, true).finds("drained", "and at the end");
        ends(Allow, ACTIVE, true).finds("drained", "and at the end");
        ends(Hold, ACTIVE, false).finds("drained", "and at the end");
        ends(Open, ACTIVE, false).finds("drained", "and at the end");
        ends(Reject, PENDING, true).finds("drained", "and at the end");
    }

    #[test]
    fn what_a_list_holds_stays_with_people() {
        let ends = |state, is_open| {
            let mut sample = PolicySample::default();
            sample.listed(20, Allow, PENDING).ends(state, 1, is_open);
            sample
        };
        ends(PENDING, true).finds_nothing();
        ends(ACTIVE, false).finds("drained", "and at the end");
    }

    #[test]
    fn at_the_end_every_edit_is_what_the_filter_says() {
        let ends = |result, text, is_open, proposal| {
            let mut sample = PolicySample::default();
            sample.filtered(5, FILTERED, Allow, ACTIVE).edited(20, result, WAITING);
            sample.ends(ACTIVE, text, is_open).proposed(proposal);
            sample
        };
        ends(Allow, 2, false, None).finds_nothing();
        ends(Hold, 1, true, Some(WAITING)).finds_nothing();
        ends(Reject, 1, false, Some(REFUSED)).finds_nothing();
        ends(Allow, 1, true, Some(WAITING)).finds("drained", "and at the end");
        ends(Reject, 2, false, None).finds("drained", "and at the end");
        ends(Hold, 1, false, None).finds("drained", "and at the end");
    }

    #[test]
    fn what_a_person_judges_under_a_lease_stays() {
        let judged = |approves, state| {
            let mut sample = PolicySample::default();
            sample.filtered(20, FILTERED, Reject, PENDING).judged(22, approves, None).ends(state, 1, false);
            sample
        };
        judged(true, ACTIVE).finds_nothing();
        judged(false, REJECTED).finds_nothing();
        judged(true, REJECTED).finds("drained", "and at the end");
        let refused = |at, reason| {
            let mut sample = PolicySample::default();
            sample.filtered(20, FILTERED, Allow, PENDING).judged(at, true, Some(reason));
            sample
        };
        refused(22, "REVIEW_CHANGED").finds("drained", "while its moderator holds the lease");
        refused(60, "REVIEW_CHANGED").finds_nothing();
        refused(22, "OVERLOADED").finds_nothing();
    }
}
