//! Watchers are told every change of a subject once, in order, and nothing that was not done (I9).

use super::Found;
use super::scene::{Scene, What};
use crate::histcheck::history::{Call, How, Outcome, Told};

/// Finds changes that were left out, told twice or made up.
pub(super) fn check(scene: &Scene<'_>, found: &mut Found) {
    for number in scene.mine {
        let op = scene.op(*number);
        if let (Call::Watch { after, .. }, Outcome::Changes { told, last }) = (&op.call, &op.outcome) {
            dense(found, *number, *after, told, *last);
            complete(scene, found, *number, *after, told);
            sound(scene, found, *number, told);
        }
    }
}

/// Every revision once, up to the last.
fn dense(found: &mut Found, number: u32, after: i64, told: &[Told], last: i64) {
    let due = (after + 1..=last).zip(told.iter().map(|(revision, _)| *revision));
    if let Some((due, told)) = due.clone().find(|(due, told)| due != told) {
        found.add(|| format!("revision {told} is told where {due} should be"), &[number]);
    }
    let told = told.last().map_or(after, |(revision, _)| *revision);
    if told != last {
        found.add(|| format!("the last that is told is {told}, and the subject is at {last}"), &[number]);
    }
}

/// What was acknowledged is told at its revision, as what it was.
fn complete(scene: &Scene<'_>, found: &mut Found, number: u32, after: i64, told: &[Told]) {
    for request in &scene.requests {
        let Some(written) = scene.written(request).filter(|written| written.revision > after) else { continue };
        let Some(how) = scene.call(request).changes() else { continue };
        let place = told.binary_search_by_key(&written.revision, |(revision, _)| *revision);
        let is_told = place.is_ok_and(|place| told[place].1.contains(&(written.id, how)));
        if !is_told {
            let what = || format!("at revision {} it is not told that {} is {how:?}", written.revision, written.id);
            found.add(what, &[request.first, number]);
        }
    }
}

/// Each comment comes into being once, and only those that stand; nothing is told of one that nobody may have done then.
fn sound(scene: &Scene<'_>, found: &mut Found, number: u32, told: &[Told]) {
    let all = told.iter().flat_map(|(revision, comments)| comments.iter().map(move |(id, how)| (*revision, *id, *how)));
    let mut created: Vec<(i64, i64)> = Vec::new();
    for (revision, _) in told.iter().filter(|(_, comments)| comments.is_empty()) {
        found.add(|| format!("at revision {revision} nothing is told"), &[number]);
    }
    for (revision, id, how) in all {
        let Some(comment) = scene.comment(id) else {
            found.add(|| format!("at revision {revision} a comment is told that does not stand: {id}"), &[number]);
            continue;
        };
        if how == How::Created {
            created.push((id, revision));
        }
        let at = |known: i64| known == revision || known == 0;
        let changes = comment.changes.iter().chain(&comment.open);
        let mut same = changes.filter(|change| at(change.revision));
        let was_done = match how {
            How::Created => at(comment.born),
            How::Edited => same.any(|change| matches!(change.what, What::Text(_))),
            How::State => same.any(|change| matches!(change.what, What::Visible(_))),
            How::Other => false,
        };
        if !was_done {
            let ops = [comment.story(scene), vec![number]].concat();
            found.add(|| format!("at revision {revision} {id} is told as {how:?}, which nobody did"), &ops);
        }
    }
    created.sort_unstable();
    for twins in created.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let (id, first, second) = (twins[0].0, twins[0].1, twins[1].1);
        found.add(|| format!("{id} is told to be created at revision {first} and at {second}"), &[number]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::sketch::{Sketch, item};
    use super::How;

    /// Two roots, of which the first is edited, as far as watchers are told.
    fn told(changes: &[(i64, i64, How)]) -> Sketch {
        let mut sketch = Sketch::default();
        sketch.root(1, 11, 1, 1).root(2, 12, 2, 2).edit(3, 11, 99, Some(3));
        let mut edited = item(11, 1);
        edited.text = 99;
        sketch.export(8, &[edited, item(12, 2)], &[]).changes(9, 1, changes, 3);
        sketch
    }

    const SECOND: (i64, i64, How) = (2, 12, How::Created);
    const EDIT: (i64, i64, How) = (3, 11, How::Edited);

    #[test]
    fn every_change_once_and_in_order_is_fine() {
        told(&[SECOND, EDIT]).has_none();
    }

    #[test]
    fn a_change_that_is_left_out_or_told_twice_is_found() {
        told(&[EDIT]).has("feed", "revision 3 is told where 2 should be");
        told(&[SECOND]).has("feed", "the last that is told is 2");
        told(&[SECOND, SECOND, EDIT]).has("feed", "revision 2 is told where 3 should be");
    }

    #[test]
    fn what_was_acknowledged_is_told_as_what_it_was() {
        told(&[SECOND, (3, 11, How::State)]).has("feed", "it is not told that 11 is Edited");
        told(&[(2, 11, How::Created), EDIT]).has("feed", "it is not told that 12 is Created");
    }

    #[test]
    fn what_nobody_did_is_found() {
        told(&[SECOND, (3, 13, How::Created)]).has("feed", "does not stand: 13");
        told(&[SECOND, (3, 11, How::Other)]).has("feed", "11 is told as Other, which nobody did");
        told(&[(2, 12, How::Edited), EDIT]).has("feed", "at revision 2 12 is told as Edited, which nobody did");
        told(&[(2, 12, How::Created), (3, 12, How::Created)]).has("feed", "created at revision 2 and at 3");
    }
}
