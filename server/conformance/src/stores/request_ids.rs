//! Repeated requests: every write path returns the first result, also to a late repeat.

use riposte_core::origin::ImportOrigin;
use riposte_core::request::{Fingerprint, IdempotencyKey};
use riposte_core::subject::Metadata;
use riposte_core::verbs::{
    CreateSubject, Delete, DeleteActor, DeleteSubject, Edit, Hide, Pin, Undelete, UndeleteSubject, Unhide, Unpin,
    UpdateSubject,
};
use riposte_core::{Command, CommandKind, CommandOutput, Error, SubjectState};

use super::backend::{Backend, StepClock};
use super::fixture::{Fixture, by_moderator, comment, member, ruling, text};

/// Checks that a repeat of `command` has the revision of the first output.
async fn check_repeat(fixture: &Fixture, command: &Command, first: &CommandOutput) {
    let again = fixture.send(command).await.unwrap_or_else(|error| panic!("{}: {error:?}", command.verb.name()));
    assert!(again.replayed && !first.replayed, "{}", command.verb.name());
    assert_eq!(again.revision, first.revision, "{}", command.verb.name());
}

pub(super) async fn a_repeat_always_returns_the_first_id_floor_and_revision(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_repeat_always_returns_the_first_id_floor_and_revision");
    let key = fixture.key();
    let verb = fixture.root_verb(&key, "author").await;
    let command = fixture.command(&key, verb);
    let first = fixture.send(&command).await.expect("created");
    let reply = fixture.reply_verb(&key, comment(&first).comment.reference.id, 2).await;
    let reply = fixture.command(&key, reply);
    let replied = fixture.send(&reply).await.expect("created");
    for _ in 0..3 {
        fixture.root(&key).await;
        // The service generates a new id for each attempt.
        let mut again = command.clone();
        again.verb = fixture.root_verb(&key, "author").await.into();
        check_repeat(&fixture, &again, &first).await;
        let (old, new) = (comment(&first).comment, comment(&fixture.send(&again).await.expect("repeated")).comment);
        assert_eq!(
            (old.reference.id, old.reference.floor, old.reference.born_revision),
            (new.reference.id, new.reference.floor, new.reference.born_revision)
        );
        check_repeat(&fixture, &reply, &replied).await;
    }
    assert_eq!(fixture.floors(&key).await, [1, 2, 3, 4]);
    assert_eq!(fixture.check_counts(&key).await, 5);
}

pub(super) async fn a_repeat_returns_the_present_content(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_repeat_returns_the_present_content");
    let key = fixture.key();
    let verb = fixture.root_verb(&key, "author").await;
    let command = fixture.command(&key, verb);
    let id = comment(&fixture.send(&command).await.expect("created")).comment.reference.id;
    let target = fixture.target(id).await;
    fixture.run(&key, Edit::allowed(target.clone(), member("author"), text("edited"))).await;
    let again = comment(&fixture.send(&command).await.expect("repeated"));
    assert_eq!((again.content, again.comment.reference.floor), (Some(text("edited")), 1));
    fixture.run(&key, Delete { target, actor: by_moderator(), etag: String::new() }).await;
    let again = comment(&fixture.send(&command).await.expect("repeated"));
    assert_eq!((again.content, again.comment.reference.id), (None, id), "a tombstone");
}

pub(super) async fn a_different_request_under_the_same_key_is_refused(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_different_request_under_the_same_key_is_refused");
    let key = fixture.key();
    let verb = fixture.root_verb(&key, "author").await;
    let create = fixture.command(&key, verb);
    let id = comment(&fixture.send(&create).await.expect("created")).comment.reference.id;
    let hide = fixture.command(&key, Hide { target: fixture.target(id).await, ruling: ruling() });
    fixture.send(&hide).await.expect("hidden");
    for used in [&create, &hide] {
        let mut other = fixture.root_verb(&key, "another-member").await;
        other.content = text("another body");
        let mut other = fixture.command(&key, other);
        other.request.key = used.request.key;
        assert_eq!(fixture.send(&other).await, Err(Error::RequestIdReused));
    }
    let mut other = create.clone();
    other.request.fingerprint = Fingerprint(create.request.fingerprint.0.wrapping_add(1));
    assert_eq!(fixture.send(&other).await, Err(Error::RequestIdReused));
    assert_eq!(fixture.check_counts(&key).await, 1);
}

pub(super) async fn repeats_in_one_batch_are_executed_once(backend: Backend) {
    let fixture = Fixture::new(&backend, "repeats_in_one_batch_are_executed_once");
    let key = fixture.key();
    let verb = fixture.root_verb(&key, "author").await;
    let one = fixture.command(&key, verb);
    let mut two = one.clone();
    two.verb = fixture.root_verb(&key, "author").await.into();
    let mut reused = one.clone();
    reused.request.fingerprint = Fingerprint(7);
    let results = fixture.commit(&[one, two.clone(), reused, two]).await;
    let outputs = results.iter().map(Result::as_ref);
    let ids: Vec<_> =
        outputs.map(|output| output.map(|output| (comment(output).comment.reference.id, output.replayed))).collect();
    let id = comment(results[0].as_ref().expect("created")).comment.reference.id;
    assert_eq!(ids, [Ok((id, false)), Ok((id, true)), Err(&Error::RequestIdReused), Ok((id, true))]);
    assert_eq!(fixture.check_counts(&key).await, 1);
}

pub(super) async fn a_refused_request_leaves_its_key_free(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_refused_request_leaves_its_key_free");
    let key = fixture.key();
    let mut create = fixture.root_verb(&key, "author").await;
    create.auto_create = None;
    let mut command = fixture.command(&key, create);
    let not_created = key.not_created();
    assert_eq!(fixture.send(&command).await, Err(not_created));
    fixture.open(&key).await;
    // A refused request has no effect, so another request may use its key.
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
    let mut sent = vec![fixture.command(&key, opening)];
    let mut outputs = vec![fixture.send(&sent[0]).await.expect("no error")];
    let root = fixture.root(&key).await.comment.reference.id;
    let target = fixture.target(root).await;
    let (author, owner, etag) = (member("author"), member("owner"), String::new());
    let verbs: Vec<CommandKind> = vec![
        UpdateSubject { metadata: Some(Metadata::new()), etag: etag.clone(), ..UpdateSubject::default() }.into(),
        Pin { target: target.clone(), member: owner.clone() }.into(),
        Pin { target: target.clone(), member: owner.clone() }.into(),
        Unpin { target: target.clone(), member: owner }.into(),
        Edit::allowed(target.clone(), author.clone(), text("b")).into(),
        Hide { target: target.clone(), ruling: ruling() }.into(),
        Unhide { target: target.clone(), ruling: ruling() }.into(),
        Delete { target: target.clone(), actor: DeleteActor::Author(author.clone()), etag: etag.clone() }.into(),
        Undelete { target, member: author }.into(),
        DeleteSubject { etag }.into(),
        UndeleteSubject.into(),
    ];
    for verb in verbs {
        let command = fixture.command(&key, verb);
        outputs.push(fixture.send(&command).await.unwrap_or_else(|e| panic!("{}: {e:?}", command.verb.name())));
        sent.push(command);
        // Each command is repeated after later commands changed the state of the comment.
        for (command, first) in sent.iter().zip(&outputs) {
            check_repeat(&fixture, command, first).await;
        }
    }
    let mut expected: Vec<i64> = vec![1, 3, 4, 4, 5, 6, 7, 8, 9, 10, 11, 12];
    let revisions: Vec<i64> = outputs.iter().map(|output| output.revision).collect();
    assert_eq!(revisions, expected, "a pin of a pinned root changes nothing");
    assert_eq!(Some(fixture.subject(&key).await.revision), expected.pop());
    assert_eq!(fixture.check_counts(&key).await, 1);
}

pub(super) async fn one_key_under_two_subjects_is_two_requests(backend: Backend) {
    let fixture = Fixture::new(&backend, "one_key_under_two_subjects_is_two_requests");
    let a = fixture.key();
    let b = fixture.neighbour(&a);
    let verb = fixture.root_verb(&a, "author").await;
    let one = fixture.command(&a, verb);
    let mut two = one.clone();
    (two.subject, two.verb) = (b.clone(), fixture.root_verb(&b, "author").await.into());
    let results = fixture.commit(&[one.clone(), two.clone()]).await;
    assert!(results.iter().all(|result| result.as_ref().is_ok_and(|output| !output.replayed)), "{results:?}");
    let reader = &fixture.process.reader;
    let key = one.request.key;
    assert_eq!(reader.created_by(&a, &[key]).await, Ok(vec![one.verb.comment_id()]));
    assert_eq!(reader.created_by(&b, &[key]).await, Ok(vec![two.verb.comment_id()]));
}

pub(super) async fn a_created_comment_is_found_by_the_key_of_its_request(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_created_comment_is_found_by_the_key_of_its_request");
    let key = fixture.key();
    let root = fixture.root(&key).await.comment.reference.id;
    let hide = fixture.command(&key, Hide { target: fixture.target(root).await, ruling: ruling() });
    fixture.send(&hide).await.expect("hidden");
    let mut verb = fixture.root_verb(&key, "author").await;
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
    let keys = [import.request.key, IdempotencyKey([9; 16]), hide.request.key, create.request.key, import.request.key];
    assert_eq!(fixture.process.reader.created_by(&key, &keys).await, Ok(vec![None; 5]));
    fixture.send(&create).await.expect("created");
    fixture.send(&import).await.expect("imported");
    let (created, imported) = (create.verb.comment_id(), import.verb.comment_id());
    let found = fixture.process.reader.created_by(&key, &keys).await;
    assert_eq!(found, Ok(vec![imported, None, None, created, imported]), "a hide creates no comment");
}

pub(super) async fn repeats_from_many_callers_at_once_are_executed_once(backend: Backend) {
    let fixture = Fixture::new(&backend, "repeats_from_many_callers_at_once_are_executed_once");
    let key = fixture.key();
    let request = fixture.request();
    let mut callers = Vec::new();
    for _ in 0..16 {
        let mut command = fixture.command(&key, fixture.root_verb(&key, "author").await);
        command.request = request;
        let fixture = std::sync::Arc::clone(&fixture);
        callers.push(tokio::spawn(async move { fixture.send(&command).await }));
    }
    let mut ids = Vec::new();
    let mut first = 0;
    for caller in callers {
        let output = caller.await.expect("no panic").expect("created or repeated");
        let created = comment(&output).comment;
        ids.push((created.reference.id, created.reference.floor, output.revision));
        first += usize::from(!output.replayed);
    }
    ids.dedup();
    assert_eq!((ids.len(), first), (1, 1), "{ids:?}");
    assert_eq!(fixture.check_counts(&key).await, 1);
}
