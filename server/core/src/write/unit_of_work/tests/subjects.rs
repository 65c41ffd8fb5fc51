//! The changes of a subject's own row.

use super::fixture::{Fixture, key, key_named, member, view};
use super::verbs::{create_subject, delete_subject, update_subject};
use crate::Effect;
use crate::domain::counts::SubjectCounts;
use crate::domain::error::{ConflictCause, Error};
use crate::domain::object_type::ModerationMode;
use crate::domain::policy_judgement::PolicyJudgement;
use crate::domain::state::CommentState;
use crate::domain::subject::{Metadata, Subject, SubjectState};
use crate::domain::time::Millis;
use crate::write::change::Change;
use crate::write::unit_of_work::{ChangeContext, UnitOfWork};
use crate::write::verbs::{
    Command, CommandKind, Create, CreateSubject, Import, SetSubjectMode, SubjectModes, UndeleteSubject, UpdateSubject,
};

fn metadata(value: &str) -> Metadata {
    [("k".to_owned(), value.to_owned())].into()
}

#[test]
fn a_new_subject_has_the_requested_values() {
    let mut fixture = Fixture::default();
    let id = fixture.subject_id();
    let verb = CreateSubject {
        state: SubjectState::ReadOnly,
        metadata: metadata("v"),
        create_time: Millis(7),
        ..create_subject(id)
    };
    let command = fixture.command(verb);
    assert_eq!((command.verb.code(), command.verb.name()), (1, "CreateSubject"));
    let output = fixture.run_command(&command).expect("created");
    let expected = Subject {
        counts: SubjectCounts::ZERO,
        id,
        key: key(),
        owner: Some(member("owner")),
        state: SubjectState::ReadOnly,
        next_floor: 1,
        revision: 1,
        version: 1,
        pins: Vec::new(),
        metadata: metadata("v"),
        moderation: None,
        mode_by_moderator: false,
        unlisted: false,
        create_time: Millis(7),
        update_time: command.now,
        delete_time: None,
    };
    assert_eq!((fixture.subject(), output.revision), (&expected, 1));
    assert_eq!(output.effect, Effect::Subject(Box::new(expected)));
}

#[test]
fn a_first_comment_creates_its_subject() {
    for state in [None, Some(CommentState::Active)] {
        let mut fixture = Fixture::default();
        let id = fixture.subject_id();
        let verb = match state {
            None => CommandKind::from(Create { auto_create: Some(id), ..fixture.create() }),
            Some(state) => Import { auto_create: Some(id), ..fixture.import(state) }.into(),
        };
        let (name, command) = (verb.name(), fixture.command(verb));
        assert_eq!(fixture.run_command(&command).map(|output| output.revision), Ok(1), "{name}");
        let expected = Subject {
            counts: SubjectCounts { root_count: 1, comment_count: 1 },
            next_floor: 2,
            revision: 1,
            ..Subject::new(id, key(), command.now)
        };
        assert_eq!(*fixture.subject(), expected, "{name}");
        let another = Create { auto_create: Some(fixture.subject_id()), ..fixture.create() };
        fixture.run(another);
        assert_eq!((fixture.subject().id, fixture.subject().counts.root_count), (id, 2), "an existing subject is used");
    }
}

#[test]
fn an_update_changes_the_named_fields_and_a_deletion_changes_none() {
    let to = || update_subject();
    type Edit = fn(&mut Subject, Millis);
    let cases: [(CommandKind, Edit); 9] = [
        (UpdateSubject { owner: Some(Some(member("other"))), ..to() }.into(), |s, _| s.owner = Some(member("other"))),
        (UpdateSubject { owner: Some(None), ..to() }.into(), |s, _| s.owner = None),
        (UpdateSubject { metadata: Some(metadata("v")), ..to() }.into(), |s, _| s.metadata = metadata("v")),
        (UpdateSubject { moderation: Some(Some(ModerationMode::Pre)), ..to() }.into(), |s, _| {
            s.moderation = Some(ModerationMode::Pre);
        }),
        (UpdateSubject { moderation: Some(None), ..to() }.into(), |s, _| s.moderation = None),
        (to().into(), |_, _| {}),
        (delete_subject().into(), |s, now| s.delete_time = Some(now)),
        (UndeleteSubject.into(), |s, _| s.delete_time = None),
        (UpdateSubject { state: Some(SubjectState::Hidden), ..to() }.into(), |s, _| s.state = SubjectState::Hidden),
    ];
    let mut fixture = Fixture::open();
    let root = fixture.root();
    fixture.reply(root, 2);
    fixture.run(fixture.pin(root, "owner"));
    for (verb, edit) in cases {
        let command = fixture.command(verb);
        let mut expected = fixture.subject().clone();
        edit(&mut expected, command.now);
        expected.revision += 1;
        expected.version += 1;
        expected.update_time = command.now;
        let output = fixture.run_command(&command).expect("changed");
        assert_eq!(*fixture.subject(), expected, "{:?}", command.verb);
        assert_eq!(output.effect, Effect::Subject(Box::new(expected)));
    }
    assert_eq!(fixture.subject().etag(), format!("{:x}.{:x}", fixture.subject().id.get(), fixture.subject().version));
}

fn set_mode(mode: Option<ModerationMode>, modes: SubjectModes) -> SetSubjectMode {
    SetSubjectMode { mode, modes }
}

fn update_mode(mode: Option<ModerationMode>, modes: SubjectModes) -> UpdateSubject {
    UpdateSubject { moderation: Some(mode), modes, ..update_subject() }
}

#[test]
fn only_a_moderator_loosens_the_mode_that_a_moderator_set() {
    use ModerationMode::{Post, Pre, PreNewMembers};
    let conflict = Err(Error::StateConflictBecause(ConflictCause::Mode));
    for (of_type, set, update, is_allowed) in [
        (Post, Some(Pre), None, false),
        (Post, Some(Pre), Some(Post), false),
        (Post, Some(Pre), Some(PreNewMembers), false),
        (Post, Some(Pre), Some(Pre), true),
        (Post, Some(PreNewMembers), Some(Pre), true),
        (Post, Some(PreNewMembers), None, false),
        (PreNewMembers, Some(PreNewMembers), None, true),
        (Pre, Some(Pre), None, true),
        (Post, Some(Post), None, true),
        (Post, None, Some(Pre), true),
    ] {
        let modes = SubjectModes { of_type, counts_members: true };
        let mut fixture = Fixture::open();
        let command = fixture.command(set_mode(set, modes));
        let mut expected = fixture.subject().clone();
        let output = fixture.run_command(&command).expect("set");
        (expected.moderation, expected.mode_by_moderator) = (set, set.is_some());
        (expected.revision, expected.version, expected.update_time) =
            (expected.revision + 1, expected.version + 1, command.now);
        assert_eq!((fixture.subject(), output.effect), (&expected, Effect::Subject(Box::new(expected.clone()))));
        let command = fixture.command(update_mode(update, modes));
        let result = fixture.run_command(&command).map(|_| ());
        assert_eq!(result, if is_allowed { Ok(()) } else { conflict.clone() }, "{set:?} {update:?} under {of_type:?}");
        let expected = if is_allowed { (update, set.is_some() && update.is_some()) } else { (set, true) };
        assert_eq!((fixture.subject().moderation, fixture.subject().mode_by_moderator), expected);
        // Another change of the subject leaves the mode as it is.
        fixture.run(UpdateSubject { metadata: Some(metadata("v")), modes, ..update_subject() });
        assert_eq!((fixture.subject().moderation, fixture.subject().mode_by_moderator), expected);
        // A moderator may.
        fixture.run(set_mode(None, modes));
        assert_eq!((fixture.subject().moderation, fixture.subject().mode_by_moderator), (None, false));
        fixture.run(update_mode(Some(Pre), modes));
        fixture.run(update_mode(None, modes));
    }
}

#[test]
fn a_subject_has_the_mode_for_new_members_only_where_the_type_counts_comments() {
    let mut fixture = Fixture::open();
    let mode = Some(ModerationMode::PreNewMembers);
    for counts_members in [false, true] {
        let modes = SubjectModes { counts_members, ..SubjectModes::default() };
        let verbs: [CommandKind; 2] = [set_mode(mode, modes).into(), update_mode(mode, modes).into()];
        for verb in verbs {
            let command = fixture.command(verb);
            let result = fixture.run_command(&command).map(|_| ());
            let conflict = Err(Error::StateConflictBecause(ConflictCause::Mode));
            assert_eq!(result, if counts_members { Ok(()) } else { conflict }, "{:?}", command.verb);
        }
    }
    let command = fixture.command_on(&key_named("absent"), set_mode(None, SubjectModes::default()));
    assert_eq!(fixture.run_command(&command).map(|_| ()), Err(Error::SubjectNotFound));
    assert_eq!((command.verb.code(), command.verb.name()), (30, "SetSubjectMode"));
}

#[test]
fn a_comment_waits_for_the_mode_of_its_subject_if_its_author_may_be_new() {
    use ModerationMode::{Post, Pre, PreNewMembers};
    for (of_type, of_subject, established, expected) in [
        (Post, Some(PreNewMembers), false, CommentState::Pending),
        (Post, Some(PreNewMembers), true, CommentState::Active),
        (PreNewMembers, None, false, CommentState::Pending),
        (PreNewMembers, None, true, CommentState::Active),
        (PreNewMembers, Some(Pre), true, CommentState::Pending),
        (Pre, Some(PreNewMembers), true, CommentState::Pending),
    ] {
        let mut fixture = Fixture::open();
        let modes = SubjectModes { of_type, counts_members: true };
        fixture.run(set_mode(of_subject, modes));
        let judged = PolicyJudgement { established, ..PolicyJudgement::default() };
        let create = Create { moderation: of_type, judged, ..fixture.create() };
        let output = fixture.run(create);
        assert_eq!(view(&output).comment.lifecycle.state, expected, "{of_subject:?} under {of_type:?}");
    }
}

#[test]
fn pins_are_no_new_version_of_the_subject() {
    let mut fixture = Fixture::open();
    let root = fixture.root();
    let (etag, revision, updated) =
        (fixture.subject().etag(), fixture.subject().revision, fixture.subject().update_time);
    fixture.run(fixture.pin(root, "owner"));
    fixture.run(fixture.unpin(root, "owner"));
    let subject = fixture.subject();
    assert_eq!((subject.etag(), subject.revision, subject.update_time), (etag, revision + 2, updated));
    for verb in [CommandKind::from(fixture.unpin(root, "owner")), fixture.unpin(root, "owner").into()] {
        let output = fixture.run(verb);
        assert_eq!((output.revision, output.replayed), (revision + 2, false), "an unpin without a pin changes nothing");
    }
}

/// A change may have been created from older counts.
#[test]
fn counts_are_not_replaced_with_a_subject() {
    let mut fixture = Fixture::open();
    let old = fixture.subject().clone();
    let root = fixture.root();
    fixture.reply(root, 2);
    let command = fixture.command(update_subject());
    let mut unit = UnitOfWork::default();
    unit.load_subject(fixture.subject().clone());
    let counts = SubjectCounts { root_count: 91, comment_count: 92 };
    let replaced = Subject { counts, owner: None, next_floor: 90, revision: 93, ..old };
    let Command { subject, request, now, .. } = &command;
    let context = ChangeContext { subject, request: *request, now: *now, notify_thread: false };
    assert_eq!(unit.apply(Change::ReplaceSubject(replaced), context), Ok(()));
    let expected = Subject { owner: None, revision: fixture.subject().revision + 1, ..fixture.subject().clone() };
    assert_eq!(unit.subject(&key()), Some(&expected));
    assert_eq!(unit.subject(&key_named("2")), None);
}

#[test]
fn a_revision_or_version_that_cannot_grow_is_an_error_and_no_panic() {
    let exhausted = Err(Error::internal("revisions are exhausted"));
    let mut fixture = Fixture::open();
    let command = fixture.command(update_subject());
    let Command { subject, request, now, .. } = &command;
    let context = ChangeContext { subject, request: *request, now: *now, notify_thread: false };
    for (revision, version) in [(i64::MAX, 1), (1, i64::MAX)] {
        let row = Subject { revision, version, ..fixture.subject().clone() };
        let mut unit = UnitOfWork::default();
        unit.load_subject(row.clone());
        assert_eq!(unit.apply(Change::ReplaceSubject(row.clone()), context), exhausted, "{row:?}");
    }
    let root = fixture.root();
    let mut comment = fixture.row(root).clone();
    comment.lifecycle.revision = i64::MAX;
    let mut unit = UnitOfWork::default();
    unit.load_comment(comment);
    assert_eq!(unit.change(root).map(drop), exhausted);
}
