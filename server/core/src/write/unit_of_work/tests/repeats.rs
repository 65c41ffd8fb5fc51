//! A repeated request returns its first output, whatever has happened to its subject since.

use super::fixture::{Fixture, member, view};
use super::verbs::{author, delete_subject, moderator, update_subject};
use crate::Effect;
use crate::domain::error::Error;
use crate::domain::ids::CommentId;
use crate::domain::request::{Fingerprint, RequestIdentity};
use crate::domain::state::CommentState;
use crate::domain::subject::SubjectState;
use crate::write::verbs::{
    BatchType, Command, CommandKind, Delete, DeleteActor, Hide, Ruling, UndeleteSubject, Unhide, UpdateSubject,
};

fn other_body(command: &Command) -> Command {
    let fingerprint = Fingerprint(command.request.fingerprint.0 + 1);
    Command { request: RequestIdentity { fingerprint, ..command.request }, ..command.clone() }
}

type Make = fn(&mut Fixture, [CommentId; 2]) -> CommandKind;

/// Every verb except likes, with its stored code, on a root and its reply; in an order in which
/// each succeeds.
const VERBS: [(i8, Make); 13] = [
    (5, |fixture, _| fixture.create().into()),
    (6, |fixture, [root, _]| fixture.reply_to(root, 2).into()),
    (15, |fixture, _| fixture.import(CommentState::Active).into()),
    (7, |fixture, [_, reply]| fixture.edit(reply, "author", "other").into()),
    (10, |fixture, [root, _]| fixture.pin(root, "owner").into()),
    (11, |fixture, [root, _]| fixture.unpin(root, "owner").into()),
    (12, |fixture, [_, reply]| fixture.hide(reply).into()),
    (13, |fixture, [_, reply]| fixture.unhide(reply).into()),
    (8, |fixture, [_, reply]| fixture.delete(reply, author("author")).into()),
    (9, |fixture, [_, reply]| fixture.undelete(reply, "author").into()),
    (2, |_, _| update_subject().into()),
    (3, |_, _| delete_subject().into()),
    (4, |_, _| UndeleteSubject.into()),
];

#[test]
fn every_verb_is_executed_once() {
    let mut fixture = Fixture::open();
    let root = fixture.root();
    let reply = fixture.reply(root, 2);
    let mut sent = Vec::new();
    for (code, make) in VERBS {
        let verb = make(&mut fixture, [root, reply]);
        let name = verb.name();
        let command = fixture.command(verb);
        // In the batch of the first request, and in a batch of its own.
        let (results, unit) = fixture.commit(&[command.clone(), command.clone(), other_body(&command)]);
        let first = results[0].clone().expect(name);
        let comment = match code {
            2..=4 => None,
            10 | 11 => Some(root),
            7..=9 | 12 | 13 => Some(reply),
            _new => fixture.comments.keys().next_back().copied(),
        };
        assert_eq!(comment, comment.map(|_| view(&first).comment.reference.id), "{name}");
        let requests = usize::from(!command.verb.creates_comment());
        assert_eq!(unit.write_set().requests.len(), requests, "{name}");
        let record = unit.write_set().requests.first().map(|(_, key, record)| (*key, record.verb, record.comment));
        let expected = (command.request.key, code, comment);
        assert_eq!(command.verb.code(), code, "{name}");
        assert_eq!(record, (requests > 0).then_some(expected), "{name}");
        assert!(!first.replayed, "{name}");
        for (n, result) in [results[1].clone(), fixture.run_command(&command)].into_iter().enumerate() {
            let repeated = result.expect(name);
            assert_eq!((repeated.revision, repeated.replayed), (first.revision, true), "{name}, {n}");
            assert_eq!(repeated.effect, first.effect, "{name}, {n}");
        }
        assert_eq!(results[2], Err(Error::RequestIdReused), "{name}");
        assert_eq!(fixture.run_command(&other_body(&command)), Err(Error::RequestIdReused), "{name}");
        sent.push((command, first));
    }
    fixture.run(UpdateSubject { state: Some(SubjectState::Hidden), ..update_subject() });
    fixture.run(delete_subject());
    let batch: Vec<_> = sent.iter().map(|(command, _)| command.clone()).collect();
    let (results, unit) = fixture.commit(&batch);
    for (result, (command, first)) in results.into_iter().zip(sent) {
        let found = result.map(|output| (output.revision, output.replayed));
        assert_eq!(found, Ok((first.revision, true)), "{} under a deleted subject", command.verb.name());
    }
    assert!(unit.changed().is_empty() && unit.events().is_ok_and(|events| events.is_empty()));
}

#[test]
fn an_order_that_a_version_without_notes_in_fingerprints_recorded_is_a_repeat() {
    let mut fixture = Fixture::open();
    let root = fixture.root();
    let orders: [CommandKind; 3] =
        [fixture.hide(root).into(), fixture.unhide(root).into(), fixture.delete(root, moderator()).into()];
    for verb in orders {
        let (name, capacity) = (verb.name(), [b"moderator".as_slice(), b""]);
        let capacity = if name == "Delete" { &capacity[..] } else { &[] };
        let command = fixture.command(verb);
        let (key, id) = (&command.subject, root.get().to_be_bytes());
        let head = [name, key.object_type().as_str(), key.object_id()].map(str::as_bytes);
        let parts: Vec<&[u8]> = head.iter().chain(capacity).copied().chain([id.as_slice()]).collect();
        let with =
            |fingerprint| Command { request: RequestIdentity { fingerprint, ..command.request }, ..command.clone() };
        let recorded = fixture.run_command(&with(Fingerprint::of(&parts))).expect(name);
        let fingerprint = command.verb.fingerprint(&command.subject);
        assert_ne!(fingerprint, Fingerprint::of(&parts), "{name}");
        let repeated = fixture.run_command(&with(fingerprint)).expect(name);
        assert_eq!((repeated.revision, repeated.replayed), (recorded.revision, true), "{name}");
    }
}

#[test]
fn an_order_without_a_note_is_not_repeated_by_one_with_a_note() {
    let mut fixture = Fixture::open();
    let root = fixture.root();
    let noted: [CommandKind; 3] =
        [fixture.hide(root).into(), fixture.unhide(root).into(), fixture.delete(root, moderator()).into()];
    let ruling = Ruling::noted(member("mod"), String::new());
    let actor = DeleteActor::Moderator(Box::new(ruling.clone()));
    let bare: [CommandKind; 3] = [
        Hide { ruling: ruling.clone(), ..fixture.hide(root) }.into(),
        Unhide { ruling, ..fixture.unhide(root) }.into(),
        Delete { actor, ..fixture.delete(root, moderator()) }.into(),
    ];
    for (noted, verb) in noted.into_iter().zip(bare) {
        let name = noted.name();
        let noted = fixture.command(noted);
        let fingerprint = verb.fingerprint(&noted.subject);
        let bare = Command { verb, request: RequestIdentity { fingerprint, ..noted.request }, ..noted.clone() };
        let first = fixture.run_command(&bare).expect(name);
        assert_eq!(fixture.run_command(&noted), Err(Error::RequestIdReused), "{name}");
        let repeated = fixture.run_command(&bare).expect(name);
        assert_eq!((repeated.revision, repeated.replayed), (first.revision, true), "{name}");
    }
}

#[test]
fn a_repeat_returns_the_present_comment() {
    let mut fixture = Fixture::open();
    let create = fixture.create();
    let create = fixture.command(create);
    let id = view(&fixture.run_command(&create).expect("created")).comment.reference.id;
    fixture.run(fixture.pin(id, "owner"));
    let repeated = fixture.run_command(&create).expect("a repeat");
    assert_eq!((view(&repeated).pinned, &view(&repeated).content), (true, &fixture.contents.get(&id).cloned()));
    fixture.run(fixture.hide(id));
    let repeated = fixture.run_command(&create).expect("a repeat");
    let found = (view(&repeated).comment.lifecycle.state, &view(&repeated).content, view(&repeated).pinned);
    assert_eq!(found, (CommentState::Hidden, &None, false));
}

#[test]
fn a_rejected_request_may_be_repeated() {
    let mut fixture = Fixture::open();
    let id = fixture.root();
    let unhide = fixture.command(fixture.unhide(id));
    assert_eq!(fixture.run_command(&unhide), Err(Error::StateConflict(CommentState::Active)));
    fixture.run(fixture.hide(id));
    let output = fixture.run_command(&unhide).expect("allowed after the hide");
    assert!(!output.replayed && matches!(output.effect, Effect::Comment(_)));
}
