//! A repeated request returns its first output, whatever has happened to its subject since.

use super::scene::{Scene, view};
use super::verbs::{author, delete_subject, update_subject};
use crate::Effect;
use crate::domain::error::Error;
use crate::domain::ids::CommentId;
use crate::domain::request::{Fingerprint, RequestIdentity};
use crate::domain::state::CommentState;
use crate::domain::subject::SubjectState;
use crate::write::verbs::{Command, CommandKind, UndeleteSubject, UpdateSubject};

fn other_body(command: &Command) -> Command {
    let fingerprint = Fingerprint(command.request.fingerprint.0 + 1);
    Command { request: RequestIdentity { fingerprint, ..command.request }, ..command.clone() }
}

type Make = fn(&mut Scene, [CommentId; 2]) -> CommandKind;

/// Every verb except likes, with its stored code, on a root and its reply; in an order in which
/// each succeeds.
const VERBS: [(i8, Make); 13] = [
    (5, |scene, _| scene.create().into()),
    (6, |scene, [root, _]| scene.answer(root, 2).into()),
    (15, |scene, _| scene.import(CommentState::Active).into()),
    (7, |scene, [_, reply]| scene.edit(reply, "author", "other").into()),
    (10, |scene, [root, _]| scene.pin(root, "owner").into()),
    (11, |scene, [root, _]| scene.unpin(root, "owner").into()),
    (12, |scene, [_, reply]| scene.hide(reply).into()),
    (13, |scene, [_, reply]| scene.unhide(reply).into()),
    (8, |scene, [_, reply]| scene.delete(reply, author("author")).into()),
    (9, |scene, [_, reply]| scene.undelete(reply, "author").into()),
    (2, |_, _| update_subject().into()),
    (3, |_, _| delete_subject().into()),
    (4, |_, _| UndeleteSubject.into()),
];

#[test]
fn every_verb_is_done_once() {
    let mut scene = Scene::open();
    let root = scene.root();
    let reply = scene.reply(root, 2);
    let mut sent = Vec::new();
    for (code, make) in VERBS {
        let verb = make(&mut scene, [root, reply]);
        let name = verb.name();
        let command = scene.command(verb);
        // In the batch of the first request, and in a batch of its own.
        let (answers, unit) = scene.commit(&[command.clone(), command.clone(), other_body(&command)]);
        let first = answers[0].clone().expect(name);
        let about = match code {
            2..=4 => None,
            10 | 11 => Some(root),
            7..=9 | 12 | 13 => Some(reply),
            _new => scene.comments.keys().next_back().copied(),
        };
        assert_eq!(about, about.map(|_| view(&first).comment.reference.id), "{name}");
        let requests = usize::from(!command.verb.creates_comment());
        assert_eq!(unit.write_set().requests.len(), requests, "{name}");
        let record = unit.write_set().requests.first().map(|(_, key, record)| (*key, record.verb, record.comment));
        let expected = (command.request.key, code, about);
        assert_eq!((command.verb.code(), command.verb.as_like()), (code, None), "{name}");
        assert_eq!(record, (requests > 0).then_some(expected), "{name}");
        assert!(!first.replayed, "{name}");
        for (n, answer) in [answers[1].clone(), scene.send(&command)].into_iter().enumerate() {
            let again = answer.expect(name);
            assert_eq!((again.revision, again.replayed), (first.revision, true), "{name}, {n}");
            assert_eq!(again.effect, first.effect, "{name}, {n}");
        }
        assert_eq!(answers[2], Err(Error::RequestIdReused), "{name}");
        assert_eq!(scene.send(&other_body(&command)), Err(Error::RequestIdReused), "{name}");
        sent.push((command, first));
    }
    scene.run(UpdateSubject { state: Some(SubjectState::Hidden), ..update_subject() });
    scene.run(delete_subject());
    let batch: Vec<_> = sent.iter().map(|(command, _)| command.clone()).collect();
    let (answers, unit) = scene.commit(&batch);
    for (answer, (command, first)) in answers.into_iter().zip(sent) {
        let told = answer.map(|output| (output.revision, output.replayed));
        assert_eq!(told, Ok((first.revision, true)), "{} under a deleted subject", command.verb.name());
    }
    assert!(unit.changed().is_empty() && unit.events().is_ok_and(|events| events.is_empty()));
}

#[test]
fn a_repeat_tells_what_the_comment_is_now() {
    let mut scene = Scene::open();
    let create = scene.create();
    let create = scene.command(create);
    let id = view(&scene.send(&create).expect("created")).comment.reference.id;
    scene.run(scene.pin(id, "owner"));
    let again = scene.send(&create).expect("known");
    assert_eq!((view(&again).pinned, &view(&again).content), (true, &scene.contents.get(&id).cloned()));
    scene.run(scene.hide(id));
    let again = scene.send(&create).expect("known");
    let found = (view(&again).comment.lifecycle.state, &view(&again).content, view(&again).pinned);
    assert_eq!(found, (CommentState::Hidden, &None, false));
}

#[test]
fn a_refused_request_may_come_again() {
    let mut scene = Scene::open();
    let id = scene.root();
    let unhide = scene.command(scene.unhide(id));
    assert_eq!(scene.send(&unhide), Err(Error::StateConflict(CommentState::Active)));
    scene.run(scene.hide(id));
    let done = scene.send(&unhide).expect("allowed by now");
    assert!(!done.replayed && matches!(done.effect, Effect::Comment(_)));
}
