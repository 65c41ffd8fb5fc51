//! No response of the public port has the text of a comment that was not public at any time of the
//! call, but to its author; none names a moderator, and none counts what is not public. Watchers
//! are informed of nothing that is not public. Redis has no text that was never public.

use super::super::{Findings, MAX_AGE};
use super::life::{CommentLife, Point};
use super::lives::Lives;
use crate::histcheck::history::{
    CacheEntry, Call, ChangeKind, CommentRow, Nanos, Op, Outcome, PublicRead, ReviewCall, ReviewResponse, SeenComment,
    state,
};
use crate::histcheck::names;

/// Finds texts, names and counts that reach readers that may not see them.
pub(super) fn check(lives: &Lives<'_>, findings: &mut Findings) {
    for (number, call, response) in lives.responses() {
        let (ReviewCall::Public { read, viewer, fresh }, ReviewResponse::Seen { comments, counts, has_secret, .. }) =
            (call, response)
        else {
            continue;
        };
        if *has_secret {
            findings.add(|| "an id or words of a moderator or a reporter are on the public port".to_owned(), &[number]);
        }
        let op = lives.op(number);
        let since = if *fresh { op.begun } else { op.begun.saturating_sub(MAX_AGE) };
        for comment in comments {
            findings.cases(1);
            let violation = match lives.comments.get(&comment.id) {
                Some(life) => violation(life, comment, (*read, *viewer), (since, op.ended)),
                None => (comment.text != 0).then(|| "no call is known to have written it".to_owned()),
            };
            if let Some(violation) = violation {
                let created = lives.comments.get(&comment.id).map_or(number, |life| life.created);
                findings.add(|| format!("{} is shown by {read:?}: {violation}", comment.id), &[created, number]);
            }
        }
        if let Some(counts) = counts.filter(|_| names::is_last_read(op.client)) {
            check_counts(lives, findings, (number, op), counts);
        }
    }
    check_watches(lives, findings);
    check_cache(lives, findings);
}

/// Returns the violation of a comment in a response, if there is one.
fn violation(
    life: &CommentLife,
    comment: &SeenComment,
    (read, viewer): (PublicRead, Option<u32>),
    (since, ended): (Nanos, Nanos),
) -> Option<String> {
    let is_public = |state: i8| state == state::ACTIVE;
    let is_author = viewer == Some(life.author);
    if let PublicRead::History(_) = read {
        // Former texts; each was public at some time.
        let was_shown = |point: &Point| point.text == comment.text && is_public(point.state) && point.begun < ended;
        return (!life.uncertain && !life.points.iter().any(was_shown))
            .then(|| format!("the former text {} was never public", comment.text));
    }
    let shows_state = matches!(comment.state, state::PENDING | state::REJECTED);
    if shows_state && !is_author {
        return Some(format!("state {} is shown to {viewer:?}", comment.state));
    }
    if life.uncertain {
        return None;
    }
    if comment.text == 0 {
        // A tombstone: something public stood there.
        let is_known = is_author || life.may_have_been_public(ended);
        return (!is_known).then(|| "nothing public ever stood there".to_owned());
    }
    let mut points = life.points_within(since, ended);
    let may_show = |point: &Point| {
        point.text == comment.text
            && (is_public(point.state) || is_author && matches!(point.state, state::PENDING | state::REJECTED))
    };
    (!points.any(may_show)).then(|| format!("text {} was not public during the call", comment.text))
}

/// Checks the counts of a subject when nothing changes any more.
fn check_counts(lives: &Lives<'_>, findings: &mut Findings, (number, op): (u32, &Op), counts: (i32, i32)) {
    let subjects = &lives.stored.subjects;
    let Some(subject) = subjects.values().find(|row| row.subject == op.call.subject()) else { return };
    let visible =
        lives.stored.comments.values().filter(|row| row.subject_id == subject.id && row.state == CommentRow::VISIBLE);
    let expected = visible.fold((0, 0), |(roots, all), row| (roots + i32::from(row.root == 0), all + 1));
    findings.cases(1);
    if counts != expected {
        findings.add(|| format!("the counts are {counts:?}, and {expected:?} comments are visible"), &[number]);
    }
}

/// Checks what watchers of these subjects received.
fn check_watches(lives: &Lives<'_>, findings: &mut Findings) {
    for (number, op) in (0..).zip(lives.ops) {
        let (Call::Watch { subject, .. }, Outcome::Changes { changes, .. }) = (&op.call, &op.outcome) else { continue };
        if !names::is_reviewed(*subject) {
            continue;
        }
        for (revision, received) in changes {
            for (id, kind) in received {
                findings.cases(1);
                let Some(life) = lives.comments.get(id).filter(|life| !life.uncertain) else { continue };
                if let Some(violation) = report_violation(life, *revision, *kind) {
                    let description = || format!("a watcher receives {kind:?} of {id} at {revision}: {violation}");
                    findings.add(description, &[life.created, number]);
                }
            }
        }
    }
}

/// Returns the violation of a change that a watcher receives. A batch may change a comment twice at
/// one revision.
fn report_violation(life: &CommentLife, revision: i64, kind: ChangeKind) -> Option<&'static str> {
    let Some(first) = life.points.iter().position(|point| point.revision == revision) else {
        // An edit that waits makes a revision, and is no change to readers.
        return Some("nothing of it changed in sight");
    };
    let at_revision = || life.points[first..].iter().take_while(|point| point.revision == revision);
    let becomes_public = at_revision().any(|point| point.state == state::ACTIVE);
    let was_ever = life.points[..first].iter().any(|point| point.state == state::ACTIVE);
    let before = first.checked_sub(1).map_or(0, |before| shown_state(&life.points[before]));
    let text_before = first.checked_sub(1).map_or(0, |before| life.points[before].text);
    let is_edited = at_revision().any(|point| point.state == state::ACTIVE && point.text != text_before);
    let differs = at_revision().any(|point| shown_state(point) != before);
    match kind {
        ChangeKind::Created => (was_ever || !becomes_public).then_some("it did not become visible for the first time"),
        ChangeKind::Edited => (!is_edited).then_some("no other text of it became public"),
        ChangeKind::State => (!differs).then_some("readers see no difference"),
        ChangeKind::Other => Some("no call of the load makes such a change"),
    }
}

/// Returns the state that readers distinguish; 0 for one that they do not see. Of a comment that
/// waits or was refused they see no more than of a hidden one, and its deletion is not reported.
fn shown_state(point: &Point) -> i8 {
    match point {
        Point { state: state::ACTIVE, .. } => state::ACTIVE,
        Point { state: state::HIDDEN, .. } => state::HIDDEN,
        Point { state: state::DELETED, before_deletion: state::ACTIVE | state::HIDDEN, .. } => state::DELETED,
        _unseen => 0,
    }
}

/// Checks that Redis has no text of these comments that was never public. Another rule finds texts
/// of comments that are not visible at the end.
fn check_cache(lives: &Lives<'_>, findings: &mut Findings) {
    for entry in lives.cache {
        let CacheEntry::Text { key, text_subject, text } = entry else { continue };
        if !names::is_reviewed(*text_subject) {
            continue;
        }
        findings.cases(1);
        let Some(life) = lives.written.get(text).and_then(|id| lives.comments.get(id)) else { continue };
        let is_hidden = lives.stored.comments.get(&life.id).is_some_and(|row| row.state != CommentRow::VISIBLE);
        let was_shown = life.points.iter().any(|point| point.text == *text && point.state == state::ACTIVE);
        if is_hidden || !life.uncertain && !was_shown {
            let description = || format!("Redis has the text {text} of {}, which is not public, in {key:?}", life.id);
            findings.add(description, &[life.created]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{AUTHOR, ReviewSample};
    use crate::histcheck::history::{
        CacheEntry, Call, ChangeKind, Op, Outcome, PublicRead, ReviewCall, ReviewResponse, state,
    };
    use crate::histcheck::names::{LAST_READS, REVIEWED};

    fn shown(at: u64, read: (PublicRead, Option<u32>), id: i64, state: i8) -> ReviewSample {
        let mut sample = ReviewSample::default();
        sample.shown(at, read, id, state);
        sample
    }

    #[test]
    fn a_text_is_shown_from_its_approval_on_and_before_it_to_its_author() {
        shown(5, (PublicRead::List, None), 11, state::ACTIVE).finds_nothing();
        shown(3, (PublicRead::List, None), 11, state::ACTIVE).finds("unseen", "text 11 was not public during the call");
        shown(3, (PublicRead::Get(11), Some(AUTHOR)), 11, state::PENDING).finds_nothing();
        shown(3, (PublicRead::Get(11), Some(9)), 11, state::PENDING).finds("unseen", "state 2 is shown to Some(9)");
        shown(5, (PublicRead::List, None), 12, state::ACTIVE).finds("unseen", "text 12 was not public");
        shown(5, (PublicRead::List, None), 99, state::ACTIVE).finds("unseen", "no call is known");
    }

    #[test]
    fn a_former_text_was_public() {
        shown(5, (PublicRead::History(11), None), 11, 0).finds_nothing();
        shown(5, (PublicRead::History(12), None), 12, 0).finds("unseen", "the former text 12 was never public");
    }

    #[test]
    fn a_named_moderator_and_a_counted_comment_that_waits_are_found() {
        let with = |response: ReviewResponse| {
            let mut sample = ReviewSample::default();
            let call = ReviewCall::Public { read: PublicRead::List, viewer: None, fresh: true };
            sample.op(9, call, Outcome::Reviewed(response)).change_last(|op| op.client = LAST_READS);
            sample
        };
        let seen =
            |counts, has_secret| ReviewResponse::Seen { comments: [].into(), proposals: [].into(), counts, has_secret };
        with(seen(Some((1, 1)), false)).finds_nothing();
        with(seen(Some((2, 2)), false)).finds("unseen", "the counts are (2, 2), and (1, 1)");
        with(seen(None, true)).finds("unseen", "an id or words of a moderator");
    }

    #[test]
    fn watchers_receive_what_becomes_visible() {
        let received = |revision: i64, id: i64, kind| {
            let mut sample = ReviewSample::default();
            let outcome = Outcome::Changes { changes: [(revision, [(id, kind)].into())].into(), last: revision };
            let call = Call::Watch { subject: REVIEWED, after: 1 };
            let watch = Op { client: 7, server: 0, begun: 1, ended: 9, request: (0, 0), call, outcome };
            sample.change(|history| history.ops.push(watch));
            sample
        };
        received(3, 11, ChangeKind::Created).finds_nothing();
        received(2, 12, ChangeKind::Created).finds("unseen", "it did not become visible for the first time");
        received(2, 12, ChangeKind::State).finds("unseen", "readers see no difference");
        received(1, 11, ChangeKind::Edited).finds("unseen", "no other text of it became public");
        received(4, 11, ChangeKind::Edited).finds("unseen", "nothing of it changed in sight");
    }

    #[test]
    fn an_approval_and_an_edit_that_waits_have_one_revision_in_a_batch() {
        let received = |kinds: &[ChangeKind]| {
            let mut sample = ReviewSample::default();
            sample.propose(4, 11, 1, 3);
            let changes = [(3, kinds.iter().map(|kind| (11, *kind)).collect())].into();
            let (call, outcome) = (Call::Watch { subject: REVIEWED, after: 1 }, Outcome::Changes { changes, last: 3 });
            let watch = Op { client: 7, server: 0, begun: 1, ended: 9, request: (0, 0), call, outcome };
            sample.change(|history| history.ops.push(watch));
            sample
        };
        received(&[ChangeKind::Created]).finds_nothing();
        received(&[ChangeKind::Created, ChangeKind::Edited]).finds("unseen", "no other text of it became public");
    }

    #[test]
    fn redis_has_no_text_that_waits() {
        let with = |text| {
            let mut sample = ReviewSample::default();
            let entry = CacheEntry::Text { key: "w".into(), text_subject: REVIEWED, text };
            sample.change(|history| history.cache.push(entry));
            sample
        };
        with(11).finds_nothing();
        with(12).finds("unseen", "Redis has the text 12 of 12");
    }
}
