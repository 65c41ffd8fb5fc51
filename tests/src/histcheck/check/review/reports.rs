//! An acknowledged report is a row, and each row was requested. One request of a reporter is the
//! first one. A comment in sight is kept only while a report on it waits. What reports open is in
//! the queue, and no public response names a reporter.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Findings;
use super::lives::Lives;
use super::review_call;
use crate::histcheck::history::{ModeratorAct, Nanos, Outcome, RequestId, ReviewCall, ReviewResponse, state};

/// Finds reports that are lost, that were not requested, or that are first twice.
pub(super) fn check(lives: &Lives<'_>, findings: &mut Findings) {
    let stored: BTreeSet<(i64, u8)> = lives.reports.values().flatten().map(|row| (row.comment, row.reporter)).collect();
    let mut requested: BTreeSet<(i64, u8)> = BTreeSet::new();
    let mut first: BTreeMap<(i64, u8), (RequestId, u32)> = BTreeMap::new();
    for number in &lives.numbers {
        let op = lives.op(*number);
        let Some(ReviewCall::Report { comment, reporter }) = review_call(op) else { continue };
        let report = (*comment, *reporter);
        requested.insert(report);
        let Outcome::Reviewed(ReviewResponse::Reported(is_first)) = op.outcome else { continue };
        findings.cases(1);
        if !stored.contains(&report) {
            findings.add(|| format!("an acknowledged report {report:?} has no row"), &[*number]);
        }
        if is_first {
            let (request, other) = *first.entry(report).or_insert((op.request, *number));
            if request != op.request {
                findings.add(|| format!("two requests are the first report {report:?}"), &[other, *number]);
            }
        }
    }
    for report in stored.difference(&requested) {
        findings.add(|| format!("the report {report:?} was not requested"), &[]);
    }
    check_keeps(lives, findings);
}

/// Checks that between each decision that kept a comment in sight and the one on its text before it
/// there was a report. One without a response may be executed later.
fn check_keeps(lives: &Lives<'_>, findings: &mut Findings) {
    let mut reports: BTreeMap<i64, Vec<(Nanos, Nanos)>> = BTreeMap::new();
    for op in lives.numbers.iter().map(|number| lives.op(*number)) {
        let Some(ReviewCall::Report { comment, .. }) = review_call(op) else { continue };
        match &op.outcome {
            Outcome::Refused(_) => {}
            Outcome::Unknown(_) => reports.entry(*comment).or_default().push((op.begun, Nanos::MAX)),
            _stored => reports.entry(*comment).or_default().push((op.begun, op.ended)),
        }
    }
    let mut before: Option<(i64, Nanos)> = None;
    for row in lives.decisions.values().filter(|row| row.proposal == 0) {
        let Some((begun, known)) = lives.decided.get(&(row.comment, row.number)) else { continue };
        let settled = before.filter(|(comment, _)| *comment == row.comment).map_or(0, |(_, begun)| begun);
        if (row.act, row.from) == (ModeratorAct::Keep as i32, state::ACTIVE) {
            findings.cases(1);
            let reports = reports.get(&row.comment).into_iter().flatten();
            if !reports.into_iter().any(|(sent, ended)| sent < known && *ended > settled) {
                let created = lives.comments.get(&row.comment).map(|life| life.created);
                findings.add(|| format!("kept without a report: {row:?}"), &created.into_iter().collect::<Vec<_>>());
            }
        }
        before = Some((row.comment, *begun));
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{ReviewSample, sample_decision};
    use crate::histcheck::history::{ModeratorAct, Outcome, ReviewResponse, state};

    #[test]
    fn each_acknowledged_report_is_a_row_and_one_is_the_first() {
        let mut sample = ReviewSample::default();
        sample.report(11, 1, 1).finds_nothing();
        let reported = |first| Outcome::Reviewed(ReviewResponse::Reported(first));
        sample.repeat(7, reported(true)).finds_nothing();
        sample.change_last(|op| (op.request, op.outcome) = ((1, 99), reported(false))).finds_nothing();
        sample.change_last(|op| op.outcome = reported(true)).finds("reports", "two requests are the first report");
    }

    #[test]
    fn a_comment_in_sight_is_kept_only_while_a_report_waits() {
        let judged = |reported: bool| {
            let mut sample = ReviewSample::default();
            sample.read(5, 11, "11.2", state::ACTIVE, 1);
            if reported {
                sample.report(11, 1, 0);
            }
            let keep = |number| sample_decision(11, number, ModeratorAct::Keep, state::ACTIVE, state::ACTIVE);
            sample.judge(7, 1, (11, "11.2"), keep(2), 0);
            (sample, keep(3))
        };
        judged(true).0.finds_nothing();
        judged(false).0.finds("reports", "kept without a report");
        let (mut sample, again) = judged(true);
        sample.judge(8, 1, (11, "11.3"), again, 0).finds("reports", "kept without a report");
    }

    #[test]
    fn a_report_that_is_lost_or_was_not_requested_is_found() {
        let mut lost = ReviewSample::default();
        lost.report(11, 1, 1).lose_report().finds("reports", "(11, 1) has no row");
        let mut made = ReviewSample::default();
        made.report(11, 1, 1).change(|history| drop(history.ops.pop()));
        made.finds("reports", "(11, 1) was not requested");
    }
}
