//! The reasons for which commands are rejected: the state of the subject, the member that acts, and
//! the state of the comment.

use std::time::Duration;

use super::fixture::{Fixture, key, key_named, text, view};
use super::verbs::{author, create_subject, delete_subject, moderator, owner, update_subject};
use crate::domain::comment::Comment;
use crate::domain::error::{Error, Reason};
use crate::domain::ids::CommentId;
use crate::domain::like::LikeValue;
use crate::domain::state::CommentState::{self, Deleted, Hidden};
use crate::domain::subject::SubjectState;
use crate::domain::time::Millis;
use crate::write::verbs::{
    BatchType, BatchVerb, CommandKind, Delete, DeleteActor, DeleteSubject, Edit, EditWindows, ImportParent,
    LikeCommandKind, UndeleteSubject, UpdateSubject,
};

/// A root with a reply, a comment that "author" has deleted, and one that is hidden.
#[derive(Debug)]
struct Rows {
    root: CommentId,
    reply: CommentId,
    deleted: CommentId,
    hidden: CommentId,
}

fn rows() -> (Fixture, Rows) {
    let mut fixture = Fixture::open();
    let root = fixture.root();
    let rows = Rows { root, reply: fixture.reply(root, 2), deleted: fixture.root(), hidden: fixture.root() };
    fixture.run(fixture.delete(rows.deleted, author("author")));
    fixture.run(fixture.hide(rows.hidden));
    (fixture, rows)
}

/// Returns the error of a rejected verb; `None` if the verb is accepted.
fn rejection(fixture: &mut Fixture, verb: impl BatchVerb) -> Option<Error> {
    let command = fixture.command(verb);
    fixture.run_command(&command).err()
}

type Make<K = CommandKind> = fn(&mut Fixture, &Rows) -> K;
type Case<K = CommandKind> = (Make<K>, [Option<Reason>; 6]);

const READ_ONLY: Option<Reason> = Some(Reason::SubjectReadOnly);
const HIDDEN: Option<Reason> = Some(Reason::SubjectHidden);
const NO_SUBJECT: Option<Reason> = Some(Reason::SubjectNotFound);
const NO_COMMENT: Option<Reason> = Some(Reason::CommentNotFound);
const EXISTS: Option<Reason> = Some(Reason::SubjectAlreadyExists);

/// Verbs that the subject's state may reject.
const WRITE: [Option<Reason>; 6] = [None, READ_ONLY, HIDDEN, NO_COMMENT, NO_COMMENT, NO_COMMENT];
/// Verbs of moderators and of imports.
const ALWAYS: [Option<Reason>; 6] = [None, None, None, NO_COMMENT, NO_COMMENT, NO_COMMENT];
/// Verbs about the subject itself.
const SUBJECT: [Option<Reason>; 6] = [None, None, None, NO_SUBJECT, NO_SUBJECT, None];

/// Every verb under a subject that is active, read-only, hidden, deleted, unknown, or not the
/// subject of the comment.
const BY_SUBJECT: [Case; 21] = [
    (|fixture, _| fixture.create().into(), [None, READ_ONLY, HIDDEN, NO_SUBJECT, NO_SUBJECT, None]),
    (
        |fixture, _| {
            let mut verb = fixture.create();
            verb.auto_create = Some(fixture.subject_id());
            verb.into()
        },
        [None, READ_ONLY, HIDDEN, NO_SUBJECT, None, None],
    ),
    (|fixture, rows| fixture.reply_to(rows.root, 2).into(), WRITE),
    (|fixture, rows| fixture.reply_to(rows.reply, 2).into(), WRITE),
    (|fixture, rows| fixture.edit(rows.root, "author", "other").into(), WRITE),
    (|fixture, rows| fixture.delete(rows.root, author("author")).into(), WRITE),
    (|fixture, rows| fixture.delete(rows.root, owner("owner")).into(), WRITE),
    (|fixture, rows| fixture.delete(rows.root, moderator()).into(), ALWAYS),
    (|fixture, rows| fixture.undelete(rows.deleted, "author").into(), WRITE),
    (|fixture, rows| fixture.pin(rows.root, "owner").into(), WRITE),
    (|fixture, rows| fixture.unpin(rows.root, "owner").into(), WRITE),
    (|fixture, rows| fixture.hide(rows.root).into(), ALWAYS),
    (|fixture, rows| fixture.unhide(rows.hidden).into(), ALWAYS),
    (|fixture, _| fixture.import(CommentState::Active).into(), SUBJECT),
    (|fixture, _| imported(fixture, None, true), [None, None, None, NO_SUBJECT, None, None]),
    (|fixture, rows| imported(fixture, Some(rows.root), false), [None, None, None, NO_SUBJECT, NO_SUBJECT, NO_COMMENT]),
    (|fixture, rows| imported(fixture, Some(rows.root), true), [None, None, None, NO_SUBJECT, NO_COMMENT, NO_COMMENT]),
    (|_, _| update_subject().into(), SUBJECT),
    (|_, _| delete_subject().into(), SUBJECT),
    (|_, _| UndeleteSubject.into(), [EXISTS, EXISTS, EXISTS, None, NO_SUBJECT, EXISTS]),
    (|fixture, _| create_subject(fixture.subject_id()).into(), [EXISTS, EXISTS, EXISTS, EXISTS, None, EXISTS]),
];

const LIKES_BY_SUBJECT: [Case<LikeCommandKind>; 2] = [
    (|fixture, rows| fixture.like(rows.root, "x", LikeValue::Like).into(), WRITE),
    (|fixture, rows| fixture.import_like(rows.root, "x", LikeValue::Like, 1).into(), ALWAYS),
];

fn imported(fixture: &mut Fixture, parent: Option<CommentId>, auto_create: bool) -> CommandKind {
    let mut verb = fixture.import(CommentState::Active);
    verb.parent = parent.map(|parent| ImportParent::Stored(fixture.target(parent)));
    verb.auto_create = auto_create.then(|| fixture.subject_id());
    verb.into()
}

#[test]
fn a_subject_rejects_by_its_state_and_does_not_show_its_comments_to_others() {
    by_subject(BY_SUBJECT);
    by_subject(LIKES_BY_SUBJECT);
}

fn by_subject<K: BatchType>(cases: impl IntoIterator<Item = Case<K>>) {
    for (make, expected) in cases {
        for (column, expected) in expected.into_iter().enumerate() {
            let (mut fixture, rows) = rows();
            match column {
                1 => _ = fixture.run(UpdateSubject { state: Some(SubjectState::ReadOnly), ..update_subject() }),
                2 => _ = fixture.run(UpdateSubject { state: Some(SubjectState::Hidden), ..update_subject() }),
                3 => _ = fixture.run(delete_subject()),
                5 => {
                    let other = create_subject(fixture.subject_id());
                    let command = fixture.command_on(&key_named("2"), other);
                    fixture.run_command(&command).expect("a second subject");
                }
                0 | 4.. => {}
            }
            let verb = make(&mut fixture, &rows);
            let name = format!("{verb:?}");
            let command = fixture.command_on(&if column < 4 { key() } else { key_named("2") }, verb);
            let found = fixture.run_command(&command).err().map(|error| error.reason());
            assert_eq!(found, expected, "{name} under the subject of column {column}");
        }
    }
}

#[test]
fn a_verb_is_allowed_only_to_its_member() {
    type By = fn(&mut Fixture, &Rows, &str) -> CommandKind;
    let cases: [(By, [bool; 3]); 8] = [
        (|fixture, rows, by| fixture.edit(rows.root, by, "other").into(), [true, false, false]),
        (|fixture, rows, by| fixture.delete(rows.root, author(by)).into(), [true, false, false]),
        (|fixture, rows, by| fixture.delete(rows.root, owner(by)).into(), [false, true, false]),
        (|fixture, rows, by| fixture.undelete(rows.deleted, by).into(), [true, false, false]),
        (|fixture, rows, by| undelete(fixture, rows, owner("owner"), by), [false, true, false]),
        (|fixture, rows, by| undelete(fixture, rows, moderator(), by), [false, false, false]),
        (|fixture, rows, by| fixture.pin(rows.root, by).into(), [false, true, false]),
        (|fixture, rows, by| fixture.unpin(rows.root, by).into(), [false, true, false]),
    ];
    for (make, allowed) in cases {
        for (by, allowed) in ["author", "owner", "stranger"].into_iter().zip(allowed) {
            let (mut fixture, rows) = rows();
            let verb = make(&mut fixture, &rows, by);
            let case = format!("{} by {by}", verb.name());
            assert_eq!(rejection(&mut fixture, verb), (!allowed).then_some(Error::MemberNotAllowed), "{case}");
        }
    }
}

/// Deletes a root as `actor`, and returns the verb that restores it.
fn undelete(fixture: &mut Fixture, rows: &Rows, actor: DeleteActor, by: &str) -> CommandKind {
    fixture.run(fixture.delete(rows.root, actor));
    fixture.undelete(rows.root, by).into()
}

#[test]
fn no_member_acts_as_owner_of_a_subject_without_an_owner() {
    let (mut fixture, rows) = rows();
    fixture.run(UpdateSubject { owner: Some(None), ..update_subject() });
    for verb in [CommandKind::from(fixture.pin(rows.root, "owner")), fixture.delete(rows.root, owner("owner")).into()] {
        assert_eq!(rejection(&mut fixture, verb), Some(Error::MemberNotAllowed));
    }
}

#[test]
fn a_comment_rejects_by_its_state() {
    for state in CommentState::ALL {
        let visible = state == CommentState::Active;
        let deleted = state == Deleted;
        // A comment that was never visible is not found by others than its author, and of the rest
        // they see that it is hidden.
        let (unpublished, seen) = (state.may_be_unpublished(), state.shown_to(false));
        let unless = |allowed: bool, state: CommentState| {
            let error = if deleted { Error::CommentNotFound } else { Error::StateConflict(state) };
            (!allowed).then_some(error)
        };
        let of_others = |error: Option<Error>| if unpublished { Some(Error::CommentNotFound) } else { error };
        let likes: [StateCase<LikeCommandKind>; 2] = [
            (
                |fixture, id| fixture.like(id, "x", LikeValue::Like).into(),
                of_others((!visible).then_some(Error::CommentUnavailable(seen))),
            ),
            (|fixture, id| fixture.import_like(id, "x", LikeValue::Like, 1).into(), None),
        ];
        by_state(state, likes);
        let waits = state.may_be_unpublished();
        let cases: [StateCase; 11] = [
            // A moderator sees the true state.
            (|fixture, id| fixture.pin(id, "").into(), unless(visible, state)),
            (|fixture, id| fixture.unpin(id, "").into(), unless(!deleted, state)),
            (|fixture, id| fixture.reply_to(id, 2).into(), (!visible).then_some(Error::ParentUnavailable(state))),
            (|fixture, id| fixture.edit(id, "author", "other").into(), unless(visible || waits, state)),
            (|fixture, id| fixture.delete(id, author("author")).into(), unless(!deleted, state)),
            (|fixture, id| fixture.delete(id, moderator()).into(), None),
            (|fixture, id| fixture.undelete(id, "author").into(), (!deleted).then_some(Error::CommentAlreadyExists)),
            (|fixture, id| fixture.pin(id, "owner").into(), of_others(unless(visible, seen))),
            (|fixture, id| fixture.unpin(id, "owner").into(), of_others(unless(!deleted, seen))),
            // A moderator may judge a comment that its author deleted.
            (|fixture, id| fixture.hide(id).into(), unless(visible || deleted, state)),
            (|fixture, id| fixture.unhide(id).into(), unless(state == Hidden, state)),
        ];
        by_state(state, cases);
    }
}

/// A verb on a comment, and the error if it is rejected.
type StateCase<K = CommandKind> = (fn(&mut Fixture, CommentId) -> K, Option<Error>);

fn by_state<K: BatchType>(state: CommentState, cases: impl IntoIterator<Item = StateCase<K>>) {
    for (make, expected) in cases {
        let mut fixture = Fixture::open();
        let import = fixture.import(state);
        let id = view(&fixture.run(import)).comment.reference.id;
        let verb = make(&mut fixture, id);
        let name = format!("{verb:?}");
        assert_eq!(rejection(&mut fixture, verb), expected, "{name} of a comment that is {state}");
    }
}

#[test]
fn an_etag_in_a_request_must_be_the_current_one() {
    type With = fn(&mut Fixture, CommentId, String) -> CommandKind;
    type Current = fn(&Fixture, CommentId) -> String;
    let of_comment = |fixture: &Fixture, id| Comment::etag(fixture.row(id));
    let of_subject = |fixture: &Fixture, _| fixture.subject().etag();
    let cases: [(With, Current); 4] = [
        (|fixture, id, etag| Edit { etag, ..fixture.edit(id, "author", "other") }.into(), of_comment),
        (|fixture, id, etag| Delete { etag, ..fixture.delete(id, author("author")) }.into(), of_comment),
        (|_, _, etag| UpdateSubject { etag, ..update_subject() }.into(), of_subject),
        (|_, _, etag| DeleteSubject { etag }.into(), of_subject),
    ];
    for (make, current) in cases {
        let mut fixture = Fixture::open();
        let id = fixture.root();
        let before = current(&fixture, id);
        let (edit, metadata) = (fixture.edit(id, "author", "edited"), Some([("k".to_owned(), "v".to_owned())].into()));
        fixture.run(edit);
        fixture.run(UpdateSubject { metadata, ..update_subject() });
        let like = fixture.like(id, "x", LikeValue::Like);
        let expected = current(&fixture, id);
        fixture.run(like);
        assert_ne!(before, expected);
        let verb = make(&mut fixture, id, before);
        let name = verb.name();
        assert_eq!(rejection(&mut fixture, verb), Some(Error::EtagMismatch { current: expected.clone() }), "{name}");
        let verb = make(&mut fixture, id, expected);
        assert_eq!(rejection(&mut fixture, verb), None, "{name}: a like does not change it");
    }
}

#[test]
fn an_author_may_edit_until_the_last_millisecond_of_the_window() {
    let mut fixture = Fixture::open();
    let id = fixture.root();
    let until = Millis(fixture.row(id).reference.create_time.0 + 60_000);
    let cases = [(Some(60), 0, None), (Some(60), 1, Some(Error::EditWindowClosed { until })), (None, 1_000_000, None)];
    for (window, late, expected) in cases {
        let windows = EditWindows { created: window.map(Duration::from_secs), ..EditWindows::OPEN };
        let verb = Edit { windows, content: text("late"), ..fixture.edit(id, "author", "") };
        let mut command = fixture.command(verb);
        command.now = Millis(until.0 + late);
        assert_eq!(fixture.run_command(&command).err(), expected, "{late} ms after the end");
    }
}

#[test]
fn at_most_three_roots_are_pinned() {
    let mut fixture = Fixture::open();
    let roots = [(); 4].map(|()| fixture.root());
    for id in &roots[..3] {
        fixture.run(fixture.pin(*id, "owner"));
    }
    let fourth = fixture.pin(roots[3], "owner");
    assert_eq!(rejection(&mut fixture, fourth), Some(Error::PinLimitReached));
    fixture.run(fixture.pin(roots[1], "owner"));
    assert_eq!(fixture.subject().pins, roots[..3], "a pinned root keeps its position");
    fixture.run(fixture.unpin(roots[0], "owner"));
    fixture.run(fixture.pin(roots[3], "owner"));
    assert_eq!(fixture.subject().pins, roots[1..]);
    let reply = fixture.reply(roots[0], 2);
    for verb in [CommandKind::from(fixture.pin(reply, "owner")), fixture.unpin(reply, "owner").into()] {
        let found = rejection(&mut fixture, verb).map(|error| error.reason());
        assert_eq!(found, Some(Reason::FieldInvalid), "only roots can be pinned");
    }
}
