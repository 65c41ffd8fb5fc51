//! The states of a subject with an owner at each of its revisions.

use std::collections::BTreeMap;

use super::model::ModelSubject;
use super::{PINS, SUBJECTS, Violation};
use crate::histcheck::history::{Call, Nanos, Op, Outcome, OwnedCall, OwnedResponse, RequestId};

/// The most writes of one revision whose orders are tried.
const WRITES_MAX: usize = 5;

/// The revisions of a subject, in their order.
#[derive(Debug)]
pub(super) struct Timeline {
    pub(super) points: Vec<RevisionPoint>,
}

/// A revision of a subject.
#[derive(Debug)]
pub(super) struct RevisionPoint {
    pub(super) revision: i64,
    /// The time at which the first of its writes was sent.
    pub(super) begun: Nanos,
    /// The time of the first response to one of them.
    known: Nanos,
    /// The states that it may have.
    pub(super) states: Vec<ModelSubject>,
    /// The same with those between the writes of the revision.
    during: Vec<ModelSubject>,
}

/// An acknowledged write.
#[derive(Debug, Clone, Copy)]
struct Write {
    revision: i64,
    begun: Nanos,
    known: Nanos,
    call: OwnedCall,
    comment: i64,
    op: u32,
}

impl Timeline {
    /// Returns the states of a subject; `None` if a write has no response, or too many have one
    /// revision.
    ///
    /// # Errors
    /// Returns a violation if no order of the writes explains their responses.
    pub(super) fn of(ops: &[Op], numbers: &[u32]) -> Result<Option<Self>, Violation> {
        let Some(writes) = writes(ops, numbers) else { return Ok(None) };
        let mut timeline = Self { points: Vec::new() };
        for group in writes.chunk_by(|one, next| one.revision == next.revision) {
            if group.len() > WRITES_MAX {
                return Ok(None);
            }
            let before = timeline.points.last().map_or(&[][..], |point| &point.states);
            let (mut states, mut during) = (Vec::new(), Vec::new());
            for state in before {
                follow(state, group, &mut during, &mut states);
            }
            if let ([], [Write { call: OwnedCall::Make, .. }, rest @ ..]) = (before, group) {
                follow(&ModelSubject::new(), rest, &mut during, &mut states);
            }
            if states.is_empty() {
                let rule =
                    if group.iter().any(|write| matches!(write.call, OwnedCall::Pin { .. })) { PINS } else { SUBJECTS };
                let calls: Vec<OwnedCall> = group.iter().map(|write| write.call).collect();
                let description =
                    format!("no order of these writes explains their responses: {calls:?} after {before:?}");
                return Err(Violation { rule, description, ops: group.iter().map(|write| write.op).collect() });
            }
            let begun = group.iter().map(|write| write.begun).min().unwrap_or_default();
            let known = group.iter().map(|write| write.known).min().unwrap_or(Nanos::MAX);
            timeline.points.push(RevisionPoint { revision: group[0].revision, begun, known, states, during });
        }
        Ok(Some(timeline))
    }

    /// Returns the index of the newest revision that was known before a time.
    pub(super) fn reached(&self, time: Nanos) -> Option<usize> {
        self.points.iter().rposition(|point| point.known < time)
    }

    /// Returns the states that the subject may have had in an interval.
    pub(super) fn states(&self, begun: Nanos, ended: Nanos) -> impl Iterator<Item = &ModelSubject> {
        let reached = self.reached(begun);
        let first = reached.map(|reached| &self.points[reached].states);
        let later = self.points[reached.map_or(0, |reached| reached + 1)..].iter();
        let later = later.filter(move |point| point.begun < ended).flat_map(|point| &point.during);
        first.into_iter().flatten().chain(later)
    }
}

/// Adds the states that these writes lead to, in all orders that explain their responses.
fn follow(state: &ModelSubject, writes: &[Write], during: &mut Vec<ModelSubject>, last: &mut Vec<ModelSubject>) {
    if writes.is_empty() && !last.contains(state) {
        last.push(state.clone());
    }
    if !during.contains(state) {
        during.push(state.clone());
    }
    for (at, write) in writes.iter().enumerate() {
        if state.rejection(write.call).is_none() {
            let mut next = state.clone();
            next.apply(write.call, write.comment);
            let rest: Vec<Write> = [&writes[..at], &writes[at + 1..]].concat();
            follow(&next, &rest, during, last);
        }
    }
}

/// Returns the acknowledged writes by revision; `None` if one may have been executed without a
/// response.
fn writes(ops: &[Op], numbers: &[u32]) -> Option<Vec<Write>> {
    let mut requests: BTreeMap<RequestId, Vec<u32>> = BTreeMap::new();
    for number in numbers.iter().filter(|number| ops[**number as usize].request != (0, 0)) {
        requests.entry(ops[*number as usize].request).or_default().push(*number);
    }
    let mut writes = Vec::new();
    for attempts in requests.values() {
        let first = &ops[attempts[0] as usize];
        let Call::Owned { call, .. } = first.call else { continue };
        let acknowledged = attempts.iter().find_map(|number| {
            let op = &ops[*number as usize];
            let Outcome::Owned(OwnedResponse::Written { comment, revision }) = op.outcome else { return None };
            Some(Write { revision, begun: first.begun, known: op.ended, call, comment, op: *number })
        });
        if let Some(write) = acknowledged {
            writes.push(write);
        } else if attempts.iter().any(|number| matches!(ops[*number as usize].outcome, Outcome::Unknown(_))) {
            return None;
        }
    }
    writes.sort_by_key(|write| (write.revision, write.begun));
    Some(writes)
}
