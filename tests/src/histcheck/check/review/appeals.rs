//! The author of a comment contests the newest decision that refused or hid the text, and contests
//! each decision at most once. The next decision on the text settles the appeal and names the
//! contested one. It is another moderator's, unless it deletes the comment; no claim of the
//! contested moderator has the comment meanwhile.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Findings;
use super::lives::Lives;
use super::review_call;
use crate::histcheck::history::{
    APPEAL, DecisionRow, ModeratorAct, Op, Outcome, RequestId, ReviewCall, ReviewResponse, state,
};

const KEEP: i32 = ModeratorAct::Keep as i32;
const DELETE: i32 = ModeratorAct::Delete as i32;
const REJECT: i32 = ModeratorAct::Reject as i32;
const HIDE: i32 = ModeratorAct::Hide as i32;

/// Finds appeals and their decisions that break these promises, and appeals that are lost.
pub(super) fn check(lives: &Lives<'_>, findings: &mut Findings) {
    for life in lives.comments.values() {
        let mut contest = Contest::default();
        for row in lives.decisions_on(life.id) {
            findings.cases(usize::from(row.act == APPEAL || row.contested != 0));
            if let Some(violation) = contest.add(row, life.author) {
                findings.add(|| format!("{violation}: {row:?}"), &[life.created]);
            }
        }
    }
    check_responses(lives, findings);
}

/// The appeals on one comment up to a decision.
#[derive(Debug, Default)]
struct Contest {
    /// The newest decision that refused or hid the text and is in force.
    restriction: Option<DecisionRow>,
    /// The contested decision, while its appeal waits.
    open: Option<DecisionRow>,
    /// The numbers of all contested decisions.
    contested: BTreeSet<i32>,
}

impl Contest {
    /// Adds the next decision on the text. Returns its violation, if there is one.
    fn add(&mut self, row: &DecisionRow, author: u32) -> Option<&'static str> {
        if row.act == APPEAL { self.contest(row, author) } else { self.settle(row) }
    }

    fn contest(&mut self, row: &DecisionRow, author: u32) -> Option<&'static str> {
        let restriction = self.restriction.filter(|restriction| restriction.number == row.contested);
        let is_first = self.contested.insert(row.contested) && self.open.is_none();
        self.open = restriction;
        if row.actor != author {
            Some("an appeal of another member than the author")
        } else if !is_first {
            Some("a second appeal")
        } else if restriction.is_none() {
            Some("an appeal against a decision that is not the restriction in force")
        } else {
            None
        }
    }

    fn settle(&mut self, row: &DecisionRow) -> Option<&'static str> {
        let open = self.open.take();
        self.restriction = match row.act {
            REJECT | HIDE => Some(*row),
            KEEP => self.restriction,
            _other => None,
        };
        match open {
            Some(contested) if contested.actor == row.actor && row.act != DELETE => {
                Some("a moderator judged an appeal against itself")
            }
            Some(contested) if contested.number != row.contested => Some("it does not name the contested decision"),
            None if row.contested != 0 => Some("it settles an appeal, and none was open"),
            None if row.act == KEEP && row.from != state::ACTIVE => Some("kept out of sight without an appeal"),
            Some(_) | None => None,
        }
    }
}

/// Checks that each acknowledged appeal is a decision, that of one request, and that claims skip
/// the appeals against their moderator.
fn check_responses(lives: &Lives<'_>, findings: &mut Findings) {
    let appeals = lives.decisions.values().filter(|row| row.act == APPEAL);
    let stored: BTreeSet<(i64, i32, u32)> = appeals.map(|row| (row.comment, row.contested, row.actor)).collect();
    let mut made: BTreeMap<(i64, i32, u32), (RequestId, u32)> = BTreeMap::new();
    for (op, call, response) in lives.responses() {
        match (call, response) {
            (ReviewCall::Appeal { comment, number, member }, ReviewResponse::Appealed) => {
                findings.cases(1);
                let appeal = (*comment, *number, *member);
                if !stored.contains(&appeal) {
                    findings.add(|| format!("an acknowledged appeal {appeal:?} has no row"), &[op]);
                }
                let request = lives.op(op).request;
                let (first, other) = *made.entry(appeal).or_insert((request, op));
                if first != request {
                    findings.add(|| format!("two requests are the appeal {appeal:?}"), &[other, op]);
                }
            }
            (ReviewCall::Claim { moderator, .. }, ReviewResponse::Claimed { items, .. }) => {
                for (item, _) in items {
                    let Some(contested) = lives.contested_by(item.id, item.decisions) else { continue };
                    findings.cases(1);
                    // An appeal younger than the claim may be that on an item leased before.
                    let decided = lives.decided.get(&(item.id, item.decisions));
                    let is_older = decided.is_some_and(|(_, known)| *known < lives.op(op).begun);
                    if is_older && contested.actor == *moderator {
                        let description = || format!("moderator {moderator} leased the appeal against {contested:?}");
                        findings.add(description, &[op]);
                    }
                }
            }
            _other => {}
        }
    }
}

/// Returns the violation of the refusal of an appeal, if it is one, and the operation that created
/// the comment.
pub(super) fn violation_of_rejection(
    lives: &Lives<'_>,
    op: &Op,
    (id, number, member): (i64, i32, u32),
    reason: &str,
) -> Option<(String, Option<u32>)> {
    let life = lives.comments.get(&id)?;
    let is_explained = match reason {
        "DECISION_NOT_FOUND" => member != life.author,
        "APPEAL_NOT_ALLOWED" => member == life.author && (life.uncertain || is_obsolete(lives, op, (id, number))),
        _other => false,
    };
    (!is_explained).then(|| (format!("{member} contested decision {number} of {id}"), Some(life.created)))
}

/// Returns true if a decision may not be contested any more: because of another appeal, a later
/// decision, or a later change of the text or the state.
fn is_obsolete(lives: &Lives<'_>, op: &Op, (id, number): (i64, i32)) -> bool {
    let is_other_appeal = |other: &Op| {
        let is_of_comment = matches!(review_call(other), Some(ReviewCall::Appeal { comment, .. }) if *comment == id);
        let may_be_made = !matches!(other.outcome, Outcome::Refused(_));
        is_of_comment && may_be_made && other.request != op.request && other.begun < op.ended
    };
    let is_later = |row: &DecisionRow| {
        let begun = lives.decided.get(&(id, row.number)).map_or(0, |(begun, _)| *begun);
        row.number > number && row.act != APPEAL && begun < op.ended
    };
    let contested = lives.decisions.get(&(id, number));
    let is_changed = || {
        let points = lives.comments.get(&id).into_iter().flat_map(|life| &life.points);
        let revision = contested.map_or(0, |row| row.revision);
        points.into_iter().any(|point| point.revision > revision && point.begun < op.ended)
    };
    contested.is_none()
        || lives.decisions_on(id).any(is_later)
        || is_changed()
        || lives.numbers.iter().any(|number| is_other_appeal(lives.op(*number)))
}

#[cfg(test)]
mod tests {
    use super::super::sample::{AUTHOR, ReviewSample, sample_decision};
    use crate::histcheck::history::{
        ModeratedItem, ModeratorAct, Outcome, ReviewCall, ReviewResponse, SeenComment, SeenDecision, state,
    };

    /// Root 11, hidden by moderator 1 with decision 2, which the author contests with decision 3.
    fn appealed() -> ReviewSample {
        let mut sample = ReviewSample::default();
        sample.hide(5, 1).appeal(6, (11, 2), 3);
        sample
    }

    #[test]
    fn another_moderator_upholds_or_overturns_a_contested_decision() {
        appealed().uphold(7, 2, (4, 2)).finds_nothing();
        let mut sample = appealed();
        let shown = sample_decision(11, 4, ModeratorAct::Unhide, state::HIDDEN, state::ACTIVE);
        sample.judge(7, 2, (11, "11.4"), SeenDecision { moderator: 2, ..shown }, 5).decision(|row| row.contested = 2);
        sample.finds_nothing();
        appealed().uphold(7, 1, (4, 2)).finds("appeals", "a moderator judged an appeal against itself");
        appealed().uphold(7, 2, (4, 0)).finds("appeals", "it does not name the contested decision");
    }

    #[test]
    fn each_decision_is_contested_once_and_while_it_is_in_force() {
        let mut again = appealed();
        again.uphold(7, 2, (4, 2)).appeal(8, (11, 2), 5).finds("appeals", "a second appeal");
        let mut other = ReviewSample::default();
        other.hide(5, 1).appeal(6, (11, 1), 3).finds("appeals", "not the restriction in force");
        let mut two = appealed();
        two.repeat(8, Outcome::Reviewed(ReviewResponse::Appealed)).finds_nothing();
        two.change_last(|op| op.request = (1, 99)).finds("appeals", "two requests are the appeal");
    }

    #[test]
    fn only_the_author_contests_a_decision() {
        let mut sample = ReviewSample::default();
        sample.hide(5, 1).appeal(6, (11, 2), 3).decision(|row| row.actor = 9);
        sample.change_last(|op| {
            let appeal = ReviewCall::Appeal { comment: 11, number: 2, member: 9 };
            op.call = crate::histcheck::history::Call::Review { subject: op.call.subject(), call: appeal };
        });
        sample.finds("appeals", "an appeal of another member");
    }

    #[test]
    fn nothing_is_settled_without_an_appeal() {
        let mut sample = ReviewSample::default();
        sample.hide(5, 1).uphold(7, 2, (3, 2)).finds("appeals", "none was open");
        let mut upheld = ReviewSample::default();
        upheld.hide(5, 1).uphold(7, 2, (3, 0)).finds("appeals", "kept out of sight without an appeal");
        appealed().lose_decision().finds("appeals", "has no row");
    }

    #[test]
    fn an_appeal_is_not_leased_by_the_contested_moderator() {
        let claimed = |moderator| {
            let mut sample = appealed();
            let item = ModeratedItem {
                id: 11,
                text: 11,
                state: state::HIDDEN,
                etag: "11.4".into(),
                open: true,
                decisions: 3,
                due: 0,
                proposal: None,
                proposal_etag: "".into(),
            };
            let (items, lease) = ([(item, 100_000)].into(), "lease".into());
            let response = ReviewResponse::Claimed { items, lease };
            sample.op(8, ReviewCall::Claim { moderator, seconds: 10 }, Outcome::Reviewed(response));
            sample
        };
        claimed(2).finds_nothing();
        claimed(1).finds("appeals", "moderator 1 leased the appeal");
    }

    #[test]
    fn an_appeal_is_refused_for_a_reason() {
        let refused = |mut sample: ReviewSample, member, reason: &str| {
            let call = ReviewCall::Appeal { comment: 11, number: 2, member };
            sample.op(9, call, Outcome::Refused(reason.into()));
            sample
        };
        let hidden = || {
            let mut sample = ReviewSample::default();
            sample.hide(5, 1);
            sample
        };
        refused(hidden(), AUTHOR, "APPEAL_NOT_ALLOWED").finds("rejections", "contested decision 2 of 11");
        refused(hidden(), AUTHOR, "DECISION_NOT_FOUND").finds("rejections", "contested decision 2 of 11");
        refused(hidden(), 9, "DECISION_NOT_FOUND").finds_nothing();
        refused(hidden(), 9, "APPEAL_NOT_ALLOWED").finds("rejections", "9 contested decision 2 of 11");
        refused(appealed(), AUTHOR, "APPEAL_NOT_ALLOWED").finds_nothing();
        let mut deleted = hidden();
        let seen = SeenComment { id: 11, text: 0, state: state::DELETED };
        deleted.write(7, ReviewCall::Delete { comment: 11, member: AUTHOR }, seen, 5);
        refused(deleted, AUTHOR, "APPEAL_NOT_ALLOWED").finds_nothing();
    }

    #[test]
    fn edits_and_judgements_of_the_contested_moderator_wait_for_the_other_one() {
        let read = |sample: &mut ReviewSample| {
            sample.read(7, 11, "11.4", state::HIDDEN, 3);
        };
        let mut sample = appealed();
        read(&mut sample);
        sample.refused(8, ModeratorAct::Unhide, (11, "11.4"), "STATE_CONFLICT").finds_nothing();
        let mut plain = ReviewSample::default();
        plain.hide(5, 1);
        plain.read(7, 11, "11.4", state::HIDDEN, 2).refused(8, ModeratorAct::Unhide, (11, "11.4"), "STATE_CONFLICT");
        plain.finds("rejections", "Unhide of 11");
    }
}
