//! The results of a batch: its events, its revisions, and the rows for the cache.

use super::fixture::{Fixture, key, key_named, member};
use super::verbs::{author, create_subject, delete_subject, update_subject};
use crate::domain::event::{ChangeKind, Changes, CommentChange};
use crate::domain::ids::CommentId;
use crate::domain::like::LikeValue;
use crate::domain::state::CommentState;
use crate::write::unit_of_work::UnitOfWork;
use crate::write::verbs::{BatchVerb, CommandKind, UndeleteSubject};
use crate::{CommittedChange, CommittedComment};

/// Returns the event of the only subject of a unit of work, and the revision that contains it.
fn event(unit: &UnitOfWork) -> Option<(Option<i64>, Changes)> {
    let events = unit.events().expect("all subjects are loaded");
    assert!(events.iter().all(|(subject, ..)| subject.key == key()) && events.len() <= 1, "{events:?}");
    events.into_iter().next().map(|(_, revision, changes)| (revision, changes))
}

fn comment_changes(changes: &Changes) -> Vec<(CommentId, Option<CommentId>, ChangeKind)> {
    changes.comments.iter().map(|change| (change.id, change.root, change.kind)).collect()
}

#[test]
fn every_verb_records_its_changes() {
    use ChangeKind::{Created, Edited, PinChanged, StateChanged};
    let mut fixture = Fixture::open();
    let root = fixture.root();
    let reply = fixture.reply(root, 2);
    type Make = fn(&mut Fixture, [CommentId; 2]) -> CommandKind;
    type Expected = fn(CommentId, [CommentId; 2]) -> Vec<(CommentId, Option<CommentId>, ChangeKind)>;
    let cases: [(Make, Expected, bool); 14] = [
        (|fixture, _| fixture.create().into(), |new, _| vec![(new, None, Created)], false),
        (|fixture, [r, _]| fixture.reply_to(r, 2).into(), |new, [r, _]| vec![(new, Some(r), Created)], false),
        (|fixture, _| fixture.import(CommentState::Hidden).into(), |new, _| vec![(new, None, Created)], false),
        (|fixture, [r, _]| fixture.edit(r, "author", "other").into(), |id, _| vec![(id, None, Edited)], false),
        (|fixture, [r, _]| fixture.pin(r, "owner").into(), |id, _| vec![(id, None, PinChanged)], false),
        (|fixture, [r, _]| fixture.unpin(r, "owner").into(), |id, _| vec![(id, None, PinChanged)], false),
        (|fixture, [_, a]| fixture.hide(a).into(), |id, [r, _]| vec![(id, Some(r), StateChanged)], false),
        (|fixture, [_, a]| fixture.unhide(a).into(), |id, [r, _]| vec![(id, Some(r), StateChanged)], false),
        (|fixture, [r, _]| fixture.pin(r, "owner").into(), |id, _| vec![(id, None, PinChanged)], false),
        (
            |fixture, [r, _]| fixture.delete(r, author("author")).into(),
            |id, _| vec![(id, None, PinChanged), (id, None, StateChanged)],
            false,
        ),
        (|fixture, [r, _]| fixture.undelete(r, "author").into(), |id, _| vec![(id, None, StateChanged)], false),
        (|_, _| update_subject().into(), |_, _| Vec::new(), true),
        (|_, _| delete_subject().into(), |_, _| Vec::new(), true),
        (|_, _| UndeleteSubject.into(), |_, _| Vec::new(), true),
    ];
    for (make, expected, subject) in cases {
        let verb = make(&mut fixture, [root, reply]);
        let command = fixture.command(verb);
        let id = command.verb.comment_id().unwrap_or(root);
        let (_, unit) = fixture.commit(std::slice::from_ref(&command));
        let (revision, changes) = event(&unit).expect("an event");
        assert_eq!(revision, Some(fixture.subject().revision), "{}", command.verb.name());
        assert_eq!((comment_changes(&changes), changes.subject), (expected(id, [root, reply]), subject), "{command:?}");
        assert!(changes.likers.is_empty());
    }
    let unpin = fixture.command(fixture.unpin(root, "owner"));
    let (_, unit) = fixture.commit(&[unpin]);
    assert_eq!((event(&unit), unit.changed()), (None, Vec::new()));
}

#[test]
fn one_batch_is_one_revision_and_records_a_change_once() {
    let mut fixture = Fixture::open();
    let old = fixture.root();
    let before = fixture.subject().revision;
    let (create, import) = (fixture.create(), fixture.import(CommentState::Active));
    let (first, second) = (create.id, import.id);
    let edits = ["one", "two"].map(|text| fixture.edit(old, "author", text));
    let [one, two] = edits.map(|edit| fixture.command(edit));
    let batch = [fixture.command(create), one, fixture.command(import), two, fixture.command(update_subject())];
    let (results, unit) = fixture.commit(&batch);
    for result in &results {
        assert_eq!(result.as_ref().map(|output| output.revision), Ok(before + 1));
    }
    let change = |id, kind| CommentChange { id, root: None, kind };
    let created = [first, second].map(|id| change(id, ChangeKind::Created));
    let comments = vec![created[0], change(old, ChangeKind::Edited), created[1]];
    let (revision, changes) = event(&unit).expect("one event");
    let (outcomes, notices) = (changes.outcomes.clone(), changes.notices.clone());
    assert!(notices.keys().eq(&[first]), "an import and an edit without mentions notify no member: {notices:?}");
    assert!(outcomes.keys().eq(&[old, second]), "one for each comment, none for a plain create: {outcomes:?}");
    assert_eq!(revision, Some(before + 1));
    assert_eq!(changes, Changes { comments, outcomes, notices, subject: true, ..Changes::default() });
    assert_eq!([first, second].map(|id| fixture.row(id).reference.born_revision), [before + 1; 2]);
    assert_eq!(unit.write_set().contents, [old].into(), "a new comment is written with its content");
    assert_eq!(unit.write_set().new_comments.len(), 2);
}

#[test]
fn a_batch_over_two_subjects_has_an_event_for_each() {
    let mut fixture = Fixture::open();
    let root = fixture.root();
    let mut other = fixture.create();
    other.auto_create = Some(fixture.subject_id());
    let batch = [fixture.command_on(&key_named("2"), other), fixture.command(fixture.hide(root))];
    let (_, unit) = fixture.commit(&batch);
    let events = unit.events().expect("all subjects are loaded");
    let heads: Vec<_> = events.iter().map(|(s, revision, c)| (s.key.clone(), *revision, c.subject)).collect();
    let revision = fixture.subject().revision;
    assert_eq!(heads, [(key(), Some(revision), false), (key_named("2"), Some(1), true)]);
    let changed = unit.changed().into_iter().map(|c| (c.subject.key, c.revised, c.created, c.comments.len()));
    assert_eq!(changed.collect::<Vec<_>>(), [(key(), true, false, 1), (key_named("2"), true, true, 1)]);
}

/// Runs one more command and returns its committed changes.
fn changes_of(fixture: &mut Fixture, verb: impl BatchVerb) -> Vec<CommittedChange> {
    let command = fixture.command(verb);
    let (results, unit) = fixture.commit(&[command]);
    assert!(results[0].is_ok(), "{results:?}");
    unit.changed()
}

/// For the root and for its reply: whether the content was written or is shown again, and whether
/// lists contained the comment before.
type ExpectedRow = Option<(bool, bool)>;

/// Returns the expected change of the subject, with its current rows.
fn committed(fixture: &Fixture, ids: [CommentId; 2], revised: bool, rows: [ExpectedRow; 2]) -> CommittedChange {
    let comments = ids.into_iter().zip(rows).filter_map(|(id, row)| {
        let (is_sent, was_listed) = row?;
        let content = is_sent.then(|| fixture.contents[&id].clone());
        Some(CommittedComment { comment: fixture.row(id).clone(), content, was_listed })
    });
    let comments = comments.collect();
    CommittedChange { subject: fixture.subject().clone(), revised, created: false, comments }
}

#[test]
fn the_cache_receives_every_changed_row_and_every_content_that_was_written_or_is_shown_again() {
    type Make = fn(&mut Fixture, [CommentId; 2]) -> CommandKind;
    let cases: [(Make, [ExpectedRow; 2]); 9] = [
        (|fixture, [r, _]| fixture.edit(r, "author", "other").into(), [Some((true, true)), None]),
        (|fixture, [r, _]| fixture.pin(r, "owner").into(), [None, None]),
        (|_, _| update_subject().into(), [None, None]),
        (|fixture, [r, _]| fixture.hide(r).into(), [Some((false, true)), None]),
        (|fixture, [_, a]| fixture.hide(a).into(), [Some((false, true)), Some((false, true))]),
        (|fixture, [_, a]| fixture.unhide(a).into(), [Some((false, false)), Some((true, false))]),
        (|fixture, [_, a]| fixture.delete(a, author("author")).into(), [Some((false, true)), Some((false, true))]),
        (|fixture, [r, _]| fixture.unhide(r).into(), [Some((true, false)), None]),
        (|fixture, [_, a]| fixture.undelete(a, "author").into(), [Some((false, true)), Some((true, false))]),
    ];
    let mut fixture = Fixture::open();
    let root = fixture.root();
    let ids = [root, fixture.reply(root, 2)];
    let like = fixture.like(ids[1], "x", LikeValue::Like);
    let found = changes_of(&mut fixture, like);
    assert_eq!(found, [committed(&fixture, ids, false, [None, Some((false, true))])], "a like");
    for (n, (make, rows)) in cases.into_iter().enumerate() {
        let verb = make(&mut fixture, ids);
        let found = changes_of(&mut fixture, verb);
        assert_eq!(found, [committed(&fixture, ids, true, rows)], "step {n}");
    }
    let reply = fixture.reply_to(root, 2);
    let found = changes_of(&mut fixture, reply);
    let new: Vec<_> = found[0].comments.iter().map(|c| (c.content.is_some(), c.was_listed)).collect();
    assert_eq!(new, [(false, true), (true, false)], "no list contained the new comment");
}

#[test]
fn a_new_subject_is_marked_as_created() {
    let mut fixture = Fixture::default();
    let create = create_subject(fixture.subject_id());
    let create = fixture.command(create);
    let root = fixture.create();
    let batch = [create, fixture.command(root)];
    let (_, unit) = fixture.commit(&batch);
    let changed = unit.changed();
    assert_eq!((changed.len(), changed[0].created, changed[0].revised), (1, true, true));
    assert_eq!(event(&unit).map(|(revision, changes)| (revision, changes.subject)), Some((Some(1), true)));
    assert!(unit.write_set().subjects.is_empty(), "it is inserted and not updated");
}

#[test]
fn events_of_likes_name_the_members_and_are_no_revision() {
    let mut fixture = Fixture::open();
    let root = fixture.root();
    let reply = fixture.reply(root, 2);
    let likes = [(root, "x"), (reply, "x"), (root, "y"), (root, "z")]
        .map(|(id, by)| fixture.like(id, by, if by == "z" { LikeValue::None } else { LikeValue::Like }));
    let batch = likes.map(|like| fixture.command(like));
    let (before, revisions) = (fixture.subject().clone(), [root, reply].map(|id| fixture.row(id).lifecycle.revision));
    let (results, unit) = fixture.commit(&batch);
    assert!(results.iter().all(|result| result.as_ref().is_ok_and(|output| output.revision == before.revision)));
    let change = |id, root| CommentChange { id, root, kind: ChangeKind::Liked };
    let comments = vec![change(root, None), change(reply, Some(root))];
    let likers = ["x", "y"].map(member).into();
    assert_eq!(event(&unit), Some((None, Changes { comments, likers, ..Changes::default() })));
    assert_eq!(*fixture.subject(), before);
    assert_eq!([root, reply].map(|id| fixture.row(id).lifecycle.revision), [revisions[0] + 2, revisions[1] + 1]);
    assert_eq!(unit.write_set().likes.len(), 4, "the value NONE is stored too, because it orders operations");
}
