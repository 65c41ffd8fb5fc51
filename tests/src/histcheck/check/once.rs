//! Each request is executed once, and acknowledged effects persist.
//!
//! All responses under one request id equal the first one. At the end of the run every acknowledged
//! comment exists once, a refused one not at all, and one without a response at most once.

use super::Found;
use super::fixture::{Fate, Fixture, Request, written};
use super::quick::QuickMap;
use super::refusals;
use crate::histcheck::history::{Item, Outcome};

/// Finds requests that were executed twice or not at all.
pub(super) fn check(fixture: &Fixture<'_>, found: &mut Found) {
    let mut ids: QuickMap<i64, u32> = QuickMap::default();
    for request in &fixture.requests {
        answers(fixture, found, request);
        if let (Some((..)), Some(made)) = (fixture.call(request).makes(), fixture.written(request))
            && let Some(twin) = ids.insert(made.id, request.first)
        {
            found.add(|| format!("id {} was answered to two requests", made.id), &[twin, request.first]);
        }
    }
    if let Some((number, Outcome::Export { rows, drifts, .. })) = fixture.export() {
        stands(fixture, found, number, rows);
        for drift in drifts {
            found.add(|| format!("counts drift: {drift}"), &[number]);
        }
    }
}

/// Checks that every response to a request equals the first one.
fn answers(fixture: &Fixture<'_>, found: &mut Found, request: &Request) {
    let (Fate::Done { op, ended }, Some(first)) = (request.fate, fixture.written(request)) else { return };
    for number in request.attempts() {
        let again = fixture.op(number);
        if written(again).is_some_and(|other| other != first) {
            found.add(|| format!("two answers to one request: {first:?} and {:?}", again.outcome), &[op, number]);
        }
        // The recorded response is returned for ever, even if the comment has changed since.
        if let Outcome::Refused(reason) = &again.outcome
            && again.begun > ended
            && !refusals::passes(reason)
        {
            found.add(|| format!("refused for {reason} after it was acknowledged"), &[op, number]);
        }
    }
}

/// Checks that every acknowledged comment exists once. The rule `rows` finds refused comments and
/// comments under another id.
fn stands(fixture: &Fixture<'_>, found: &mut Found, export: u32, rows: &[Item]) {
    let mut standing: QuickMap<i64, u32> = QuickMap::default();
    let mut texts: QuickMap<u64, i64> = QuickMap::default();
    for row in rows {
        *standing.entry(row.id).or_default() += 1;
        if row.text != 0
            && let Some(other) = texts.insert(row.text, row.id)
        {
            found.add(|| format!("doubled: the text of {row} stands under {other} too"), &[export]);
        }
    }
    for comment in &fixture.comments {
        let count = standing.get(&comment.id).copied().unwrap_or_default();
        if count != 1 {
            let words = if count == 0 { "lost" } else { "standing more than once" };
            let what = || format!("{words}: comment {} of revision {}", comment.id, comment.born);
            found.add(what, &comment.story(fixture, export));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::{SampleHistory, item, tombstone};
    use crate::histcheck::history::{Item, Outcome, Written};

    #[test]
    fn acknowledged_unknown_and_refused_creates_that_stand_as_they_may_are_fine() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).unknown_root(2, 12).unknown_root(3, 13).refused_root(4, 14);
        sample_history.delete(5, 11, 3).export(9, &[Item { member: 1, ..tombstone(11, 1) }, item(13, 2)], &[]);
        sample_history.has_none();
    }

    #[test]
    fn a_loss_is_found() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2).export(9, &[item(11, 1)], &[]);
        sample_history.has("once", "lost: comment 12");
    }

    #[test]
    fn another_answer_to_a_repeat_is_found() {
        let other = |change: fn(&mut Written)| {
            let mut sample_history = SampleHistory::default();
            let mut again = Written { id: 11, root: 0, floor: 1, revision: 1 };
            change(&mut again);
            sample_history.root(1, 11, 1, 1).again(2, Outcome::Written(again));
            sample_history
        };
        other(|_| ()).has_none();
        other(|of| of.revision = 2).has("once", "two answers");
        other(|of| of.floor = 2).has("once", "two answers");
        other(|of| of.id = 12).has("once", "two answers");
    }

    #[test]
    fn a_refusal_of_what_was_acknowledged_is_found_and_an_overload_is_none() {
        let refused = |reason: &str| {
            let mut sample_history = SampleHistory::default();
            sample_history.root(1, 11, 1, 1).again(2, Outcome::Refused(reason.into()));
            sample_history
        };
        refused("REQUEST_ID_REUSED").has("once", "after it was acknowledged");
        refused("OVERLOADED").has_none();
    }

    #[test]
    fn a_double_is_found() {
        let mut sample_history = SampleHistory::default();
        sample_history.unknown_root(1, 11).export(9, &[item(11, 1), Item { text: 11, ..item(12, 2) }], &[]);
        sample_history.has("once", "doubled");
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 11, 2, 2);
        sample_history.has("once", "two requests");
    }

    #[test]
    fn a_drift_is_found() {
        let mut sample_history = SampleHistory::default();
        sample_history.export(9, &[], &[]).last(|op| {
            if let Outcome::Export { drifts, .. } = &mut op.outcome {
                *drifts = Box::new(["x".into()]);
            }
        });
        sample_history.has("once", "counts drift: x");
    }
}
