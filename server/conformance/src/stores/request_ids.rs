//! Repeated requests: every write path returns the first result, however late the repeat.

use riposte_core::origin::ImportOrigin;
use riposte_core::request::{Fingerprint, IdempotencyKey};
use riposte_core::subject::Metadata;
use riposte_core::verbs::{
    CreateSubject, Delete, DeleteActor, DeleteSubject, Edit, Hide, Pin, Undelete, UndeleteSubject, Unhide, Unpin,
    UpdateSubject,
};
use riposte_core::{Command, CommandKind, CommandOutput, Error, SubjectState};

use super::backend::{Backend, StepClock};
use super::fixture::{Fixture, comment, member, text};

/// Checks that a repeat of `command` returns the output `first`.
async fn repeats(fixture: &Fixture, command: &Command, first: &CommandOutput) {
    let again = fixture.send(command).await.unwrap_or_else(|refused| panic!("{}: {refused:?}", command.verb.name()));
    assert!(again.replayed && !first.replayed, "{}", command.verb.name());
    assert_eq!(again.revision, first.revision, "{}", command.verb.name());
}

pub(super) async fn a_repeat_answers_the_first_id_floor_and_revision_for_ever(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_repeat_answers_the_first_id_floor_and_revision_for_ever");
    let key = fixture.key();
    let verb = fixture.create(&key, "author").await;
    let command = fixture.command(&key, verb);
    let first = fixture.send(&command).await.expect("created");
    let reply = fixture.answer(&key, comment(&first).comment.reference.id, 2).await;
    let reply = fixture.command(&key, reply);
    let replied = fixture.send(&reply).await.expect("created");
    for _ in 0..3 {
        fixture.root(&key).await;
        // A client that repeats does not know the id that was generated for it: each attempt
        // carries another.
        let mut again = command.clone();
        again.verb = fixture.create(&key, "author").await.into();
        repeats(&fixture, &again, &first).await;
        let (old, new) = (comment(&first).comment, comment(&fixture.send(&again).await.expect("repeated")).comment);
        assert_eq!(
            (old.reference.id, old.reference.floor, old.reference.born_revision),
            (new.reference.id, new.reference.floor, new.reference.born_revision)
        );
        repeats(&fixture, &reply, &replied).await;
    }
    assert_eq!(fixture.floors(&key).await, [1, 2, 3, 4]);
    assert_eq!(fixture.sound(&key).await, 5);
}

pub(super) async fn a_repeat_shows_the_present_body(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_repeat_shows_the_present_body");
    let key = fixture.key();
    let verb = fixture.create(&key, "author").await;
    let command = fixture.command(&key, verb);
    let id = comment(&fixture.send(&command).await.expect("created")).comment.reference.id;
    let target = fixture.target(id).await;
    let (content, etag) = (text("edited"), String::new());
    fixture.run(&key, Edit { target: target.clone(), member: member("author"), content, etag, window: None }).await;
    let again = comment(&fixture.send(&command).await.expect("repeated"));
    assert_eq!((again.content, again.comment.reference.floor), (Some(text("edited")), 1));
    fixture.run(&key, Delete { target, actor: DeleteActor::Moderator, etag: String::new() }).await;
    let again = comment(&fixture.send(&command).await.expect("repeated"));
    assert_eq!((again.content, again.comment.reference.id), (None, id), "a tombstone");
}

pub(super) async fn another_body_under_the_same_key_is_refused(backend: Backend) {
    let fixture = Fixture::new(&backend, "another_body_under_the_same_key_is_refused");
    let key = fixture.key();
    let verb = fixture.create(&key, "author").await;
    let create = fixture.command(&key, verb);
    let id = comment(&fixture.send(&create).await.expect("created")).comment.reference.id;
    let hide = fixture.command(&key, Hide { target: fixture.target(id).await });
    fixture.send(&hide).await.expect("hidden");
    for used in [&create, &hide] {
        let mut other = fixture.create(&key, "another-member").await;
        other.content = text("another body");
        let mut other = fixture.command(&key, other);
        other.request.key = used.request.key;
        assert_eq!(fixture.send(&other).await, Err(Error::RequestIdReused));
    }
    let mut other = create.clone();
    other.request.fingerprint = Fingerprint(create.request.fingerprint.0.wrapping_add(1));
    assert_eq!(fixture.send(&other).await, Err(Error::RequestIdReused));
    assert_eq!(fixture.sound(&key).await, 1);
}

pub(super) async fn twins_in_one_batch_are_one(backend: Backend) {
    let fixture = Fixture::new(&backend, "twins_in_one_batch_are_one");
    let key = fixture.key();
    let verb = fixture.create(&key, "author").await;
    let one = fixture.command(&key, verb);
    let mut two = one.clone();
    two.verb = fixture.create(&key, "author").await.into();
    let mut reused = one.clone();
    reused.request.fingerprint = Fingerprint(7);
    let answers = fixture.commit(&[one, two.clone(), reused, two]).await;
    let ids: Vec<_> =
        answers.iter().map(|answer| answer.as_ref().map(|r| (comment(r).comment.reference.id, r.replayed))).collect();
    let id = comment(answers[0].as_ref().expect("created")).comment.reference.id;
    assert_eq!(ids, [Ok((id, false)), Ok((id, true)), Err(&Error::RequestIdReused), Ok((id, true))]);
    assert_eq!(fixture.sound(&key).await, 1);
}

pub(super) async fn a_refused_request_leaves_its_key_free(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_refused_request_leaves_its_key_free");
    let key = fixture.key();
    let mut create = fixture.create(&key, "author").await;
    create.auto_create = None;
    let mut command = fixture.command(&key, create);
    assert_eq!(fixture.send(&command).await, Err(Error::SubjectNotFound));
    fixture.open(&key).await;
    // Another body under the key of a refused request is no reuse: that request had no effect.
    command.request.fingerprint = Fingerprint(8);
    assert!(fixture.send(&command).await.is_ok_and(|output| !output.replayed));
    assert_eq!(fixture.floors(&key).await, [1]);
}

pub(super) async fn every_verb_can_be_repeated(backend: Backend) {
    let fixture = Fixture::new(&backend, "every_verb_can_be_repeated");
    let key = fixture.key();
    let id = fixture.process.ids.subject(key.partition()).await.expect("an id");
    let (owner, state, metadata) = (Some(member("owner")), SubjectState::Active, Metadata::new());
    let opening = CreateSubject { id, owner, state, metadata, create_time: StepClock::START };
    let mut done = vec![fixture.command(&key, opening)];
    let mut outputs = vec![fixture.send(&done[0]).await.expect("made")];
    let root = fixture.root(&key).await.comment.reference.id;
    let target = fixture.target(root).await;
    let (author, owner, etag) = (member("author"), member("owner"), String::new());
    let verbs: Vec<CommandKind> = vec![
        UpdateSubject { owner: None, state: None, metadata: Some(Metadata::new()), etag: etag.clone() }.into(),
        Pin { target: target.clone(), member: owner.clone() }.into(),
        Pin { target: target.clone(), member: owner.clone() }.into(),
        Unpin { target: target.clone(), member: owner }.into(),
        Edit { target: target.clone(), member: author.clone(), content: text("b"), etag: etag.clone(), window: None }
            .into(),
        Hide { target: target.clone() }.into(),
        Unhide { target: target.clone() }.into(),
        Delete { target: target.clone(), actor: DeleteActor::Author(author.clone()), etag: etag.clone() }.into(),
        Undelete { target, member: author }.into(),
        DeleteSubject { etag }.into(),
        UndeleteSubject.into(),
    ];
    for verb in verbs {
        let command = fixture.command(&key, verb);
        outputs.push(fixture.send(&command).await.unwrap_or_else(|e| panic!("{}: {e:?}", command.verb.name())));
        done.push(command);
        // Each command is repeated long after it took effect, in whatever state the comment is by
        // now.
        for (command, first) in done.iter().zip(&outputs) {
            repeats(&fixture, command, first).await;
        }
    }
    let mut expected: Vec<i64> = vec![1, 3, 4, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    let revisions: Vec<i64> = outputs.iter().map(|output| output.revision).collect();
    assert_eq!(revisions, expected, "a pin of a pinned root changes nothing");
    assert_eq!(Some(fixture.subject(&key).await.revision), expected.pop());
    assert_eq!(fixture.sound(&key).await, 1);
}

pub(super) async fn one_key_under_two_subjects_is_two_requests(backend: Backend) {
    let fixture = Fixture::new(&backend, "one_key_under_two_subjects_is_two_requests");
    let a = fixture.key();
    let b = fixture.neighbour(&a);
    let verb = fixture.create(&a, "author").await;
    let one = fixture.command(&a, verb);
    let mut two = one.clone();
    (two.subject, two.verb) = (b.clone(), fixture.create(&b, "author").await.into());
    let answers = fixture.commit(&[one.clone(), two.clone()]).await;
    assert!(answers.iter().all(|answer| answer.as_ref().is_ok_and(|r| !r.replayed)), "{answers:?}");
    let reader = &fixture.process.reader;
    let key = one.request.key;
    assert_eq!(reader.created_by(&a, &[key]).await, Ok(vec![one.verb.comment_id()]));
    assert_eq!(reader.created_by(&b, &[key]).await, Ok(vec![two.verb.comment_id()]));
}

pub(super) async fn what_a_request_created_is_found_by_its_key(backend: Backend) {
    let fixture = Fixture::new(&backend, "what_a_request_created_is_found_by_its_key");
    let key = fixture.key();
    let root = fixture.root(&key).await.comment.reference.id;
    let hide = fixture.command(&key, Hide { target: fixture.target(root).await });
    fixture.send(&hide).await.expect("hidden");
    let mut verb = fixture.create(&key, "author").await;
    verb.auto_create = None;
    let create = fixture.command(&key, verb);
    let import = riposte_core::verbs::Import {
        id: fixture.id(&key).await,
        parent: None,
        member: member("m"),
        content: text("old"),
        client: riposte_core::ClientInfo::default(),
        origin: ImportOrigin { source: "s".to_owned(), external_id: "1".to_owned() },
        state: riposte_core::CommentState::Active,
        deleted_by: None,
        times: riposte_core::verbs::ImportTimes { create: StepClock::START, edit: None, delete: None },
        max_depth: 2,
        auto_create: None,
    };
    let import = fixture.command(&key, import);
    let asked = [import.request.key, IdempotencyKey([9; 16]), hide.request.key, create.request.key, import.request.key];
    assert_eq!(fixture.process.reader.created_by(&key, &asked).await, Ok(vec![None; 5]));
    fixture.send(&create).await.expect("created");
    fixture.send(&import).await.expect("imported");
    let (created, imported) = (create.verb.comment_id(), import.verb.comment_id());
    let found = fixture.process.reader.created_by(&key, &asked).await;
    assert_eq!(found, Ok(vec![imported, None, None, created, imported]), "hide created nothing");
}

pub(super) async fn twins_from_many_callers_at_once_are_one(backend: Backend) {
    let fixture = Fixture::new(&backend, "twins_from_many_callers_at_once_are_one");
    let key = fixture.key();
    let request = fixture.request();
    let mut callers = Vec::new();
    for _ in 0..16 {
        let mut command = fixture.command(&key, fixture.create(&key, "author").await);
        command.request = request;
        let fixture = std::sync::Arc::clone(&fixture);
        callers.push(tokio::spawn(async move { fixture.send(&command).await }));
    }
    let mut ids = Vec::new();
    let mut first = 0;
    for caller in callers {
        let output = caller.await.expect("the task ends well").expect("created or repeated");
        let made = comment(&output).comment;
        ids.push((made.reference.id, made.reference.floor, output.revision));
        first += usize::from(!output.replayed);
    }
    ids.dedup();
    assert_eq!((ids.len(), first), (1, 1), "{ids:?}");
    assert_eq!(fixture.sound(&key).await, 1);
}
