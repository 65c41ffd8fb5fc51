//! Watchers receive every change of a subject once, in order, and no change that was not made. This
//! holds at every server, and also when a stream breaks and is resumed after the last received
//! revision. Only changes that are too old to be sent are reported as a gap.

use super::int_map::IntMap;
use super::subject_history::{Comment, SubjectHistory};
use super::{Findings, MAX_AGE};
use crate::histcheck::history::{Call, ChangeKind, Outcome, Property, WATCH_WINDOW, WatchedChange};

/// An acknowledged change: its revision, the comment, the kind of change, and its operation.
type AcknowledgedChange = (i64, i64, ChangeKind, u32);

/// Finds changes that were left out, repeated or never made.
pub(super) fn check(history: &SubjectHistory<'_>, findings: &mut Findings) {
    // The last operation of each watcher and the last revision it received.
    let mut watchers: IntMap<u32, (u32, i64)> = IntMap::default();
    let mut acknowledged = Vec::new();
    for number in history.op_numbers {
        let op = history.op(*number);
        let Call::Watch { after, .. } = op.call else { continue };
        let last = if let Outcome::Changes { changes: received, last } = &op.outcome {
            if acknowledged.is_empty() {
                acknowledged = acknowledged_changes(history);
            }
            check_dense(findings, *number, after, received, *last);
            check_complete(findings, *number, &acknowledged, (after, *last), received);
            check_requested(history, findings, *number, received);
            last_revision(received, after)
        } else if let Outcome::Gap { first, last } = op.outcome {
            if last < first {
                let received = watchers.get(&op.client).map_or(0, |(_, received)| *received);
                check_backward_gap(history, findings, *number, (after, received), (first, last));
            } else {
                check_gap(history, findings, *number, after, (first, last));
            }
            last
        } else {
            continue;
        };
        // A watch after revision 0 begins with the next change.
        if let Some((other, received)) = watchers.insert(op.client, (*number, last))
            && received != 0
            && received != after
        {
            findings.add(
                || format!("a watch begins after revision {after}, and its watcher has received {received}"),
                &[other, *number],
            );
        }
    }
}

/// Returns the last revision of received changes, or `after` if there are no changes.
fn last_revision(received: &[WatchedChange], after: i64) -> i64 {
    received.last().map_or(after, |(revision, _)| *revision)
}

/// Returns the acknowledged changes by revision.
fn acknowledged_changes(history: &SubjectHistory<'_>) -> Vec<AcknowledgedChange> {
    let all = history.requests.iter().filter_map(|request| {
        let written = history.written(request)?;
        Some((written.revision, written.id, history.call(request).changes()?, request.first))
    });
    let mut all: Vec<_> = all.collect();
    all.sort_unstable_by_key(|(revision, ..)| *revision);
    all
}

/// Checks that a gap follows the last received revision, and that it leaves out no revision that
/// can be sent one by one.
fn check_gap(
    history: &SubjectHistory<'_>,
    findings: &mut Findings,
    number: u32,
    after: i64,
    (first, last): (i64, i64),
) {
    if first != after.saturating_add(1) {
        findings.add(|| format!("a gap from {first} to {last} after revision {after}"), &[number]);
    }
    // By this time a response has shown at least the revision that the subject had at the end of
    // the watch.
    let until = history.op(number).ended.saturating_add(MAX_AGE);
    let reached = history.highest_returned(until).map_or(0, |(revision, _)| revision);
    if last > reached.saturating_sub(WATCH_WINDOW) {
        findings.add(|| format!("a gap up to {last}, though the subject is at {reached}"), &[number]);
    }
}

/// Checks that a gap to an earlier revision, where the numbering would have gone back, begins a
/// watch after a revision that the subject did not have yet. No run restores a backup.
fn check_backward_gap(
    history: &SubjectHistory<'_>,
    findings: &mut Findings,
    number: u32,
    (after, received): (i64, i64),
    (first, last): (i64, i64),
) {
    let reached = history.highest_returned(history.op(number).begun).map_or(0, |(revision, _)| revision);
    let requested = first.saturating_sub(1);
    if last != after || last >= requested || reached.max(received) >= requested {
        findings.add(
            || format!("a gap from {first} back to {last} after revision {after}, with {received} received and {reached} returned before"),
            &[number],
        );
    }
}

/// Checks that every revision was received once, up to the last.
fn check_dense(findings: &mut Findings, number: u32, after: i64, received: &[WatchedChange], last: i64) {
    let mut pairs = (after.saturating_add(1)..=last).zip(received.iter().map(|(revision, _)| *revision));
    if let Some((expected, revision)) = pairs.find(|(expected, revision)| expected != revision) {
        findings.add(|| format!("revision {revision} is received instead of {expected}"), &[number]);
    }
    let revision = last_revision(received, after);
    if revision != last {
        findings.add(|| format!("the last received revision is {revision}, and the subject is at {last}"), &[number]);
    }
}

/// Checks that each acknowledged change was received at its revision and with its kind.
fn check_complete(
    findings: &mut Findings,
    number: u32,
    acknowledged: &[AcknowledgedChange],
    (after, last): (i64, i64),
    received: &[WatchedChange],
) {
    let end = |revision: i64| acknowledged.partition_point(|(at, ..)| *at <= revision);
    for (revision, id, kind, first) in &acknowledged[end(after)..end(last).max(end(after))] {
        let index = received.binary_search_by_key(revision, |(revision, _)| *revision);
        let is_received = index.is_ok_and(|index| received[index].1.contains(&(*id, *kind)));
        if !is_received {
            findings.add(|| format!("revision {revision} lacks the change of {id}: {kind:?}"), &[*first, number]);
        }
    }
}

/// Checks that each received change was requested before, and that each comment exists and is
/// created once.
fn check_requested(history: &SubjectHistory<'_>, findings: &mut Findings, number: u32, received: &[WatchedChange]) {
    for (revision, _) in received.iter().filter(|(_, comments)| comments.is_empty()) {
        findings.add(|| format!("revision {revision} is received without a change"), &[number]);
    }
    let changes =
        received.iter().flat_map(|(revision, comments)| comments.iter().map(move |(id, kind)| (*revision, *id, *kind)));
    let mut created: Vec<(i64, i64)> = Vec::new();
    for (revision, id, kind) in changes {
        let Some(comment) = history.comment(id) else {
            // A request without a response may have been executed; only the export at the end shows
            // that.
            if history.export().is_none() && history.requests.iter().any(|request| history.may_have_created(request)) {
                continue;
            }
            findings.add(|| format!("revision {revision} changes a comment that does not exist: {id}"), &[number]);
            continue;
        };
        if kind == ChangeKind::Created {
            created.push((id, revision));
        }
        if !may_have_made(history, comment, kind, revision, number) {
            let description = || format!("revision {revision} has a change of {id} that no call requested: {kind:?}");
            findings.add(description, &comment.explaining_ops(history, number));
        }
    }
    created.sort_unstable();
    for pair in created.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let (id, first, second) = (pair[0].0, pair[0].1, pair[1].1);
        findings.add(|| format!("{id} is received as created at revision {first} and at {second}"), &[number]);
    }
}

/// Returns true if a request for this kind of change may have made this revision, and was sent
/// before the watch ended.
fn may_have_made(history: &SubjectHistory<'_>, comment: &Comment, kind: ChangeKind, revision: i64, watch: u32) -> bool {
    let matches = |known: i64| known == revision || known == 0;
    let was_sent = |request: u32| history.request(request).begun < history.op(watch).ended;
    let mut changes = comment
        .changes
        .iter()
        .chain(&comment.possible_changes)
        .filter(|change| matches(change.revision) && was_sent(change.request));
    match kind {
        ChangeKind::Created => matches(comment.created_revision) && was_sent(comment.request),
        ChangeKind::Edited => changes.any(|change| matches!(change.property, Property::Text(_))),
        ChangeKind::State => changes.any(|change| matches!(change.property, Property::Visible(_))),
        ChangeKind::Other => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample_history::{SampleHistory, item};
    use super::{Call, ChangeKind, Outcome, WATCH_WINDOW};

    /// Returns two roots, of which the first is edited, with the changes that a watcher received.
    fn watched(changes: &[(i64, i64, ChangeKind)]) -> SampleHistory {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2).edit(3, 11, 99, Some(3));
        let mut edited = item(11, 1);
        edited.text = 99;
        sample_history.export(8, &[edited, item(12, 2)], &[]).changes(9, 1, changes, 3);
        sample_history
    }

    const SECOND: (i64, i64, ChangeKind) = (2, 12, ChangeKind::Created);
    const EDIT: (i64, i64, ChangeKind) = (3, 11, ChangeKind::Edited);

    #[test]
    fn every_change_once_and_in_order_is_valid() {
        watched(&[SECOND, EDIT]).finds_nothing();
    }

    #[test]
    fn a_change_that_is_missing_or_received_twice_is_found() {
        watched(&[EDIT]).finds("watches", "revision 3 is received instead of 2");
        watched(&[SECOND]).finds("watches", "the last received revision is 2");
        watched(&[SECOND, SECOND, EDIT]).finds("watches", "revision 2 is received instead of 3");
    }

    #[test]
    fn an_acknowledged_change_is_received_with_its_kind() {
        watched(&[SECOND, (3, 11, ChangeKind::State)]).finds("watches", "revision 3 lacks the change of 11: Edited");
        watched(&[(2, 11, ChangeKind::Created), EDIT]).finds("watches", "revision 2 lacks the change of 12: Created");
    }

    #[test]
    fn a_change_that_no_call_requested_is_found() {
        watched(&[SECOND, (3, 13, ChangeKind::Created)]).finds("watches", "does not exist: 13");
        watched(&[SECOND, (3, 11, ChangeKind::Other)]).finds("watches", "a change of 11 that no call requested: Other");
        watched(&[(2, 12, ChangeKind::Edited), EDIT])
            .finds("watches", "revision 2 has a change of 12 that no call requested: Edited");
        watched(&[(2, 12, ChangeKind::Created), (3, 12, ChangeKind::Created)])
            .finds("watches", "created at revision 2 and at 3");
    }

    /// Returns the changes that one watcher received by two streams, the second of which begins
    /// after revision `after`.
    fn resumed(after: i64, changes: &[(i64, i64, ChangeKind)]) -> SampleHistory {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).root(2, 12, 2, 2).edit(3, 11, 99, Some(3));
        sample_history.changes(4, 1, &[SECOND], 2).change_last(|op| op.client = 7);
        let mut edited = item(11, 1);
        edited.text = 99;
        let last = changes.last().map_or(after, |(revision, ..)| *revision);
        sample_history.changes(5, after, changes, last).change_last(|op| op.client = 7).export(
            9,
            &[edited, item(12, 2)],
            &[],
        );
        sample_history
    }

    #[test]
    fn a_stream_is_resumed_after_the_last_received_revision() {
        resumed(2, &[EDIT]).finds_nothing();
        // A watcher whose stream ended or broke has not received the later changes.
        resumed(2, &[]).finds_nothing();
        resumed(3, &[]).finds("watches", "a watch begins after revision 3, and its watcher has received 2");
        resumed(1, &[SECOND, EDIT]).finds("watches", "a watch begins after revision 1, and its watcher has received 2");
        resumed(2, &[(3, 12, ChangeKind::Created)]).finds("watches", "revision 3 lacks the change of 11: Edited");
    }

    #[test]
    fn two_watchers_receive_the_same_changes_independently() {
        let mut sample_history = resumed(2, &[EDIT]);
        sample_history.changes(6, 1, &[SECOND, EDIT], 3).change_last(|op| op.client = 8);
        sample_history.finds_nothing();
    }

    #[test]
    fn a_change_that_is_received_before_its_request_is_found() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).changes(2, 1, &[SECOND], 2).root(3, 12, 2, 2);
        sample_history
            .export(9, &[item(11, 1), item(12, 2)], &[])
            .finds("watches", "a change of 12 that no call requested: Created");
    }

    #[test]
    fn a_create_without_a_response_may_be_received_if_its_comment_exists_or_no_export_shows_otherwise() {
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).unknown_root(2, 12).changes(4, 1, &[SECOND], 2).finds_nothing();
        sample_history.export(9, &[item(11, 1), item(12, 2)], &[]).finds_nothing();
        let mut sample_history = SampleHistory::default();
        sample_history.root(1, 11, 1, 1).unknown_root(2, 12).changes(4, 1, &[SECOND], 2).export(9, &[item(11, 1)], &[]);
        sample_history.finds("watches", "does not exist: 12");
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
    fn a_gap_of_changes_that_are_too_old_is_valid_and_another_gap_is_found() {
        gap(2, 5, 5 + WATCH_WINDOW).finds_nothing();
        gap(2, 6, 5 + WATCH_WINDOW).finds("watches", "a gap up to 6, though the subject is at 1029");
        gap(3, 5, 5 + WATCH_WINDOW).finds("watches", "a gap from 3 to 5 after revision 1");
        gap(2, 1, 2).finds("watches", "a gap from 2 back to 1 after revision 1");
        let mut sample_history = gap(2, 5, 5 + WATCH_WINDOW);
        sample_history.change_last(|op| op.client = 7).changes(4, 2, &[], 2).change_last(|op| op.client = 7);
        sample_history.finds("watches", "a watch begins after revision 2, and its watcher has received 5");
    }

    /// Returns a watch after revision 1 of a subject that has revision `at`, by a watcher that has
    /// received `received`.
    fn backward_gap(at: i64, received: i64, (after, first, last): (i64, i64, i64)) -> Vec<String> {
        let mut sample_history = SampleHistory::default();
        if at > 0 {
            sample_history.root(1, 11, 1, 1).counts(2, at, 1, 1);
        }
        if received > 0 {
            sample_history.op(3, Call::Watch { subject: 0, after: 1 }, Outcome::Gap { first: 2, last: received });
            sample_history.change_last(|op| op.client = 7);
        }
        sample_history.op(4, Call::Watch { subject: 0, after }, Outcome::Gap { first, last });
        sample_history.change_last(|op| op.client = 7);
        let anomalies = sample_history.anomalies();
        anomalies.iter().map(|anomaly| format!("{anomaly:?}")).filter(|text| text.contains("back to")).collect()
    }

    #[test]
    fn the_numbering_goes_back_only_for_a_watcher_that_was_ahead_of_the_subject() {
        // The watch began before the first comment.
        assert_eq!(backward_gap(0, 0, (0, 2, 0)), Vec::<String>::new());
        // The subject had the revision.
        assert_eq!(backward_gap(1, 0, (0, 2, 0)).len(), 1);
        // The watcher had received the revision.
        assert_eq!(backward_gap(0, 4, (0, 5, 0)).len(), 1);
        // The watch begins at another revision than the one that the gap returns to.
        assert_eq!(backward_gap(0, 0, (1, 3, 0)).len(), 1);
        assert_eq!(backward_gap(0, 0, (0, 1, 0)).len(), 1);
    }
}
