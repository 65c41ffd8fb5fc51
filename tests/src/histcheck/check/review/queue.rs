//! The queue is the open rows: a comment is in it if and only if a question is open on it, in the
//! rows and in the lists at the end, and never twice. The question of the text is open while the
//! comment is PENDING, or is in sight with reports that no decision has ended and that weigh enough
//! or claim illegality; that of an edit is open while one waits, and that of an appeal until it is
//! settled. Nothing is open on a deleted comment.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Findings;
use super::lives::Lives;
use crate::histcheck::history::{APPEAL, CommentRow, ModeratedItem, ReviewCall, ReviewResponse, proposal_state, state};
use crate::histcheck::names;

/// The open questions, as the rows have them.
const TEXT: i8 = 1;
const EDIT: i8 = 2;
const APPEALED: i8 = 4;
/// The weight of a report.
const WEIGHT: usize = 100;

/// Finds open questions that no state explains, and items that are missing in lists, or twice.
pub(super) fn check(lives: &Lives<'_>, findings: &mut Findings) {
    check_rows(lives, findings);
    let open: BTreeSet<i64> = lives.reviews.values().filter(|row| row.is_open != 0).map(|row| row.comment).collect();
    for (number, call, response) in lives.responses() {
        match (call, response) {
            (ReviewCall::Queue { .. }, ReviewResponse::Moderated(items)) => {
                findings.cases(items.len());
                let mut listed: BTreeMap<i64, &ModeratedItem> = BTreeMap::new();
                for item in items {
                    // What was closed and opened again during a walk may be on a later page, too. A
                    // verdict that moves no revision changes the item.
                    let before = listed.insert(item.id, item);
                    if before == Some(item) && lives.is_unchanged(item.id, lives.op(number)) {
                        findings.add(|| format!("{} is in the queue twice", item.id), &[number]);
                    }
                }
                let listed: BTreeSet<i64> = listed.into_keys().collect();
                // No lease lasts until the last reads, so both lists have all items.
                if names::is_last_read(lives.op(number).client) {
                    for id in open.symmetric_difference(&listed) {
                        let violation = if listed.contains(id) {
                            "is in the queue, and not open"
                        } else {
                            "is open, and not in the queue"
                        };
                        findings.add(|| format!("{id} {violation}"), &[number]);
                    }
                }
            }
            (ReviewCall::Claim { .. }, ReviewResponse::Claimed { items, .. }) => {
                let op = lives.op(number);
                for (item, _) in items {
                    findings.cases(1);
                    // What changes meanwhile may be closed after it was leased.
                    let life = lives.comments.get(&item.id).filter(|life| !life.uncertain);
                    let waits = life.is_some_and(|life| {
                        let mut points = life.points_within(op.begun, op.ended);
                        points.all(|point| point.state == state::PENDING)
                            || life.is_in_sight(op.begun, op.ended)
                                && life.proposals.iter().any(|proposal| proposal.waits(op.begun, op.ended))
                    });
                    if !item.open && waits {
                        findings.add(|| format!("{} was leased, and nothing is open on it", item.id), &[number]);
                    }
                }
            }
            _other => {}
        }
    }
}

/// Checks the open questions of the rows.
fn check_rows(lives: &Lives<'_>, findings: &mut Findings) {
    for life in lives.comments.values() {
        let Some(row) = lives.stored.comments.get(&life.id) else { continue };
        let review = lives.reviews.get(&life.id);
        let (questions, is_open) = review.map_or((0, 0), |review| (review.questions, review.is_open));
        findings.cases(1);
        let is_in_sight = row.state == state::ACTIVE;
        let edit_waits = lives.newest_proposal(life.id).is_some_and(|row| row.state == proposal_state::WAITING);
        let text_waits = row.state == state::PENDING || is_in_sight && is_reported(lives, life.id);
        let is_restricted = matches!(row.state, state::REJECTED | state::HIDDEN);
        let appeal_waits = lives.decisions_on(life.id).next_back().is_some_and(|last| last.act == APPEAL);
        let expected = (TEXT * i8::from(text_waits))
            | (EDIT * i8::from(is_in_sight && edit_waits))
            | (APPEALED * i8::from(is_restricted && appeal_waits));
        if (questions, is_open) != (expected, i8::from(expected != 0)) {
            let description = || format!("{} is in state {} with open questions {questions}", life.id, row.state);
            findings.add(description, &[life.created]);
        }
        let was_public = life.points.iter().any(|point| point.state == CommentRow::VISIBLE);
        if !life.uncertain && review.is_some_and(|review| (review.never_public == 0) != was_public) {
            findings.add(|| format!("the row says that {} was in sight or not: {review:?}", life.id), &[life.created]);
        }
    }
}

/// Returns true if the reports on a comment in sight open the question of its text: those after
/// the last decision about it, on a version that no moderator had judged, reach the threshold, or
/// one of them claims illegality. A reporter always claims it or never does.
fn is_reported(lives: &Lives<'_>, id: i64) -> bool {
    let last = lives.decisions_on(id).next_back().map_or(0, |row| row.number);
    let rows = lives.reports.get(&id).into_iter().flatten();
    let counted: Vec<u8> =
        rows.filter(|row| row.settled == 0 && row.decisions >= last).map(|row| row.reporter).collect();
    counted.len() * WEIGHT >= names::REPORT_THRESHOLD || counted.into_iter().any(names::claims_illegal)
}

#[cfg(test)]
mod tests {
    use super::super::sample::ReviewSample;
    use crate::histcheck::history::{Outcome, ReviewResponse};

    #[test]
    fn the_queue_has_each_open_item_once() {
        ReviewSample::default().queue(9, &[12]).finds_nothing();
        ReviewSample::default().queue(9, &[12, 12]).finds("queue", "12 is in the queue twice");
        let mut judged = ReviewSample::default();
        judged.queue(9, &[12, 12]).change_last(|op| {
            let Outcome::Reviewed(ReviewResponse::Moderated(items)) = &mut op.outcome else { panic!("{op:?}") };
            (items[1].decisions, items[1].due, items[1].etag) = (1, 13, "12.1.1".into());
        });
        judged.finds_nothing();
        ReviewSample::default().queue(9, &[]).finds("queue", "12 is open, and not in the queue");
        ReviewSample::default().queue(9, &[11, 12]).finds("queue", "11 is in the queue, and not open");
    }

    #[test]
    fn a_report_waits_until_a_decision_about_the_text() {
        let reported = |decisions, settled| {
            let mut sample = ReviewSample::default();
            sample.report_by(11, 0, (decisions, settled));
            sample
        };
        reported(0, 0).finds_nothing();
        reported(1, 1).finds_nothing();
        reported(1, 0).finds("queue", "11 is in state 1 with open questions 0");
        reported(1, 0).review(11, |row| (row.is_open, row.questions) = (1, 1)).finds_nothing();
        reported(0, 0).review(11, |row| (row.is_open, row.questions) = (1, 1)).finds("queue", "11 is in state 1");
    }

    #[test]
    fn reports_wait_that_claim_illegality_or_reach_the_threshold() {
        let reported_by = |reporters: &[u8]| {
            let mut sample = ReviewSample::default();
            for reporter in reporters {
                sample.report_by(11, *reporter, (1, 0));
            }
            sample
        };
        let is_open = |reporters: &[u8]| {
            let mut sample = reported_by(reporters);
            sample.review(11, |row| (row.is_open, row.questions) = (1, 1));
            sample
        };
        reported_by(&[1]).finds_nothing();
        is_open(&[1]).finds("queue", "11 is in state 1 with open questions 1");
        for reporters in [&[0][..], &[1, 2]] {
            is_open(reporters).finds_nothing();
            reported_by(reporters).finds("queue", "11 is in state 1 with open questions 0");
        }
    }

    #[test]
    fn an_appeal_waits_until_it_is_settled() {
        let mut sample = ReviewSample::default();
        sample.hide(5, 1).appeal(6, (11, 2), 3).finds_nothing();
        sample.review(11, |row| (row.is_open, row.questions) = (0, 0));
        sample.finds("queue", "11 is in state 4 with open questions 0");
        let mut settled = ReviewSample::default();
        settled.hide(5, 1).appeal(6, (11, 2), 3).uphold(7, 2, (4, 2)).finds_nothing();
        settled.review(11, |row| (row.is_open, row.questions) = (1, 4));
        settled.finds("queue", "11 is in state 4 with open questions 4");
    }

    #[test]
    fn a_question_without_its_state_and_a_state_without_its_question_are_found() {
        ReviewSample::default()
            .review(12, |row| (row.is_open, row.questions) = (0, 0))
            .finds("queue", "12 is in state 2");
        ReviewSample::default()
            .review(11, |row| (row.is_open, row.questions) = (1, 1))
            .finds("queue", "11 is in state 1");
        ReviewSample::default().review(11, |row| row.never_public = 1).finds("queue", "the row says");
    }
}
