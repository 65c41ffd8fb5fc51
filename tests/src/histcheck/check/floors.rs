//! Floors are dense, assigned once, and in the order of time.

use std::collections::BTreeMap;

use super::Found;
use super::fixture::{Comment, Fixture};
use crate::histcheck::history::{Nanos, Outcome};

/// An acknowledged create: begun, ended, floor, revision, its operation.
type Given = (Nanos, Nanos, i32, i64, u32);

/// Finds floors that are missing, assigned twice or out of order.
pub(super) fn check(fixture: &Fixture<'_>, found: &mut Found) {
    let mut spaces: BTreeMap<i64, Vec<&Comment>> = BTreeMap::new();
    for comment in &fixture.comments {
        spaces.entry(comment.root).or_default().push(comment);
    }
    for comments in spaces.values_mut() {
        comments.sort_by_key(|comment| comment.floor);
        unique(fixture, found, comments);
        order(fixture, found, comments);
    }
    if let Some((number, Outcome::Export { rows, .. })) = fixture.export() {
        let mut floors: BTreeMap<i64, Vec<i32>> = BTreeMap::new();
        rows.iter().for_each(|row| floors.entry(row.root).or_default().push(row.floor));
        for (root, floors) in &mut floors {
            floors.sort_unstable();
            if let Some((due, stands)) = (1..).zip(&*floors).find(|(due, stands)| due != *stands) {
                found.add(|| format!("below {root}: floor {stands} stands where {due} should"), &[number]);
            }
        }
    }
}

/// Checks that no floor occurs twice, and that revisions are in the order of floors.
fn unique(fixture: &Fixture<'_>, found: &mut Found, comments: &[&Comment]) {
    for pair in comments.windows(2) {
        let ops = || [0, 1].map(|at| fixture.requests[pair[at].request as usize].first);
        if pair[0].floor == pair[1].floor {
            found.add(|| format!("floor {} was given to {} and {}", pair[0].floor, pair[0].id, pair[1].id), &ops());
        }
        if pair[0].born > pair[1].born && pair[1].born != 0 {
            let (low, high) = (pair[0].floor, pair[1].floor);
            found.add(|| format!("floor {low} is of a later revision than floor {high}"), &ops());
        }
    }
}

/// Goes through one floor sequence in the order of time, with the highest floor that was answered
/// before each request.
fn order(fixture: &Fixture<'_>, found: &mut Found, comments: &[&Comment]) {
    let mut given: Vec<Given> = Vec::with_capacity(comments.len());
    for comment in comments {
        let request = &fixture.requests[comment.request as usize];
        if let Some(ended) = request.fate.ended() {
            given.push((request.begun, ended, comment.floor, comment.born, request.first));
        }
    }
    given.sort_unstable();
    let mut ended = given.clone();
    ended.sort_unstable_by_key(|(_, ended, ..)| *ended);
    let mut ended = ended.into_iter().peekable();
    let mut highest: Option<(i32, u32)> = None;
    for (begun, _, floor, _, op) in given {
        while let Some((_, _, before, _, other)) = ended.next_if(|(_, ended, ..)| *ended < begun) {
            highest = highest.max(Some((before, other)));
        }
        if let Some((before, other)) = highest.filter(|(before, _)| *before >= floor) {
            let what = || format!("floor {before} was answered before the request that got floor {floor} was sent");
            found.add(what, &[other, op]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::{SampleHistory, below, item};

    #[test]
    fn dense_floors_in_order_are_fine_and_two_at_once_may_take_either_order() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 3, 3).root(2, 13, 2, 2).reply(3, 11, 21, 1, 4);
        sample_history.export(9, &[item(11, 1), item(12, 3), item(13, 2), below(11, 21, 1)], &[]);
        sample_history.has_none_of("floors");
    }

    #[test]
    fn a_hole_is_found() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 3, 3).export(9, &[item(11, 1), item(12, 3)], &[]);
        sample_history.has("floors", "floor 3 stands where 2 should");
    }

    #[test]
    fn a_floor_given_twice_is_found() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(1, 12, 1, 1);
        sample_history.has("floors", "floor 1 was given to 11 and 12");
    }

    #[test]
    fn a_later_request_with_a_lower_floor_is_found() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 2, 1).root(2, 12, 1, 2);
        sample_history.has("floors", "floor 2 was answered before");
        sample_history.has("floors", "floor 1 is of a later revision than floor 2");
    }
}
