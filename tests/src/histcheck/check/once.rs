//! Each request is executed once, and acknowledged effects persist.
//!
//! All responses under one request id equal the first one. At the end of the run every acknowledged
//! comment exists once, a refused one not at all, and one without a response at most once.

use super::Findings;
use super::int_map::IntMap;
use super::refused_calls;
use super::subject_history::{Request, RequestOutcome, SubjectHistory, written};
use crate::histcheck::history::{Item, Outcome};

/// Finds requests that were executed twice or not at all.
pub(super) fn check(history: &SubjectHistory<'_>, findings: &mut Findings) {
    let mut ids: IntMap<i64, u32> = IntMap::default();
    for request in &history.requests {
        check_repeats(history, findings, request);
        if let (Some((..)), Some(written)) = (history.call(request).makes(), history.written(request))
            && let Some(other) = ids.insert(written.id, request.first)
        {
            findings.add(|| format!("id {} was returned to two requests", written.id), &[other, request.first]);
        }
    }
    if let Some((number, Outcome::Export { rows, drifts, .. })) = history.export() {
        check_existence(history, findings, number, rows);
        for drift in drifts {
            findings.add(|| format!("counts drift: {drift}"), &[number]);
        }
    }
}

/// Checks that every response to a request equals the first one.
fn check_repeats(history: &SubjectHistory<'_>, findings: &mut Findings, request: &Request) {
    let (RequestOutcome::Acknowledged { op, ended }, Some(first)) = (request.outcome, history.written(request)) else {
        return;
    };
    for number in request.attempts() {
        let repeat = history.op(number);
        if written(repeat).is_some_and(|other| other != first) {
            findings.add(|| format!("two responses to one request: {first:?} and {:?}", repeat.outcome), &[op, number]);
        }
        // The recorded response is returned for ever, even if the comment has changed since.
        if let Outcome::Refused(reason) = &repeat.outcome
            && repeat.begun > ended
            && !refused_calls::is_transient(reason)
        {
            findings.add(|| format!("refused for {reason} after it was acknowledged"), &[op, number]);
        }
    }
}

/// Checks that every acknowledged comment exists once. The rule `rows` finds refused comments and
/// comments under another id.
fn check_existence(history: &SubjectHistory<'_>, findings: &mut Findings, export: u32, rows: &[Item]) {
    let mut counts: IntMap<i64, u32> = IntMap::default();
    let mut texts: IntMap<u64, i64> = IntMap::default();
    for row in rows {
        *counts.entry(row.id).or_default() += 1;
        if row.text != 0
            && let Some(other) = texts.insert(row.text, row.id)
        {
            findings.add(|| format!("duplicate: the text of {row} also exists under {other}"), &[export]);
        }
    }
    for comment in &history.comments {
        let count = counts.get(&comment.id).copied().unwrap_or_default();
        if count != 1 {
            let violation = if count == 0 { "lost" } else { "present more than once" };
            let description =
                || format!("{violation}: comment {} of revision {}", comment.id, comment.created_revision);
            findings.add(description, &comment.explaining_ops(history, export));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::{SampleHistory, item, tombstone};
    use crate::histcheck::history::{Item, Outcome, WriteResponse};

    #[test]
    fn creates_with_every_outcome_may_exist_at_the_end_as_their_outcome_allows() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).unknown_root(2, 12).unknown_root(3, 13).refused_root(4, 14);
        sample_history.delete(5, 11, 3).export(9, &[Item { member: 1, ..tombstone(11, 1) }, item(13, 2)], &[]);
        sample_history.finds_nothing();
    }

    #[test]
    fn a_lost_comment_is_found() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2).export(9, &[item(11, 1)], &[]);
        sample_history.finds("once", "lost: comment 12");
    }

    #[test]
    fn another_response_to_a_repeat_is_found() {
        let with_repeat = |change: fn(&mut WriteResponse)| {
            let mut sample_history = SampleHistory::default();
            let mut repeat = WriteResponse { id: 11, root: 0, floor: 1, revision: 1 };
            change(&mut repeat);
            sample_history.root(1, 11, 1, 1).repeat(2, Outcome::Written(repeat));
            sample_history
        };
        with_repeat(|_| ()).finds_nothing();
        with_repeat(|written| written.revision = 2).finds("once", "two responses");
        with_repeat(|written| written.floor = 2).finds("once", "two responses");
        with_repeat(|written| written.id = 12).finds("once", "two responses");
    }

    #[test]
    fn a_repeat_refused_after_the_acknowledgement_is_found_and_one_refused_for_overload_is_valid() {
        let refused = |reason: &str| {
            let mut sample_history = SampleHistory::default();
            sample_history.root(1, 11, 1, 1).repeat(2, Outcome::Refused(reason.into()));
            sample_history
        };
        refused("REQUEST_ID_REUSED").finds("once", "after it was acknowledged");
        refused("OVERLOADED").finds_nothing();
    }

    #[test]
    fn a_duplicate_is_found() {
        let mut sample_history = SampleHistory::default();
        sample_history.unknown_root(1, 11).export(9, &[item(11, 1), Item { text: 11, ..item(12, 2) }], &[]);
        sample_history.finds("once", "duplicate");
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 11, 2, 2);
        sample_history.finds("once", "two requests");
    }

    #[test]
    fn a_drift_of_counts_is_found() {
        let mut sample_history = SampleHistory::default();
        sample_history.export(9, &[], &[]).change_last(|op| {
            if let Outcome::Export { drifts, .. } = &mut op.outcome {
                *drifts = Box::new(["x".into()]);
            }
        });
        sample_history.finds("once", "counts drift: x");
    }
}
