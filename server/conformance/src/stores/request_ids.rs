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
use super::scene::{Scene, comment, member, text};

/// Checks that a repeat of `command` returns the output `first`.
async fn repeats(scene: &Scene, command: &Command, first: &CommandOutput) {
    let again = scene.send(command).await.unwrap_or_else(|refused| panic!("{}: {refused:?}", command.verb.name()));
    assert!(again.replayed && !first.replayed, "{}", command.verb.name());
    assert_eq!(again.revision, first.revision, "{}", command.verb.name());
}

pub(super) async fn a_repeat_answers_the_first_id_floor_and_revision_for_ever(backend: Backend) {
    let scene = Scene::new(&backend, "a_repeat_answers_the_first_id_floor_and_revision_for_ever");
    let key = scene.key();
    let verb = scene.create(&key, "author").await;
    let command = scene.command(&key, verb);
    let first = scene.send(&command).await.expect("created");
    let reply = scene.answer(&key, comment(&first).comment.reference.id, 2).await;
    let reply = scene.command(&key, reply);
    let replied = scene.send(&reply).await.expect("created");
    for _ in 0..3 {
        scene.root(&key).await;
        // A client that repeats does not know the id that was generated for it: each attempt
        // carries another.
        let mut again = command.clone();
        again.verb = scene.create(&key, "author").await.into();
        repeats(&scene, &again, &first).await;
        let (old, new) = (comment(&first).comment, comment(&scene.send(&again).await.expect("repeated")).comment);
        assert_eq!(
            (old.reference.id, old.reference.floor, old.reference.born_revision),
            (new.reference.id, new.reference.floor, new.reference.born_revision)
        );
        repeats(&scene, &reply, &replied).await;
    }
    assert_eq!(scene.floors(&key).await, [1, 2, 3, 4]);
    assert_eq!(scene.sound(&key).await, 5);
}

pub(super) async fn a_repeat_shows_the_present_body(backend: Backend) {
    let scene = Scene::new(&backend, "a_repeat_shows_the_present_body");
    let key = scene.key();
    let verb = scene.create(&key, "author").await;
    let command = scene.command(&key, verb);
    let id = comment(&scene.send(&command).await.expect("created")).comment.reference.id;
    let target = scene.target(id).await;
    let (content, etag) = (text("edited"), String::new());
    scene.run(&key, Edit { target: target.clone(), member: member("author"), content, etag, window: None }).await;
    let again = comment(&scene.send(&command).await.expect("repeated"));
    assert_eq!((again.content, again.comment.reference.floor), (Some(text("edited")), 1));
    scene.run(&key, Delete { target, actor: DeleteActor::Moderator, etag: String::new() }).await;
    let again = comment(&scene.send(&command).await.expect("repeated"));
    assert_eq!((again.content, again.comment.reference.id), (None, id), "a tombstone");
}

pub(super) async fn another_body_under_the_same_key_is_refused(backend: Backend) {
    let scene = Scene::new(&backend, "another_body_under_the_same_key_is_refused");
    let key = scene.key();
    let verb = scene.create(&key, "author").await;
    let create = scene.command(&key, verb);
    let id = comment(&scene.send(&create).await.expect("created")).comment.reference.id;
    let hide = scene.command(&key, Hide { target: scene.target(id).await });
    scene.send(&hide).await.expect("hidden");
    for used in [&create, &hide] {
        let mut other = scene.create(&key, "somebody").await;
        other.content = text("another body");
        let mut other = scene.command(&key, other);
        other.request.key = used.request.key;
        assert_eq!(scene.send(&other).await, Err(Error::RequestIdReused));
    }
    let mut other = create.clone();
    other.request.fingerprint = Fingerprint(create.request.fingerprint.0.wrapping_add(1));
    assert_eq!(scene.send(&other).await, Err(Error::RequestIdReused));
    assert_eq!(scene.sound(&key).await, 1);
}

pub(super) async fn twins_in_one_batch_are_one(backend: Backend) {
    let scene = Scene::new(&backend, "twins_in_one_batch_are_one");
    let key = scene.key();
    let verb = scene.create(&key, "author").await;
    let one = scene.command(&key, verb);
    let mut two = one.clone();
    two.verb = scene.create(&key, "author").await.into();
    let mut reused = one.clone();
    reused.request.fingerprint = Fingerprint(7);
    let answers = scene.commit(&[one, two.clone(), reused, two]).await;
    let ids: Vec<_> =
        answers.iter().map(|answer| answer.as_ref().map(|r| (comment(r).comment.reference.id, r.replayed))).collect();
    let id = comment(answers[0].as_ref().expect("created")).comment.reference.id;
    assert_eq!(ids, [Ok((id, false)), Ok((id, true)), Err(&Error::RequestIdReused), Ok((id, true))]);
    assert_eq!(scene.sound(&key).await, 1);
}

pub(super) async fn a_refused_request_leaves_its_key_free(backend: Backend) {
    let scene = Scene::new(&backend, "a_refused_request_leaves_its_key_free");
    let key = scene.key();
    let mut create = scene.create(&key, "author").await;
    create.auto_create = None;
    let mut command = scene.command(&key, create);
    assert_eq!(scene.send(&command).await, Err(Error::SubjectNotFound));
    scene.open(&key).await;
    // Another body under the key of a refused request is no reuse: that request had no effect.
    command.request.fingerprint = Fingerprint(8);
    assert!(scene.send(&command).await.is_ok_and(|output| !output.replayed));
    assert_eq!(scene.floors(&key).await, [1]);
}

pub(super) async fn every_verb_can_be_repeated(backend: Backend) {
    let scene = Scene::new(&backend, "every_verb_can_be_repeated");
    let key = scene.key();
    let id = scene.process.ids.subject(key.partition()).await.expect("an id");
    let (owner, state, metadata) = (Some(member("owner")), SubjectState::Active, Metadata::new());
    let opening = CreateSubject { id, owner, state, metadata, create_time: StepClock::START };
    let mut done = vec![scene.command(&key, opening)];
    let mut outputs = vec![scene.send(&done[0]).await.expect("made")];
    let root = scene.root(&key).await.comment.reference.id;
    let target = scene.target(root).await;
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
        let command = scene.command(&key, verb);
        outputs.push(scene.send(&command).await.unwrap_or_else(|e| panic!("{}: {e:?}", command.verb.name())));
        done.push(command);
        // Each command is repeated long after it took effect, in whatever state the comment is by
        // now.
        for (command, first) in done.iter().zip(&outputs) {
            repeats(&scene, command, first).await;
        }
    }
    let mut expected: Vec<i64> = vec![1, 3, 4, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    let revisions: Vec<i64> = outputs.iter().map(|output| output.revision).collect();
    assert_eq!(revisions, expected, "a pin of a pinned root changes nothing");
    assert_eq!(Some(scene.subject(&key).await.revision), expected.pop());
    assert_eq!(scene.sound(&key).await, 1);
}

pub(super) async fn one_key_under_two_subjects_is_two_requests(backend: Backend) {
    let scene = Scene::new(&backend, "one_key_under_two_subjects_is_two_requests");
    let a = scene.key();
    let b = scene.neighbour(&a);
    let verb = scene.create(&a, "author").await;
    let one = scene.command(&a, verb);
    let mut two = one.clone();
    (two.subject, two.verb) = (b.clone(), scene.create(&b, "author").await.into());
    let answers = scene.commit(&[one.clone(), two.clone()]).await;
    assert!(answers.iter().all(|answer| answer.as_ref().is_ok_and(|r| !r.replayed)), "{answers:?}");
    let reader = &scene.process.reader;
    let key = one.request.key;
    assert_eq!(reader.created_by(&a, &[key]).await, Ok(vec![one.verb.comment_id()]));
    assert_eq!(reader.created_by(&b, &[key]).await, Ok(vec![two.verb.comment_id()]));
}

pub(super) async fn what_a_request_created_is_found_by_its_key(backend: Backend) {
    let scene = Scene::new(&backend, "what_a_request_created_is_found_by_its_key");
    let key = scene.key();
    let root = scene.root(&key).await.comment.reference.id;
    let hide = scene.command(&key, Hide { target: scene.target(root).await });
    scene.send(&hide).await.expect("hidden");
    let mut verb = scene.create(&key, "author").await;
    verb.auto_create = None;
    let create = scene.command(&key, verb);
    let import = riposte_core::verbs::Import {
        id: scene.id(&key).await,
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
    let import = scene.command(&key, import);
    let asked = [import.request.key, IdempotencyKey([9; 16]), hide.request.key, create.request.key, import.request.key];
    assert_eq!(scene.process.reader.created_by(&key, &asked).await, Ok(vec![None; 5]));
    scene.send(&create).await.expect("created");
    scene.send(&import).await.expect("imported");
    let (created, imported) = (create.verb.comment_id(), import.verb.comment_id());
    let found = scene.process.reader.created_by(&key, &asked).await;
    assert_eq!(found, Ok(vec![imported, None, None, created, imported]), "hide created nothing");
}

pub(super) async fn twins_from_many_callers_at_once_are_one(backend: Backend) {
    let scene = Scene::new(&backend, "twins_from_many_callers_at_once_are_one");
    let key = scene.key();
    let request = scene.request();
    let mut callers = Vec::new();
    for _ in 0..16 {
        let mut command = scene.command(&key, scene.create(&key, "author").await);
        command.request = request;
        let scene = std::sync::Arc::clone(&scene);
        callers.push(tokio::spawn(async move { scene.send(&command).await }));
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
    assert_eq!(scene.sound(&key).await, 1);
}
