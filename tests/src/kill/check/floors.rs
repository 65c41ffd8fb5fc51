//! Floors are dense, unique, and in the order of responses.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Fault;
use crate::kill::history::Op;
use crate::kill::seen::Seen;

/// One operation on a floor sequence: begun, ended, floor, and its index in the history.
type Given = (Duration, Duration, i32, usize);

/// Finds floors that are missing, assigned twice, or lower than a floor that was answered before
/// they were requested.
pub(super) fn check(history: &[Op], seen: &Seen, faults: &mut Vec<Fault>) {
    let mut spaces: BTreeMap<(usize, i64), Vec<i32>> = BTreeMap::new();
    let mut space_of = BTreeMap::new();
    for row in &seen.rows {
        // The roots of a subject form one sequence, the replies of a root another.
        let space = (row.subject, row.root);
        spaces.entry(space).or_default().push(row.floor);
        space_of.insert(row.id, space);
    }
    for ((subject, root), floors) in &mut spaces {
        floors.sort_unstable();
        if let Some((found, due)) = floors.iter().zip(1..).find(|(floor, due)| *floor != due) {
            let what = format!("subject {subject}, root {root}: floor {found} stands where {due} should");
            faults.push(Fault { what, ops: Vec::new() });
        }
    }
    let mut given: BTreeMap<(usize, i64), Vec<Given>> = BTreeMap::new();
    for (number, op) in history.iter().enumerate().filter(|(_, op)| op.act.makes().is_some()) {
        let Some(answer) = op.answer() else { continue };
        if let Some(space) = space_of.get(&answer.id) {
            given.entry(*space).or_default().push((op.begun, op.ended, answer.floor, number));
        }
    }
    given.into_values().for_each(|given| order(given, faults));
}

/// Goes through one sequence in the order of time, with the highest floor that was answered before
/// each request.
fn order(mut given: Vec<Given>, faults: &mut Vec<Fault>) {
    given.sort_unstable();
    let mut ended = given.clone();
    ended.sort_unstable_by_key(|(_, ended, ..)| *ended);
    let mut ended = ended.into_iter().peekable();
    let mut highest: Option<(i32, usize)> = None;
    for (begun, _, floor, number) in given {
        while let Some((_, _, before, other)) = ended.next_if(|(_, ended, ..)| *ended < begun) {
            highest = highest.max(Some((before, other)));
        }
        if let Some((before, other)) = highest.filter(|(before, _)| *before >= floor) {
            let what = format!("floor {before} was answered before the request that got floor {floor}");
            faults.push(Fault { what, ops: vec![other, number] });
        }
    }
}
