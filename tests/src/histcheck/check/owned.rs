//! Subjects with an owner. A subject that is closed takes no comments, one that is hidden shows no
//! lists, and below a deleted one nothing is found, until it is restored. Each page has the roots
//! and the pins of its revision: at most three visible roots, in the order of the pins.
//!
//! Every write has a revision, so the states of a subject follow from the acknowledged writes. A
//! subject is left out if a write to it has no response.

mod model;
#[cfg(test)]
mod sample;
mod timeline;

use std::collections::{BTreeMap, BTreeSet};

use super::{Findings, MAX_AGE, refused_calls};
use crate::histcheck::history::{Call, History, Op, Outcome, OwnedCall, OwnedResponse, SeenRoot, SeenSubject};
use model::ModelSubject;
use timeline::{RevisionPoint, Timeline};

/// The names of the rules.
const SUBJECTS: &str = "subjects";
const PINS: &str = "pins";

/// A violation of a rule, with the operations that show it.
pub(super) struct Violation {
    rule: &'static str,
    description: String,
    ops: Vec<u32>,
}

/// Finds states and pins that no write explains.
pub(super) fn check(history: &History, findings: &mut Findings) {
    let mut subjects: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, op) in (0..).zip(&history.ops) {
        if let Call::Owned { subject, .. } = op.call {
            subjects.entry(subject).or_default().push(number);
        }
    }
    let (mut violations, mut cases) = (Vec::new(), BTreeMap::from([(SUBJECTS, 0), (PINS, 0)]));
    for numbers in subjects.values_mut() {
        numbers.sort_by_key(|number| history.ops[*number as usize].begun);
        let timeline = match Timeline::of(&history.ops, numbers) {
            Ok(Some(timeline)) => timeline,
            Ok(None) => continue,
            Err(violation) => {
                violations.push(violation);
                continue;
            }
        };
        for number in numbers.iter() {
            let op = &history.ops[*number as usize];
            let Call::Owned { call, .. } = op.call else { continue };
            let rule = if shows_pins(call) { PINS } else { SUBJECTS };
            *cases.entry(rule).or_default() += 1;
            if let Some((rule, description)) = violation(&timeline, op, call) {
                violations.push(Violation { rule, description, ops: vec![*number] });
            }
        }
    }
    for (rule, count) in cases {
        findings.begin(rule);
        findings.cases(count);
        for Violation { description, ops, .. } in violations.iter().filter(|violation| violation.rule == rule) {
            findings.add(|| description.clone(), ops);
        }
    }
}

/// Returns true for a call whose outcome depends on pins.
fn shows_pins(call: OwnedCall) -> bool {
    matches!(call, OwnedCall::Pin { .. } | OwnedCall::List { .. } | OwnedCall::Get { .. })
}

/// Returns the violation that an operation shows, with its rule.
fn violation(timeline: &Timeline, op: &Op, call: OwnedCall) -> Option<(&'static str, String)> {
    // A read that is not fresh may show what was current some time ago.
    let since = if call.reads() == Some(false) { op.begun.saturating_sub(MAX_AGE) } else { op.begun };
    match &op.outcome {
        Outcome::Refused(reason) if refused_calls::is_transient(reason) => None,
        Outcome::Refused(reason) => {
            let is_explained = timeline.states(since, op.ended).any(|state| state.rejection(call) == Some(reason));
            let rule = if matches!(call, OwnedCall::Pin { .. }) { PINS } else { SUBJECTS };
            (!is_explained).then(|| (rule, format!("refused for {reason}, which no state during the call explains")))
        }
        Outcome::Unknown(reason) if refused_calls::is_internal(reason) => {
            Some((SUBJECTS, format!("failed with {reason}, an error of the service itself")))
        }
        Outcome::Owned(OwnedResponse::Page { subject, roots, pinned }) => {
            let point = match at(timeline, (since, op), *subject) {
                Ok(point) => point?,
                Err(description) => return Some((SUBJECTS, description)),
            };
            page_violation(point, *subject, (roots, pinned))
        }
        Outcome::Owned(OwnedResponse::Subject(subject)) => {
            let point = match at(timeline, (since, op), *subject) {
                Ok(point) => point?,
                Err(description) => return Some((SUBJECTS, description)),
            };
            let is_explained = point.states.iter().any(|state| state.is_shown_as(*subject));
            (!is_explained).then(|| (SUBJECTS, format!("its revision has {:?}", point.states)))
        }
        Outcome::Owned(OwnedResponse::Comment(root)) => {
            let states = || timeline.states(since, op.ended).filter(|state| state.rejection(call).is_none());
            if !states().any(|state| state.text(root.id) == Some(root.text)) {
                return Some((SUBJECTS, format!("{root:?} was not so during the call")));
            }
            let is_explained = states().any(|state| state.pins.contains(&root.id) == root.pinned);
            (!is_explained).then(|| (PINS, format!("{root:?} was pinned, or not, during the whole call")))
        }
        Outcome::Written(_)
        | Outcome::Liked(_)
        | Outcome::Page(_)
        | Outcome::Comment(_)
        | Outcome::Comments(_)
        | Outcome::Counts(_)
        | Outcome::Texts(_)
        | Outcome::States(_)
        | Outcome::Members(_)
        | Outcome::OfMember(_)
        | Outcome::Export { .. }
        | Outcome::Changes { .. }
        | Outcome::Gap { .. }
        | Outcome::Reviewed(_)
        | Outcome::Policy(_)
        | Outcome::Owned(OwnedResponse::Written { .. })
        | Outcome::Unknown(_) => None,
    }
}

/// Returns the point that a response shows; `None` for a subject that was absent shortly before.
///
/// # Errors
/// Returns a description if the revision is too old, was not made, or was made later.
fn at<'t>(
    timeline: &'t Timeline,
    (since, op): (u64, &Op),
    subject: SeenSubject,
) -> Result<Option<&'t RevisionPoint>, String> {
    let oldest = timeline.reached(since);
    if subject.revision == 0 && oldest.is_none() {
        return Ok(None);
    }
    let found = timeline.points.iter().position(|point| point.revision == subject.revision);
    let Some(found) = found else { return Err(format!("no write made revision {}", subject.revision)) };
    if oldest.is_some_and(|oldest| found < oldest) {
        return Err(format!("revision {} was older than is allowed", subject.revision));
    }
    let point = &timeline.points[found];
    if point.begun > op.ended { Err(format!("revision {} was made later", subject.revision)) } else { Ok(Some(point)) }
}

fn page_violation(
    point: &RevisionPoint,
    subject: SeenSubject,
    (roots, pinned): (&[SeenRoot], &[SeenRoot]),
) -> Option<(&'static str, String)> {
    let has_roots = |state: &&ModelSubject| {
        let shown = roots.iter().map(|root| (root.id, root.text));
        state.is_listed() && state.is_shown_as(subject) && shown.eq(state.shown().rev())
    };
    if !point.states.iter().any(|state| has_roots(&state)) {
        return Some((SUBJECTS, format!("its revision has {:?}", point.states)));
    }
    let all: BTreeSet<SeenRoot> = roots.iter().copied().collect();
    let has_pins = |state: &ModelSubject| {
        let is_marked = |root: &SeenRoot| state.pins.contains(&root.id) == root.pinned;
        pinned.iter().map(|root| root.id).eq(state.pins.iter().copied())
            && roots.iter().all(is_marked)
            && pinned.iter().all(|root| all.contains(root))
    };
    let is_explained = point.states.iter().filter(has_roots).any(has_pins);
    (!is_explained).then(|| (PINS, format!("its revision has {:?}", point.states)))
}

#[cfg(test)]
mod tests {
    use super::sample::OwnedSample;
    use crate::histcheck::history::{OwnedCall, OwnedState};

    const PIN: OwnedCall = OwnedCall::Pin { comment: 12, pinned: true, by_owner: true };

    #[test]
    fn a_page_has_the_roots_and_the_pins_of_its_revision() {
        let page = |at, revision, roots: &[(i64, bool)], pinned: &[i64]| {
            let mut sample = OwnedSample::default();
            sample.write(5, PIN, 12, 4).write(6, OwnedCall::Pin { comment: 11, pinned: true, by_owner: false }, 11, 5);
            sample.page(at, revision, roots, pinned);
            sample
        };
        page(8, 5, &[(12, true), (11, true)], &[12, 11]).finds_nothing();
        page(8, 4, &[(12, true), (11, false)], &[12]).finds_nothing();
        page(8, 5, &[(12, true), (11, true)], &[11, 12]).finds("pins", "its revision has");
        page(8, 5, &[(12, true), (11, true)], &[12]).finds("pins", "its revision has");
        page(8, 5, &[(12, false), (11, true)], &[12, 11]).finds("pins", "its revision has");
        page(8, 5, &[(11, true)], &[12, 11]).finds("subjects", "its revision has");
        page(8, 5, &[(11, true), (12, true)], &[12, 11]).finds("subjects", "its revision has");
        page(8, 9, &[(12, true), (11, true)], &[12, 11]).finds("subjects", "no write made revision 9");
        page(40, 4, &[(12, true), (11, false)], &[12]).finds("subjects", "older than is allowed");
    }

    #[test]
    fn a_root_that_is_hidden_loses_its_pin() {
        let shown = |pinned: &[i64]| {
            let mut sample = OwnedSample::default();
            sample.write(5, PIN, 12, 4).write(6, OwnedCall::Hide { comment: 12 }, 12, 5);
            sample.write(7, OwnedCall::Unhide { comment: 12 }, 12, 6);
            sample.page(8, 6, &[(12, !pinned.is_empty()), (11, false)], pinned);
            sample
        };
        shown(&[]).finds_nothing();
        shown(&[12]).finds("pins", "its revision has");
    }

    #[test]
    fn a_closed_subject_takes_no_writes_and_a_hidden_one_shows_no_list() {
        let refused = |state, call, reason: &str| {
            let mut sample = OwnedSample::default();
            sample.write(5, OwnedCall::SetState(state), 0, 4).refused(40, call, reason);
            sample
        };
        let root = OwnedCall::Root { member: 9, text: 99 };
        refused(OwnedState::Closed, root, "SUBJECT_READ_ONLY").finds_nothing();
        refused(OwnedState::Hidden, root, "SUBJECT_HIDDEN").finds_nothing();
        refused(OwnedState::Active, root, "SUBJECT_READ_ONLY").finds("subjects", "refused for SUBJECT_READ_ONLY");
        refused(OwnedState::Hidden, OwnedCall::List { fresh: false }, "SUBJECT_HIDDEN").finds_nothing();
        refused(OwnedState::Closed, OwnedCall::List { fresh: false }, "SUBJECT_HIDDEN").finds("subjects", "refused");
        refused(OwnedState::Closed, PIN, "SUBJECT_READ_ONLY").finds_nothing();
        refused(OwnedState::Active, PIN, "PIN_LIMIT_REACHED").finds("pins", "refused for PIN_LIMIT_REACHED");
        let mut written = OwnedSample::default();
        written.write(5, OwnedCall::SetState(OwnedState::Closed), 0, 4).write(6, root, 13, 5);
        written.finds("subjects", "no order of these writes explains their responses");
    }

    #[test]
    fn below_a_deleted_subject_nothing_is_found_until_it_comes_back() {
        let read = |back: bool, reason: Option<&str>| {
            let mut sample = OwnedSample::default();
            sample.write(5, OwnedCall::DeleteSubject, 0, 4);
            if back {
                sample.write(6, OwnedCall::UndeleteSubject, 0, 5);
            }
            match reason {
                Some(reason) => sample.refused(40, OwnedCall::Get { comment: 11, fresh: true }, reason),
                None => sample.get(40, 11, false),
            };
            sample
        };
        read(false, Some("COMMENT_NOT_FOUND")).finds_nothing();
        read(true, None).finds_nothing();
        read(true, Some("COMMENT_NOT_FOUND")).finds("subjects", "refused for COMMENT_NOT_FOUND");
        read(false, None).finds("subjects", "was not so during the call");
    }

    #[test]
    fn a_fourth_pin_and_a_pin_of_what_is_not_visible_are_found() {
        let mut sample = OwnedSample::default();
        for (at, id) in [(5, 13), (6, 14)] {
            sample.write(at, OwnedCall::Root { member: 9, text: id as u64 }, id, at as i64 - 1);
        }
        for (at, comment) in [(7, 11), (8, 12), (9, 13)] {
            sample.write(at, OwnedCall::Pin { comment, pinned: true, by_owner: true }, comment, at as i64 - 1);
        }
        sample.finds_nothing();
        let fourth = OwnedCall::Pin { comment: 14, pinned: true, by_owner: true };
        sample.refused(10, fourth, "PIN_LIMIT_REACHED").finds_nothing();
        sample.write(11, fourth, 14, 9).finds("pins", "no order of these writes explains their responses");
        let mut hidden = OwnedSample::default();
        hidden.write(5, OwnedCall::Hide { comment: 12 }, 12, 4).write(6, PIN, 12, 5);
        hidden.finds("pins", "no order of these writes");
    }

    #[test]
    fn the_writes_of_one_revision_may_have_any_order_that_explains_them() {
        let mut sample = OwnedSample::default();
        let unpin = OwnedCall::Pin { comment: 12, pinned: false, by_owner: true };
        sample.write(5, PIN, 12, 4).write(5, unpin, 12, 4);
        sample.page(7, 4, &[(12, false), (11, false)], &[]).finds_nothing();
        sample.page(8, 4, &[(12, true), (11, false)], &[12]).finds_nothing();
        sample.page(9, 4, &[(12, true), (11, true)], &[12, 11]).finds("pins", "its revision has");
    }
}
