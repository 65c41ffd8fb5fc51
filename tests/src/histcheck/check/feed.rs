//! Watchers receive every change of a subject once, in order, and no invented changes. This
//! holds at every server, and also when a stream breaks and is resumed after the last received
//! revision. Only changes that are too old to be sent become a gap.

use super::fixture::Fixture;
use super::quick::QuickMap;
use super::{Found, STALE};
use crate::histcheck::history::{Call, How, Outcome, TOLD, Told, What};

/// An acknowledged change: its revision, the comment, the kind of change, and its operation.
type Acknowledged = (i64, i64, How, u32);

/// Finds changes that were left out, repeated or invented.
pub(super) fn check(fixture: &Fixture<'_>, found: &mut Found) {
    // The last operation of each watcher and the last revision it received.
    let mut places: QuickMap<u32, (u32, i64)> = QuickMap::default();
    let mut acknowledged = Vec::new();
    for number in fixture.mine {
        let op = fixture.op(*number);
        let Call::Watch { after, .. } = op.call else { continue };
        let last = if let Outcome::Changes { told, last } = &op.outcome {
            if acknowledged.is_empty() {
                acknowledged = changes(fixture);
            }
            dense(found, *number, after, told, *last);
            complete(found, *number, &acknowledged, (after, *last), told);
            sound(fixture, found, *number, told);
            told.last().map_or(after, |(revision, _)| *revision)
        } else if let Outcome::Gap { first, last } = op.outcome {
            old(fixture, found, *number, after, (first, last));
            last
        } else {
            continue;
        };
        if let Some((other, seen)) = places.insert(op.client, (*number, last))
            && seen != after
        {
            found.add(
                || format!("a watch begins behind revision {after}, and its watcher saw {seen}"),
                &[other, *number],
            );
        }
    }
}

/// Returns the acknowledged changes by revision.
fn changes(fixture: &Fixture<'_>) -> Vec<Acknowledged> {
    let all = fixture.requests.iter().filter_map(|request| {
        let written = fixture.written(request)?;
        Some((written.revision, written.id, fixture.call(request).changes()?, request.first))
    });
    let mut all: Vec<_> = all.collect();
    all.sort_unstable_by_key(|(revision, ..)| *revision);
    all
}

/// Checks that a gap follows the last received revision, and that it leaves out no revision that
/// can be sent one by one.
fn old(fixture: &Fixture<'_>, found: &mut Found, number: u32, after: i64, (first, last): (i64, i64)) {
    if first != after.saturating_add(1) || last < first {
        found.add(|| format!("a gap from {first} to {last} behind revision {after}"), &[number]);
    }
    // By this time a response has shown at least the revision that the subject had at the end of
    // the watch.
    let reached = fixture.reached(fixture.op(number).ended.saturating_add(STALE)).map_or(0, |(revision, _)| revision);
    if last > reached.saturating_sub(TOLD) {
        found.add(|| format!("a gap up to {last}, though the subject is at {reached}"), &[number]);
    }
}

/// Checks that every revision was received once, up to the last.
fn dense(found: &mut Found, number: u32, after: i64, told: &[Told], last: i64) {
    let due = (after.saturating_add(1)..=last).zip(told.iter().map(|(revision, _)| *revision));
    if let Some((due, told)) = due.clone().find(|(due, told)| due != told) {
        found.add(|| format!("revision {told} is told where {due} should be"), &[number]);
    }
    let told = told.last().map_or(after, |(revision, _)| *revision);
    if told != last {
        found.add(|| format!("the last that is told is {told}, and the subject is at {last}"), &[number]);
    }
}

/// Checks that each acknowledged change was received at its revision and with its kind.
fn complete(found: &mut Found, number: u32, all: &[Acknowledged], (after, last): (i64, i64), told: &[Told]) {
    let place = |revision: i64| all.partition_point(|(of, ..)| *of <= revision);
    for (revision, id, how, first) in &all[place(after)..place(last).max(place(after))] {
        let place = told.binary_search_by_key(revision, |(revision, _)| *revision);
        let is_told = place.is_ok_and(|place| told[place].1.contains(&(*id, *how)));
        if !is_told {
            found.add(|| format!("at revision {revision} it is not told that {id} is {how:?}"), &[*first, number]);
        }
    }
}

/// Checks that each comment is created once and exists, and that each received change may have been
/// made at that time.
fn sound(fixture: &Fixture<'_>, found: &mut Found, number: u32, told: &[Told]) {
    let all = told.iter().flat_map(|(revision, comments)| comments.iter().map(move |(id, how)| (*revision, *id, *how)));
    let mut created: Vec<(i64, i64)> = Vec::new();
    for (revision, _) in told.iter().filter(|(_, comments)| comments.is_empty()) {
        found.add(|| format!("at revision {revision} nothing is told"), &[number]);
    }
    for (revision, id, how) in all {
        let Some(comment) = fixture.comment(id) else {
            // A request without a response may have been executed; only the export at the end shows
            // that.
            if fixture.export().is_none() && fixture.requests.iter().any(|request| fixture.is_lost(request)) {
                continue;
            }
            found.add(|| format!("at revision {revision} a comment is told that does not stand: {id}"), &[number]);
            continue;
        };
        if how == How::Created {
            created.push((id, revision));
        }
        let at = |known: i64| known == revision || known == 0;
        // A change cannot be received before its request is sent.
        let asked = |request: u32| fixture.requests[request as usize].begun < fixture.op(number).ended;
        let changes = comment.changes.iter().chain(&comment.open);
        let mut same = changes.filter(|change| at(change.revision) && asked(change.request));
        let was_done = match how {
            How::Created => at(comment.born) && asked(comment.request),
            How::Edited => same.any(|change| matches!(change.what, What::Text(_))),
            How::State => same.any(|change| matches!(change.what, What::Visible(_))),
            How::Other => false,
        };
        if !was_done {
            let what = || format!("at revision {revision} {id} is told as {how:?}, which no call requested");
            found.add(what, &comment.story(fixture, number));
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
    use super::super::sample_history::{SampleHistory, item};
    use super::{Call, How, Outcome, TOLD};

    /// Returns two roots, of which the first is edited, with the changes that a watcher received.
    fn told(changes: &[(i64, i64, How)]) -> SampleHistory {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2).edit(3, 11, 99, Some(3));
        let mut edited = item(11, 1);
        edited.text = 99;
        sample_history.export(8, &[edited, item(12, 2)], &[]).changes(9, 1, changes, 3);
        sample_history
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
        told(&[SECOND, (3, 11, How::Other)]).has("feed", "11 is told as Other, which no call requested");
        told(&[(2, 12, How::Edited), EDIT]).has("feed", "at revision 2 12 is told as Edited, which no call requested");
        told(&[(2, 12, How::Created), (3, 12, How::Created)]).has("feed", "created at revision 2 and at 3");
    }

    /// Returns the changes that one watcher received by two streams, the second of which begins
    /// after the given revision.
    fn resumed(after: i64, changes: &[(i64, i64, How)]) -> SampleHistory {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2).edit(3, 11, 99, Some(3));
        sample_history.changes(4, 1, &[SECOND], 2).last(|op| op.client = 7);
        let mut edited = item(11, 1);
        edited.text = 99;
        let last = changes.last().map_or(after, |(revision, ..)| *revision);
        sample_history.changes(5, after, changes, last).last(|op| op.client = 7).export(9, &[edited, item(12, 2)], &[]);
        sample_history
    }

    #[test]
    fn a_stream_that_breaks_is_resumed_where_its_watcher_was() {
        resumed(2, &[EDIT]).has_none();
        // A watcher that left, or whose stream broke, has not received the later changes.
        resumed(2, &[]).has_none();
        resumed(3, &[]).has("feed", "a watch begins behind revision 3, and its watcher saw 2");
        resumed(1, &[SECOND, EDIT]).has("feed", "a watch begins behind revision 1, and its watcher saw 2");
        resumed(2, &[(3, 12, How::Created)]).has("feed", "it is not told that 11 is Edited");
    }

    #[test]
    fn two_watchers_are_told_the_same_each_for_itself() {
        let mut sample_history = resumed(2, &[EDIT]);
        sample_history.changes(6, 1, &[SECOND, EDIT], 3).last(|op| op.client = 8);
        sample_history.has_none();
    }

    #[test]
    fn what_is_told_before_it_was_asked_for_is_found() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).changes(2, 1, &[SECOND], 2).root(3, 12, 2, 2);
        sample_history
            .export(9, &[item(11, 1), item(12, 2)], &[])
            .has("feed", "12 is told as Created, which no call requested");
    }

    #[test]
    fn what_nobody_answered_may_be_told_if_it_stands_or_nobody_looked() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).unknown_root(2, 12).changes(4, 1, &[SECOND], 2).has_none();
        sample_history.export(9, &[item(11, 1), item(12, 2)], &[]).has_none();
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).unknown_root(2, 12).changes(4, 1, &[SECOND], 2).export(9, &[item(11, 1)], &[]);
        sample_history.has("feed", "does not stand: 12");
    }

    /// Returns a gap from `first` to `last` after revision 1, while the subject is at revision
    /// `at`.
    fn gap(first: i64, last: i64, at: i64) -> SampleHistory {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).counts(2, at, 1, 1);
        sample_history.op(3, Call::Watch { subject: 0, after: 1 }, Outcome::Gap { first, last });
        sample_history
    }

    #[test]
    fn a_gap_of_what_is_too_old_is_fine_and_another_is_found() {
        gap(2, 5, 5 + TOLD).has_none();
        gap(2, 6, 5 + TOLD).has("feed", "a gap up to 6, though the subject is at 1029");
        gap(3, 5, 5 + TOLD).has("feed", "a gap from 3 to 5 behind revision 1");
        let mut sample_history = gap(2, 5, 5 + TOLD);
        sample_history.last(|op| op.client = 7).changes(4, 2, &[], 2).last(|op| op.client = 7);
        sample_history.has("feed", "a watch begins behind revision 2, and its watcher saw 5");
    }
}
