//! One decision for each etag, on the version that the etag names; the others learn which came
//! first. A repeat returns the first response, and each decision in an response is a row.

use std::collections::BTreeMap;

use super::super::{Findings, refused_calls};
use super::lives::Lives;
use super::review_call;
use crate::histcheck::history::{
    JudgedTarget, ModeratedItem, Outcome, ReviewCall, ReviewResponse, SeenDecision, state,
};

/// Etags by comment, and what was read with each.
type Read<'h> = BTreeMap<(i64, &'h str), (Version, u32)>;

/// The text or the proposed edit that an etag names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Version {
    text: u64,
    /// The state of the comment; that of a comment with a proposed edit is ACTIVE.
    state: i8,
    decisions: i32,
    /// The number of the proposed edit; 0 is the text.
    proposal: i32,
}

impl Version {
    /// Returns the etags of an item, each with what it names.
    fn all_of(item: &ModeratedItem) -> impl Iterator<Item = (&str, Self)> {
        let ModeratedItem { text, state, decisions, .. } = *item;
        let proposal = item.proposal.filter(|_| !item.proposal_etag.is_empty()).map(|seen| {
            let (text, proposal) = (seen.text, seen.number);
            (&*item.proposal_etag, Self { text, state: state::ACTIVE, decisions, proposal })
        });
        [(&*item.etag, Self { text, state, decisions, proposal: 0 })].into_iter().chain(proposal)
    }
}

/// Finds verdicts on what was not read, second ones on an etag, and repeats with other responses.
pub(super) fn check(lives: &Lives<'_>, findings: &mut Findings) {
    let read = read(lives, findings);
    let mut winners: BTreeMap<(i64, &str), (i32, u32)> = BTreeMap::new();
    for (number, call, response) in lives.responses() {
        let (ReviewCall::Judge { targets, .. }, ReviewResponse::Judged(outcomes)) = (call, response) else { continue };
        if outcomes.len() != targets.len() {
            findings.add(|| format!("{} results of {} targets", outcomes.len(), targets.len()), &[number]);
        }
        for ((id, etag), outcome) in targets.iter().zip(outcomes) {
            findings.cases(1);
            let named = (*id, &**etag);
            if outcome.comment != *id {
                findings.add(|| format!("a result of {} instead of {id}", outcome.comment), &[number]);
            }
            if let Some(decision) = outcome.decision {
                check_decision(lives, findings, (number, call), &decision, read.get(&named));
                let (first, op) = *winners.entry(named).or_insert((decision.number, number));
                if first != decision.number {
                    let description =
                        || format!("the etag {etag} of {id} has decisions {first} and {}", decision.number);
                    findings.add(description, &[op, number]);
                }
            } else {
                let is_proposal = read.get(&named).is_some_and(|(version, _)| version.proposal > 0);
                check_loser(lives, findings, number, (named, is_proposal), outcome);
            }
        }
    }
    check_repeats(lives, findings);
}

/// Returns what was read with each etag. An etag names one version.
fn read<'h>(lives: &Lives<'h>, findings: &mut Findings) -> Read<'h> {
    let mut read: Read<'h> = BTreeMap::new();
    for (number, _, response) in lives.responses() {
        let versions = response.moderated().flat_map(|item| Version::all_of(item).map(|named| (item.id, named)));
        for (id, (etag, version)) in versions {
            let (other, op) = *read.entry((id, etag)).or_insert((version, number));
            if other != version {
                let description = || format!("the etag {etag} names two versions: {other:?} and {version:?}");
                findings.add(description, &[op, number]);
            }
        }
    }
    read
}

fn check_decision(
    lives: &Lives<'_>,
    findings: &mut Findings,
    (number, call): (u32, &ReviewCall),
    decision: &SeenDecision,
    read: Option<&(Version, u32)>,
) {
    let ReviewCall::Judge { moderator, act, .. } = call else { return };
    if (decision.act, decision.moderator) != (*act as i32, *moderator) {
        findings.add(|| format!("another act or moderator was asked for: {decision:?}"), &[number]);
    }
    let Some(row) = lives.decisions.get(&(decision.comment, decision.number)) else {
        findings.add(|| format!("an acknowledged decision has no row: {decision:?}"), &[number]);
        return;
    };
    let stored = SeenDecision { act: row.act, of_proposal: row.proposal > 0, from: row.from, to: row.to, ..*decision };
    if (stored, row.actor) != (*decision, decision.moderator) {
        findings.add(|| format!("the row of {decision:?} is {row:?}"), &[number]);
    }
    let Some((item, op)) = read else { return };
    if row.proposal != item.proposal {
        let description =
            || format!("proposal {} was judged, and {} was read (0 is the text)", row.proposal, item.proposal);
        findings.add(description, &[*op, number]);
    }
    if decision.number != item.decisions + 1 {
        let description = || format!("decision {} on what was read after {}", decision.number, item.decisions);
        findings.add(description, &[*op, number]);
    }
    if item.state != state::DELETED && item.state != decision.from {
        findings
            .add(|| format!("a decision from {} on what was read as {}", decision.from, item.state), &[*op, number]);
    }
    let is_text_known = row.revision > 0 && row.proposal == 0;
    let Some(life) = lives.comments.get(&decision.comment).filter(|life| !life.uncertain && is_text_known) else {
        return;
    };
    let judged = life.points.iter().rfind(|point| point.revision < row.revision);
    if let Some(point) = judged.filter(|point| item.text != 0 && point.text != item.text) {
        findings
            .add(|| format!("text {} was judged, and {} was read", point.text, item.text), &[*op, number, point.op]);
    }
}

/// Checks that a late verdict gets the present etag and a decision that exists. If no edit waits
/// any more, there is no etag of one.
fn check_loser(
    lives: &Lives<'_>,
    findings: &mut Findings,
    number: u32,
    ((id, etag), is_proposal): ((i64, &str), bool),
    outcome: &JudgedTarget,
) {
    if &*outcome.reason != "ETAG_MISMATCH" {
        return;
    }
    if &*outcome.etag == etag || outcome.etag.is_empty() && !is_proposal {
        findings.add(|| format!("the etag {etag} of {id} mismatches {:?}", outcome.etag), &[number]);
    }
    if outcome.winner != 0 && !lives.decisions.contains_key(&(id, outcome.winner)) {
        findings.add(|| format!("decision {} of {id} came first and has no row", outcome.winner), &[number]);
    }
}

/// Checks that all responses to a request equal the first one, also after later changes.
fn check_repeats(lives: &Lives<'_>, findings: &mut Findings) {
    for request in lives.requests.values() {
        let Some(first) = request.acknowledged else { continue };
        let acknowledged = lives.op(first);
        for number in request.attempts.iter().filter(|number| **number != first) {
            let repeat = lives.op(*number);
            let is_later = repeat.begun > acknowledged.ended;
            let difference = match (&acknowledged.outcome, &repeat.outcome) {
                (_, Outcome::Refused(reason)) if is_later && !refused_calls::is_transient(reason) => {
                    Some(format!("refused for {reason} after it was acknowledged"))
                }
                (Outcome::Reviewed(one), Outcome::Reviewed(other)) => difference(one, other, is_later),
                _other => None,
            };
            findings.cases(1);
            if let Some(difference) = difference {
                findings
                    .add(|| format!("a repeat of a call to {}: {difference}", kind(acknowledged)), &[first, *number]);
            }
        }
    }
}

fn kind(op: &crate::histcheck::history::Op) -> &'static str {
    review_call(op).map_or("", ReviewCall::kind)
}

fn difference(first: &ReviewResponse, repeat: &ReviewResponse, is_later: bool) -> Option<String> {
    match (first, repeat) {
        (
            ReviewResponse::Written { comment, revision, .. },
            ReviewResponse::Written { comment: other, revision: other_revision, .. },
        ) => ((comment.id, revision) != (other.id, other_revision))
            .then(|| format!("{} at {revision}, then {} at {other_revision}", comment.id, other.id)),
        (ReviewResponse::Judged(one), ReviewResponse::Judged(others)) => {
            one.iter().zip(others).find_map(|(one, other)| match (&one.decision, &other.decision) {
                (Some(a), Some(b)) => ((a, one.revision) != (b, other.revision)).then(|| format!("{a:?}, then {b:?}")),
                (Some(a), None) if is_later && !refused_calls::is_transient(&other.reason) => {
                    Some(format!("{a:?}, then {}", other.reason))
                }
                _transient => None,
            })
        }
        _other => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{ReviewSample, sample_decision};
    use crate::histcheck::history::{JudgedTarget, ModeratorAct, Outcome, ReviewResponse, state};

    fn hidden() -> ReviewSample {
        let mut sample = ReviewSample::default();
        sample.read(5, 11, "11.2", state::ACTIVE, 1);
        sample.judge(6, 1, (11, "11.2"), sample_decision(11, 2, ModeratorAct::Hide, state::ACTIVE, state::HIDDEN), 4);
        sample
    }

    #[test]
    fn one_judgement_of_each_etag_is_valid_and_the_next_one_is_refused() {
        let mut sample = hidden();
        sample.finds_nothing();
        sample.refused(7, ModeratorAct::Hide, (11, "11.2"), "ETAG_MISMATCH").finds_nothing();
        sample.refused(8, ModeratorAct::Hide, (11, "other"), "ETAG_MISMATCH").finds("verdicts", "the etag other of 11");
    }

    #[test]
    fn a_second_decision_on_an_etag_is_found() {
        let mut sample = hidden();
        sample.judge(7, 1, (11, "11.2"), sample_decision(11, 3, ModeratorAct::Unhide, state::HIDDEN, state::ACTIVE), 5);
        sample.finds("verdicts", "the etag 11.2 of 11 has decisions 2 and 3");
        sample.finds("verdicts", "decision 3 on what was read after 1");
        sample.finds("verdicts", "a decision from 4 on what was read as 1");
    }

    #[test]
    fn a_decision_without_a_row_or_by_another_act_is_found() {
        hidden().lose_decision().finds("verdicts", "an acknowledged decision has no row");
        let mut sample = ReviewSample::default();
        sample.judge(
            5,
            2,
            (12, "12.1"),
            sample_decision(12, 1, ModeratorAct::Approve, state::PENDING, state::ACTIVE),
            4,
        );
        sample.finds("verdicts", "another act or moderator");
    }

    #[test]
    fn a_repeat_that_is_refused_or_decides_again_is_found() {
        let outcome = |decision| JudgedTarget {
            comment: 11,
            decision,
            reason: if decision.is_some() { "" } else { "ETAG_MISMATCH" }.into(),
            etag: "next".into(),
            winner: 0,
            revision: 4,
        };
        let repeated = |decision| {
            let mut sample = hidden();
            let response = ReviewResponse::Judged([outcome(decision)].into());
            sample.repeat(8, Outcome::Reviewed(response));
            sample
        };
        let first = sample_decision(11, 2, ModeratorAct::Hide, state::ACTIVE, state::HIDDEN);
        repeated(Some(first)).finds_nothing();
        repeated(None).finds("verdicts", "then ETAG_MISMATCH");
        let mut sample = hidden();
        sample.repeat(8, Outcome::Refused("FIELD_INVALID".into()));
        sample.finds("verdicts", "refused for FIELD_INVALID after it was acknowledged");
    }
}
