//! Floors are dense, assigned once, and in the order of time.

use std::collections::BTreeMap;

use super::Findings;
use super::subject_history::{Comment, SubjectHistory};
use crate::histcheck::history::{Nanos, Outcome};

/// An acknowledged create. The order of creates is that of their first attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct AcknowledgedCreate {
    begun: Nanos,
    acknowledged: Nanos,
    floor: i32,
    op: u32,
}

/// Finds floors that are missing, assigned twice or out of order.
pub(super) fn check(history: &SubjectHistory<'_>, findings: &mut Findings) {
    let mut lists: BTreeMap<i64, Vec<&Comment>> = BTreeMap::new();
    for comment in &history.comments {
        lists.entry(comment.root).or_default().push(comment);
    }
    for comments in lists.values_mut() {
        comments.sort_by_key(|comment| comment.floor);
        check_unique(history, findings, comments);
        check_order(history, findings, comments);
    }
    if let Some((number, Outcome::Export { rows, .. })) = history.export() {
        let mut floors: BTreeMap<i64, Vec<i32>> = BTreeMap::new();
        rows.iter().for_each(|row| floors.entry(row.root).or_default().push(row.floor));
        for (root, floors) in &mut floors {
            floors.sort_unstable();
            if let Some((expected, floor)) = (1..).zip(&*floors).find(|(expected, floor)| expected != *floor) {
                findings.add(|| format!("below {root}: floor {floor} instead of {expected}"), &[number]);
            }
        }
    }
}

/// Checks that no floor occurs twice, and that revisions are in the order of floors.
fn check_unique(history: &SubjectHistory<'_>, findings: &mut Findings, comments: &[&Comment]) {
    for pair in comments.windows(2) {
        let ops = || [0, 1].map(|at| history.request(pair[at].request).first);
        if pair[0].floor == pair[1].floor {
            findings
                .add(|| format!("floor {} was assigned to {} and {}", pair[0].floor, pair[0].id, pair[1].id), &ops());
        }
        if pair[0].created_revision > pair[1].created_revision && pair[1].created_revision != 0 {
            let (low, high) = (pair[0].floor, pair[1].floor);
            findings.add(|| format!("floor {low} is of a later revision than floor {high}"), &ops());
        }
    }
}

/// Checks the floors of one list in the order of time: a floor is above all floors that were
/// returned before its create was sent.
fn check_order(history: &SubjectHistory<'_>, findings: &mut Findings, comments: &[&Comment]) {
    let mut creates: Vec<AcknowledgedCreate> = Vec::with_capacity(comments.len());
    for comment in comments {
        let request = history.request(comment.request);
        if let Some(acknowledged) = request.outcome.acknowledged_at() {
            let (begun, floor, op) = (request.begun, comment.floor, request.first);
            creates.push(AcknowledgedCreate { begun, acknowledged, floor, op });
        }
    }
    creates.sort_unstable();
    let mut ends = creates.clone();
    ends.sort_unstable_by_key(|create| create.acknowledged);
    let mut ends = ends.into_iter().peekable();
    let mut highest: Option<(i32, u32)> = None;
    for create in creates {
        while let Some(earlier) = ends.next_if(|earlier| earlier.acknowledged < create.begun) {
            highest = highest.max(Some((earlier.floor, earlier.op)));
        }
        if let Some((floor, op)) = highest.filter(|(floor, _)| *floor >= create.floor) {
            let description =
                || format!("floor {floor} was returned before the request that got floor {} was sent", create.floor);
            findings.add(description, &[op, create.op]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::{SampleHistory, below, item};

    #[test]
    fn dense_floors_in_order_are_valid_and_concurrent_creates_may_have_either_order() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 3, 3).root(2, 13, 2, 2).reply(3, 11, 21, 1, 4);
        sample_history.export(9, &[item(11, 1), item(12, 3), item(13, 2), below(11, 21, 1)], &[]);
        sample_history.finds_nothing_of("floors");
    }

    #[test]
    fn a_missing_floor_is_found() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 3, 3).export(9, &[item(11, 1), item(12, 3)], &[]);
        sample_history.finds("floors", "floor 3 instead of 2");
    }

    #[test]
    fn a_floor_that_is_assigned_twice_is_found() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(1, 12, 1, 1);
        sample_history.finds("floors", "floor 1 was assigned to 11 and 12");
    }

    #[test]
    fn a_later_request_with_a_lower_floor_is_found() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 2, 1).root(2, 12, 1, 2);
        sample_history.finds("floors", "floor 2 was returned before");
        sample_history.finds("floors", "floor 1 is of a later revision than floor 2");
    }
}
