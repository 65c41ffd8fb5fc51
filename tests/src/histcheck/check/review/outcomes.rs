//! The outcome of a report follows from the rows: it is open until the first decision after it that
//! settles the reports of its comment. A reporter reads its own report, once, and no other.

use std::collections::BTreeMap;

use super::super::Findings;
use super::life::NEVER;
use super::lives::{Lives, ReviewRequest};
use super::review_call;
use crate::histcheck::history::{
    DecisionRow, ModeratorAct, Nanos, Op, ReportRow, ReviewCall, ReviewResponse, SeenReport, outcome,
};

/// The seconds of a day.
const DAY: i64 = 86_400;

/// The times of a request for a report: when it was sent, when it was known, and when it could no
/// longer be executed.
type RequestTimes = (Nanos, Nanos, Nanos);

/// Finds reports that another reporter reads, that are missing or twice, and outcomes that the
/// decisions do not explain.
pub(super) fn check(lives: &Lives<'_>, findings: &mut Findings) {
    // Those that were rejected made nothing.
    let mut requests: BTreeMap<(i64, u8), Vec<RequestTimes>> = BTreeMap::new();
    for request in lives.requests.values() {
        let Some((report, times)) = times(lives, request) else { continue };
        requests.entry(report).or_default().push(times);
    }
    for (report, requests) in &mut requests {
        requests.sort_unstable();
        check_row(lives, *report, requests, findings);
    }
    for (number, call, response) in lives.responses() {
        let (ReviewCall::OwnReports { comment, reporter }, ReviewResponse::OwnReports { reports, has_secret }) =
            (call, response)
        else {
            continue;
        };
        let requests = requests.get(&(*comment, *reporter)).map_or(&[][..], Vec::as_slice);
        findings.cases(1);
        if *has_secret {
            findings.add(|| format!("the reports of {comment} have words or an id of others"), &[number]);
        }
        let violation = violation(lives, lives.op(number), (*comment, *reporter), (reports, requests));
        if let Some(violation) = violation {
            findings.add(|| format!("reporter {reporter} of {comment} reads {reports:?}: {violation}"), &[number]);
        }
    }
}

/// Returns the report that a request asks for, and its times.
fn times(lives: &Lives<'_>, request: &ReviewRequest) -> Option<((i64, u8), RequestTimes)> {
    let first = lives.op(request.attempts[0]);
    let Some(ReviewCall::Report { comment, reporter }) = review_call(first) else { return None };
    if request.acknowledged.is_none() && !request.unknown {
        return None;
    }
    let known = request.acknowledged.map_or(NEVER, |number| lives.op(number).ended);
    let last = request.attempts.iter().map(|number| lives.op(*number).ended).max().unwrap_or(NEVER);
    let closed = if request.unknown { NEVER } else { last };
    Some(((*comment, *reporter), (first.begun, known, closed)))
}

/// Returns when the request was sent that made the stored report, and when it was known; `None` if
/// several may have made it. The repeat of a request that another one replaced is a new report.
fn maker(requests: &[RequestTimes]) -> Option<(Nanos, Nanos)> {
    let ((begun, known, _), earlier) = requests.split_last()?;
    // One without a response may have made nothing, so that an earlier one made the report.
    let is_certain = earlier.is_empty() || *known < NEVER;
    (is_certain && earlier.iter().all(|(.., closed)| closed < begun)).then_some((*begun, *known))
}

/// Checks that the row of a report has the number of decisions of its time.
fn check_row(lives: &Lives<'_>, (id, reporter): (i64, u8), requests: &[RequestTimes], findings: &mut Findings) {
    let (Some(row), Some((begun, known))) = (row(lives, id, reporter), maker(requests)) else { return };
    let numbers = |may_be: &dyn Fn(Nanos, Nanos) -> bool| {
        let decided = lives.decided.range((id, i32::MIN)..=(id, i32::MAX));
        decided
            .filter(|(_, (sent, known_at))| may_be(*sent, *known_at))
            .map(|((_, number), _)| *number)
            .max()
            .unwrap_or(0)
    };
    let (least, most) = (numbers(&|_, known_at| known_at < begun), numbers(&|sent, _| sent < known));
    if !(least..=most).contains(&row.decisions) {
        let created = lives.comments.get(&id).map(|life| life.created);
        let description = || format!("{row:?} was made after {least} to {most} decisions");
        findings.add(description, &created.into_iter().collect::<Vec<_>>());
    }
}

fn row<'l>(lives: &'l Lives<'_>, id: i64, reporter: u8) -> Option<&'l ReportRow> {
    lives.reports.get(&id)?.iter().find(|row| row.reporter == reporter)
}

fn violation(
    lives: &Lives<'_>,
    op: &Op,
    (id, reporter): (i64, u8),
    (reports, requests): (&[SeenReport], &[RequestTimes]),
) -> Option<String> {
    let [report] = reports else {
        let is_missing = requests.iter().any(|(_, known, _)| *known < op.begun);
        let violation = if reports.is_empty() { "it is missing" } else { "it has several" };
        return (is_missing || !reports.is_empty()).then(|| violation.to_owned());
    };
    if report.comment != id {
        return Some("it is another reporter's".to_owned());
    }
    if !requests.iter().any(|(begun, ..)| *begun < op.ended) {
        return Some("it was not requested yet".to_owned());
    }
    let is_open = report.outcome == outcome::OPEN;
    if is_open != (report.day == 0) || report.day % DAY != 0 {
        return Some("it has a day if it was judged, and no other time".to_owned());
    }
    // With several requests an earlier report may have been read.
    let (begun, known) = maker(requests)?;
    if requests.len() > 1 && op.begun < known.max(begun) {
        return None;
    }
    let row = row(lives, id, reporter)?;
    let expected = expected(lives, op, row);
    (!expected.contains(&report.outcome)).then(|| format!("{row:?} leads to {expected:?}"))
}

/// Returns the outcomes that a report may have had during a call.
fn expected(lives: &Lives<'_>, op: &Op, row: &ReportRow) -> Vec<i32> {
    if row.settled != 0 {
        return vec![outcome::UNRESTRICTED];
    }
    let settles = |decision: &&DecisionRow| decision.number > row.decisions && outcome_of(decision).is_some();
    let Some(decision) = lives.decisions_on(row.comment).find(settles) else { return vec![outcome::OPEN] };
    let (begun, known) = lives.decided.get(&(row.comment, decision.number)).copied().unwrap_or((0, NEVER));
    let open = (known >= op.begun).then_some(outcome::OPEN);
    open.into_iter().chain(outcome_of(decision).filter(|_| begun < op.ended)).collect()
}

/// Returns what becomes of the reports that a decision on the text settles; `None` if it settles
/// none.
fn outcome_of(row: &DecisionRow) -> Option<i32> {
    use ModeratorAct::{Approve, Delete, Hide, Keep, Reject, Unhide, Withhold};
    match ModeratorAct::of(row.act)? {
        Reject | Hide | Delete => Some(outcome::RESTRICTED),
        Approve | Unhide | Keep => Some(outcome::UNRESTRICTED),
        Withhold => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::ReviewSample;
    use super::DAY;
    use crate::histcheck::history::{Outcome, ReviewCall, ReviewResponse, SeenReport, outcome};

    /// Adds a read of the reports of reporter 1 of root 11.
    fn read(sample: &mut ReviewSample, at: u64, reports: &[SeenReport]) {
        let response = ReviewResponse::OwnReports { reports: reports.into(), has_secret: false };
        let call = ReviewCall::OwnReports { comment: 11, reporter: 1 };
        sample.op(at, call, Outcome::Reviewed(response));
    }

    fn seen(outcome: i32) -> SeenReport {
        SeenReport { comment: 11, outcome, day: if outcome == outcome::OPEN { 0 } else { 20_000 * DAY } }
    }

    /// Returns a history in which root 11 is reported in second 6 and hidden in second 8, read in
    /// another second.
    fn hidden(at: u64, reports: &[SeenReport]) -> ReviewSample {
        let mut sample = ReviewSample::default();
        sample.report(11, 1, 0);
        sample.hide(8, 1);
        read(&mut sample, at, reports);
        sample
    }

    #[test]
    fn a_report_is_open_until_the_decision_that_settles_it() {
        hidden(7, &[seen(outcome::OPEN)]).finds_nothing();
        hidden(9, &[seen(outcome::RESTRICTED)]).finds_nothing();
        hidden(8, &[seen(outcome::OPEN)]).finds_nothing();
        hidden(8, &[seen(outcome::RESTRICTED)]).finds_nothing();
        hidden(7, &[seen(outcome::RESTRICTED)]).finds("outcomes", "leads to [1]");
        hidden(9, &[seen(outcome::OPEN)]).finds("outcomes", "leads to [2]");
        hidden(9, &[seen(outcome::UNRESTRICTED)]).finds("outcomes", "leads to [2]");
    }

    #[test]
    fn the_first_decision_after_a_report_settles_it() {
        let unhidden = |outcome| {
            let mut sample = hidden(9, &[seen(outcome::RESTRICTED)]);
            sample.unhide(10);
            read(&mut sample, 11, &[seen(outcome)]);
            sample
        };
        unhidden(outcome::RESTRICTED).finds_nothing();
        unhidden(outcome::UNRESTRICTED).finds("outcomes", "leads to [2]");
        let mut settled = ReviewSample::default();
        settled.report(11, 1, 1);
        read(&mut settled, 7, &[seen(outcome::UNRESTRICTED)]);
        settled.finds_nothing();
        read(&mut settled, 8, &[seen(outcome::OPEN)]);
        settled.finds("outcomes", "leads to [3]");
    }

    #[test]
    fn a_reporter_reads_its_own_report_once() {
        hidden(5, &[]).finds_nothing();
        hidden(7, &[]).finds("outcomes", "it is missing");
        hidden(5, &[seen(outcome::OPEN)]).finds("outcomes", "it was not requested yet");
        hidden(7, &[seen(outcome::OPEN); 2]).finds("outcomes", "it has several");
        hidden(7, &[SeenReport { comment: 12, ..seen(outcome::OPEN) }]).finds("outcomes", "another reporter's");
        hidden(9, &[SeenReport { day: 0, ..seen(outcome::RESTRICTED) }]).finds("outcomes", "it has a day if");
        hidden(9, &[SeenReport { day: 7, ..seen(outcome::RESTRICTED) }]).finds("outcomes", "it has a day if");
        let mut leak = hidden(7, &[seen(outcome::OPEN)]);
        leak.change_last(|op| {
            let Outcome::Reviewed(ReviewResponse::OwnReports { has_secret, .. }) = &mut op.outcome else {
                panic!("{op:?}")
            };
            *has_secret = true;
        });
        leak.finds("outcomes", "words or an id of others");
    }

    #[test]
    fn a_request_without_a_response_may_have_made_nothing() {
        let mut sample = ReviewSample::default();
        sample.report_by(11, 1, (0, 0));
        sample.op(9, ReviewCall::Report { comment: 11, reporter: 1 }, Outcome::Unknown("Unavailable".into()));
        sample.finds_nothing();
    }

    #[test]
    fn the_row_of_a_report_has_the_decisions_of_its_time() {
        ReviewSample::default().report(11, 1, 1).finds_nothing();
        ReviewSample::default().report_by(11, 1, (3, 1)).finds("outcomes", "was made after 1 to 1 decisions");
    }
}
