//! The refusals and their reasons: by the state of the subject, by the member that acts, and by the
//! state of the comment.

use std::time::Duration;

use super::scene::{Scene, key, key_named, text, view};
use super::verbs::{author, create_subject, delete_subject, owner, update_subject};
use crate::domain::comment::Comment;
use crate::domain::error::{Error, Reason};
use crate::domain::ids::CommentId;
use crate::domain::like::LikeValue;
use crate::domain::state::CommentState::{self, Deleted, Hidden};
use crate::domain::subject::SubjectState;
use crate::domain::time::Millis;
use crate::write::verbs::{
    CommandKind, Delete, DeleteActor, DeleteSubject, Edit, ImportParent, UndeleteSubject, UpdateSubject,
};

/// A root with a reply, a comment that "author" has deleted, and one that is hidden.
#[derive(Debug)]
struct Rows {
    root: CommentId,
    reply: CommentId,
    deleted: CommentId,
    hidden: CommentId,
}

fn rows() -> (Scene, Rows) {
    let mut scene = Scene::open();
    let root = scene.root();
    let rows = Rows { root, reply: scene.reply(root, 2), deleted: scene.root(), hidden: scene.root() };
    scene.run(scene.delete(rows.deleted, author("author")));
    scene.run(scene.hide(rows.hidden));
    (scene, rows)
}

/// Returns the reason of a refusal; `None` if the verb is accepted.
fn refused(scene: &mut Scene, verb: CommandKind) -> Option<Error> {
    let command = scene.command(verb);
    scene.send(&command).err()
}

type Make = fn(&mut Scene, &Rows) -> CommandKind;

const READ_ONLY: Option<Reason> = Some(Reason::SubjectReadOnly);
const CLOSED: Option<Reason> = Some(Reason::SubjectHidden);
const NO_SUBJECT: Option<Reason> = Some(Reason::SubjectNotFound);
const NO_COMMENT: Option<Reason> = Some(Reason::CommentNotFound);
const THERE: Option<Reason> = Some(Reason::SubjectAlreadyExists);

/// Verbs that the subject's state may refuse.
const WRITE: [Option<Reason>; 6] = [None, READ_ONLY, CLOSED, NO_COMMENT, NO_COMMENT, NO_COMMENT];
/// Verbs of moderators and of imports.
const ALWAYS: [Option<Reason>; 6] = [None, None, None, NO_COMMENT, NO_COMMENT, NO_COMMENT];
/// Verbs about the subject itself.
const SUBJECT: [Option<Reason>; 6] = [None, None, None, NO_SUBJECT, NO_SUBJECT, None];

/// Every verb under a subject that is active, read-only, hidden, deleted, unknown, or not the
/// subject of the comment.
const BY_SUBJECT: [(Make, [Option<Reason>; 6]); 23] = [
    (|scene, _| scene.create().into(), [None, READ_ONLY, CLOSED, NO_SUBJECT, NO_SUBJECT, None]),
    (
        |scene, _| {
            let mut verb = scene.create();
            verb.auto_create = Some(scene.subject_id());
            verb.into()
        },
        [None, READ_ONLY, CLOSED, NO_SUBJECT, None, None],
    ),
    (|scene, rows| scene.answer(rows.root, 2).into(), WRITE),
    (|scene, rows| scene.answer(rows.reply, 2).into(), WRITE),
    (|scene, rows| scene.edit(rows.root, "author", "other").into(), WRITE),
    (|scene, rows| scene.delete(rows.root, author("author")).into(), WRITE),
    (|scene, rows| scene.delete(rows.root, owner("owner")).into(), WRITE),
    (|scene, rows| scene.delete(rows.root, DeleteActor::Moderator).into(), ALWAYS),
    (|scene, rows| scene.undelete(rows.deleted, "author").into(), WRITE),
    (|scene, rows| scene.pin(rows.root, "owner").into(), WRITE),
    (|scene, rows| scene.unpin(rows.root, "owner").into(), WRITE),
    (|scene, rows| scene.hide(rows.root).into(), ALWAYS),
    (|scene, rows| scene.unhide(rows.hidden).into(), ALWAYS),
    (|scene, rows| scene.like(rows.root, "x", LikeValue::Like).into(), WRITE),
    (|scene, rows| scene.import_like(rows.root, "x", LikeValue::Like, 1).into(), ALWAYS),
    (|scene, _| scene.import(CommentState::Active).into(), SUBJECT),
    (|scene, _| imported(scene, None, true), [None, None, None, NO_SUBJECT, None, None]),
    (|scene, rows| imported(scene, Some(rows.root), false), [None, None, None, NO_SUBJECT, NO_SUBJECT, NO_COMMENT]),
    (|scene, rows| imported(scene, Some(rows.root), true), [None, None, None, NO_SUBJECT, NO_COMMENT, NO_COMMENT]),
    (|_, _| update_subject().into(), SUBJECT),
    (|_, _| delete_subject().into(), SUBJECT),
    (|_, _| UndeleteSubject.into(), [THERE, THERE, THERE, None, NO_SUBJECT, THERE]),
    (|scene, _| create_subject(scene.subject_id()).into(), [THERE, THERE, THERE, THERE, None, THERE]),
];

fn imported(scene: &mut Scene, parent: Option<CommentId>, auto_create: bool) -> CommandKind {
    let mut verb = scene.import(CommentState::Active);
    verb.parent = parent.map(|parent| ImportParent::Stored(scene.target(parent)));
    verb.auto_create = auto_create.then(|| scene.subject_id());
    verb.into()
}

#[test]
fn a_subject_refuses_by_its_state_and_keeps_its_comments_to_itself() {
    for (make, expected) in BY_SUBJECT {
        for (column, expected) in expected.into_iter().enumerate() {
            let (mut scene, rows) = rows();
            match column {
                1 => _ = scene.run(UpdateSubject { state: Some(SubjectState::ReadOnly), ..update_subject() }),
                2 => _ = scene.run(UpdateSubject { state: Some(SubjectState::Hidden), ..update_subject() }),
                3 => _ = scene.run(delete_subject()),
                5 => {
                    let other = create_subject(scene.subject_id());
                    let command = scene.command_on(&key_named("2"), other);
                    scene.send(&command).expect("a second subject");
                }
                0 | 4.. => {}
            }
            let verb = make(&mut scene, &rows);
            let name = verb.name();
            let command = scene.command_on(&if column < 4 { key() } else { key_named("2") }, verb);
            let found = scene.send(&command).err().map(|refused| refused.reason());
            assert_eq!(found, expected, "{name} under the subject of column {column}");
        }
    }
}

#[test]
fn a_verb_is_for_its_member_alone() {
    type By = fn(&mut Scene, &Rows, &str) -> CommandKind;
    let cases: [(By, [bool; 3]); 8] = [
        (|scene, rows, by| scene.edit(rows.root, by, "other").into(), [true, false, false]),
        (|scene, rows, by| scene.delete(rows.root, author(by)).into(), [true, false, false]),
        (|scene, rows, by| scene.delete(rows.root, owner(by)).into(), [false, true, false]),
        (|scene, rows, by| scene.undelete(rows.deleted, by).into(), [true, false, false]),
        (|scene, rows, by| undelete(scene, rows, owner("owner"), by), [false, true, false]),
        (|scene, rows, by| undelete(scene, rows, DeleteActor::Moderator, by), [false, false, false]),
        (|scene, rows, by| scene.pin(rows.root, by).into(), [false, true, false]),
        (|scene, rows, by| scene.unpin(rows.root, by).into(), [false, true, false]),
    ];
    for (make, allowed) in cases {
        for (by, allowed) in ["author", "owner", "stranger"].into_iter().zip(allowed) {
            let (mut scene, rows) = rows();
            let verb = make(&mut scene, &rows, by);
            let told = format!("{} by {by}", verb.name());
            assert_eq!(refused(&mut scene, verb), (!allowed).then_some(Error::MemberNotAllowed), "{told}");
        }
    }
}

/// Deletes a root as `actor`, and returns the verb that restores it.
fn undelete(scene: &mut Scene, rows: &Rows, actor: DeleteActor, by: &str) -> CommandKind {
    scene.run(scene.delete(rows.root, actor));
    scene.undelete(rows.root, by).into()
}

#[test]
fn a_subject_without_an_owner_has_nobody_who_acts_as_one() {
    let (mut scene, rows) = rows();
    scene.run(UpdateSubject { owner: Some(None), ..update_subject() });
    for verb in [scene.pin(rows.root, "owner").into(), scene.delete(rows.root, owner("owner")).into()] {
        assert_eq!(refused(&mut scene, verb), Some(Error::MemberNotAllowed));
    }
}

#[test]
fn a_comment_refuses_by_its_state() {
    let conflict = |state| Some(Error::StateConflict(state));
    for state in CommentState::ALL {
        let visible = state == CommentState::Active;
        let deleted = state == Deleted;
        type On = fn(&mut Scene, CommentId) -> CommandKind;
        let cases: [(On, Option<Error>); 11] = [
            (|scene, id| scene.answer(id, 2).into(), (!visible).then_some(Error::ParentUnavailable(state))),
            (|scene, id| scene.edit(id, "author", "other").into(), conflict(state).filter(|_| !visible)),
            (|scene, id| scene.delete(id, author("author")).into(), deleted.then_some(Error::CommentNotFound)),
            (|scene, id| scene.delete(id, DeleteActor::Moderator).into(), deleted.then_some(Error::CommentNotFound)),
            (|scene, id| scene.undelete(id, "author").into(), (!deleted).then_some(Error::CommentAlreadyExists)),
            (|scene, id| scene.pin(id, "owner").into(), conflict(state).filter(|_| !visible)),
            (|scene, id| scene.unpin(id, "owner").into(), None),
            (|scene, id| scene.hide(id).into(), conflict(state).filter(|_| !visible)),
            (|scene, id| scene.unhide(id).into(), conflict(state).filter(|_| state != Hidden)),
            (
                |scene, id| scene.like(id, "x", LikeValue::Like).into(),
                (!visible).then_some(Error::CommentUnavailable(state)),
            ),
            (|scene, id| scene.import_like(id, "x", LikeValue::Like, 1).into(), None),
        ];
        for (make, expected) in cases {
            let mut scene = Scene::open();
            let import = scene.import(state);
            let id = view(&scene.run(import)).comment.reference.id;
            let verb = make(&mut scene, id);
            let name = verb.name();
            assert_eq!(refused(&mut scene, verb), expected, "{name} of a comment that is {state}");
        }
    }
}

#[test]
fn an_etag_that_is_given_is_the_current_one() {
    type With = fn(&mut Scene, CommentId, String) -> CommandKind;
    type Current = fn(&Scene, CommentId) -> String;
    let of_comment = |scene: &Scene, id| Comment::etag(scene.row(id));
    let of_subject = |scene: &Scene, _| scene.subject().etag();
    let cases: [(With, Current); 4] = [
        (|scene, id, etag| Edit { etag, ..scene.edit(id, "author", "other") }.into(), of_comment),
        (|scene, id, etag| Delete { etag, ..scene.delete(id, author("author")) }.into(), of_comment),
        (|_, _, etag| UpdateSubject { etag, ..update_subject() }.into(), of_subject),
        (|_, _, etag| DeleteSubject { etag }.into(), of_subject),
    ];
    for (make, current) in cases {
        let mut scene = Scene::open();
        let id = scene.root();
        let before = current(&scene, id);
        let (edit, metadata) = (scene.edit(id, "author", "edited"), Some([("k".to_owned(), "v".to_owned())].into()));
        scene.run(edit);
        scene.run(UpdateSubject { metadata, ..update_subject() });
        let like = scene.like(id, "x", LikeValue::Like);
        let seen = current(&scene, id);
        scene.run(like);
        assert_ne!(before, seen);
        let verb = make(&mut scene, id, before);
        let name = verb.name();
        assert_eq!(refused(&mut scene, verb), Some(Error::EtagMismatch { current: seen.clone() }), "{name}");
        let verb = make(&mut scene, id, seen);
        assert_eq!(refused(&mut scene, verb), None, "{name}: a like moves none");
    }
}

#[test]
fn an_author_may_edit_until_the_last_millisecond_of_the_window() {
    let mut scene = Scene::open();
    let id = scene.root();
    let until = Millis(scene.row(id).reference.create_time.0 + 60_000);
    let cases = [(Some(60), 0, None), (Some(60), 1, Some(Error::EditWindowClosed { until })), (None, 1_000_000, None)];
    for (window, late, expected) in cases {
        let window = window.map(Duration::from_secs);
        let verb = Edit { window, content: text("late"), ..scene.edit(id, "author", "") };
        let mut command = scene.command(verb);
        command.now = Millis(until.0 + late);
        assert_eq!(scene.send(&command).err(), expected, "{late} ms after the end");
    }
}

#[test]
fn at_most_three_roots_are_pinned() {
    let mut scene = Scene::open();
    let roots = [(); 4].map(|()| scene.root());
    for id in &roots[..3] {
        scene.run(scene.pin(*id, "owner"));
    }
    let fourth = scene.pin(roots[3], "owner");
    assert_eq!(refused(&mut scene, fourth.into()), Some(Error::PinLimitReached));
    scene.run(scene.pin(roots[1], "owner"));
    assert_eq!(scene.subject().pins, roots[..3], "a pinned one stays where it is");
    scene.run(scene.unpin(roots[0], "owner"));
    scene.run(scene.pin(roots[3], "owner"));
    assert_eq!(scene.subject().pins, roots[1..]);
    let reply = scene.reply(roots[0], 2);
    for verb in [CommandKind::from(scene.pin(reply, "owner")), scene.unpin(reply, "owner").into()] {
        let found = refused(&mut scene, verb).map(|refused| refused.reason());
        assert_eq!(found, Some(Reason::FieldInvalid), "only roots");
    }
}
