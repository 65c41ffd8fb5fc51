//! The outbox: one event for each subject of a commit, each with one sequence number.

mod leads;
mod numbers;

use std::collections::BTreeMap;

use riposte_core::event::{ActorKind, ChangeKind, Changes, CommentChange, CommentOutcome};
use riposte_core::verbs::{Delete, DeleteActor, Edit, Hide, Pin, SetLike, Unhide, UpdateSubject};
use riposte_core::{CommentId, CommentState, LikeValue, SubjectKey, SubjectState};

use super::backend::Backend;
use super::fixture::{Fixture, member, text};
use super::likes::operation;
use super::relay::Relay;

pub(super) use leads::*;
pub(super) use numbers::*;

fn change(id: CommentId, root: Option<CommentId>, what: ChangeKind) -> CommentChange {
    CommentChange { id, root, what }
}

fn of_comments(comments: &[CommentChange]) -> Changes {
    Changes { comments: comments.to_vec(), ..Changes::default() }
}

/// Returns the revisions and changes of a subject's events, without the outcomes.
async fn told(fixture: &Fixture, key: &SubjectKey) -> Vec<(Option<i64>, Changes)> {
    let events = fixture.events(key).await;
    let subject = fixture.subject(key).await;
    for event in &events {
        assert_eq!((event.subject, event.partition), (subject.id, key.partition()), "{event:?}");
    }
    let changes = |changes| Changes { outcomes: BTreeMap::new(), ..changes };
    events.into_iter().map(|event| (event.revision, changes(event.changes))).collect()
}

pub(super) async fn every_commit_leaves_one_event_with_its_revision_and_its_changes(backend: Backend) {
    let fixture = Fixture::new(&backend, "every_commit_leaves_one_event_with_its_revision_and_its_changes");
    let _turn = Relay::of(&backend).await; // prevents trims meanwhile
    let key = fixture.key();
    fixture.open(&key).await;
    let root = fixture.root(&key).await.comment.reference.id;
    let reply = fixture.reply(&key, root, 2).await.comment.reference.id;
    let target = fixture.target(reply).await;
    let edit = Edit {
        target: target.clone(),
        member: member("replier"),
        content: text("again"),
        etag: String::new(),
        window: None,
    };
    fixture.run(&key, edit).await;
    fixture.run(&key, Pin { target: fixture.target(root).await, member: member("owner") }).await;
    fixture.run(&key, Hide { target: target.clone() }).await;
    fixture.run(&key, Delete { target, actor: DeleteActor::Moderator, etag: String::new() }).await;
    let closed =
        UpdateSubject { owner: None, state: Some(SubjectState::ReadOnly), metadata: None, etag: String::new() };
    let last = fixture.run(&key, closed).await.revision;
    let below = |what| of_comments(&[change(reply, Some(root), what)]);
    let top = |what| of_comments(&[change(root, None, what)]);
    let subject = Changes { subject: true, ..Changes::default() };
    let expected = [
        subject.clone(),
        top(ChangeKind::Created),
        below(ChangeKind::Created),
        below(ChangeKind::Edited),
        top(ChangeKind::PinChanged),
        below(ChangeKind::StateChanged),
        below(ChangeKind::StateChanged),
        subject,
    ];
    assert_eq!(last, expected.len() as i64);
    let expected: Vec<_> = (1..).map(Some).zip(expected).collect();
    assert_eq!(told(&fixture, &key).await, expected);
}

pub(super) async fn a_refused_or_repeated_command_leaves_no_event(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_refused_or_repeated_command_leaves_no_event");
    let _turn = Relay::of(&backend).await; // prevents trims meanwhile
    let key = fixture.key();
    let verb = fixture.create(&key, "author").await;
    let command = fixture.command(&key, verb);
    fixture.send(&command).await.expect("created");
    let root = command.verb.comment_id().expect("a comment");
    let before = told(&fixture, &key).await;
    assert_eq!(before.len(), 1);
    assert!(fixture.send(&command).await.expect("repeated").replayed);
    let stranger = Delete {
        target: fixture.target(root).await,
        actor: DeleteActor::Author(member("stranger")),
        etag: String::new(),
    };
    fixture.refusal(&key, stranger).await;
    assert_eq!(told(&fixture, &key).await, before);

    // In a batch with a command that changes something, repeated commands add nothing to the event.
    let verb = fixture.create(&key, "author").await;
    let new = fixture.command(&key, verb);
    let made = new.verb.comment_id().expect("a comment");
    assert!(fixture.commit(&[command, new]).await.iter().all(Result::is_ok));
    let last = told(&fixture, &key).await.split_off(1);
    assert_eq!(last, [(Some(2), of_comments(&[change(made, None, ChangeKind::Created)]))]);
}

pub(super) async fn a_batch_over_several_subjects_and_partitions_leaves_one_event_for_each(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_batch_over_several_subjects_and_partitions_leaves_one_event_for_each");
    let relay = Relay::of(&backend).await;
    let first = fixture.key();
    // Another partition of the same tables, which every backend keeps on the same data source.
    let apart = |other: &SubjectKey| {
        let (here, there) = (first.partition().get(), other.partition().get());
        here != there && here % 200 == there % 200
    };
    let other = (0..).map(|n| fixture.key_named(format_args!("p{n}"))).find(apart).expect("one of many");
    let keys = [first.clone(), fixture.neighbour(&first), other];
    let mut batch = Vec::new();
    for n in 0..9 {
        let key = &keys[n % 3];
        let verb = fixture.create(key, "author").await;
        batch.push(fixture.command(key, verb));
    }
    assert!(fixture.commit(&batch).await.iter().all(Result::is_ok));
    for key in &keys {
        let made = batch.iter().filter(|command| command.subject == *key);
        let made = made.filter_map(|command| command.verb.comment_id());
        let comments = made.map(|id| change(id, None, ChangeKind::Created)).collect();
        assert_eq!(
            told(&fixture, key).await,
            [(Some(1), Changes { comments, subject: true, ..Changes::default() })],
            "{key:?}"
        );
    }

    // A second batch changes two of the subjects. All events of a batch have the same sequence
    // number.
    let mut batch = Vec::new();
    for key in &keys[1..] {
        let verb = fixture.create(key, "author").await;
        batch.push(fixture.command(key, verb));
    }
    assert!(fixture.commit(&batch).await.iter().all(Result::is_ok));
    relay.assign_sequence(500).await;
    let first = fixture.subject(&first).await.id;
    let source = relay.source_of(first).await;
    let number = relay.sequenced(source, first).await[0].number;
    // Other cases write too, so the next sequence number need not belong to this case.
    let later = relay.sequenced(source, fixture.subject(&keys[1]).await.id).await[1].number;
    assert!(later > number);
    for key in &keys[1..] {
        let sequenced = relay.sequenced(source, fixture.subject(key).await.id).await;
        let told: Vec<_> = sequenced.iter().map(|one| (one.number, one.event.revision)).collect();
        assert_eq!(told, [(number, Some(1)), (later, Some(2))], "{key:?}");
    }
    // A read with a limit of one commit returns all events of the commit, and the next read
    // continues after them.
    let outbox = &relay.process.outbox;
    let one = outbox.read(source, number - 1, 1).await.expect("read");
    assert!(one.len() == 3 && one.iter().all(|told| told.number == number), "{one:?}");
    let next = outbox.read(source, later - 1, 1).await.expect("read");
    assert!(next.len() == 2 && next.iter().all(|told| told.number == later), "{next:?}");
}

pub(super) async fn likes_leave_one_event_without_a_revision(backend: Backend) {
    let fixture = Fixture::new(&backend, "likes_leave_one_event_without_a_revision");
    let relay = Relay::of(&backend).await;
    let key = fixture.key();
    let ids = [fixture.root(&key).await.comment.reference.id, fixture.root(&key).await.comment.reference.id];
    let subject = fixture.subject(&key).await;
    let like = |n: usize, who: &str| {
        let operation = operation(n as u64, 1);
        let verb = SetLike { comment_id: ids[n % 2], member: member(who), value: LikeValue::Like, operation };
        fixture.command(&key, verb)
    };
    let batch: Vec<_> = (0..6).map(|n| like(n, &format!("m{n}"))).collect();
    assert!(fixture.commit(&batch).await.iter().all(Result::is_ok));
    // A command without changes emits no event.
    assert!(fixture.commit(&batch).await.iter().all(Result::is_ok));
    assert_eq!(told(&fixture, &key).await.len(), 2, "only the comments moved the revision");
    assert_eq!(fixture.subject(&key).await.revision, subject.revision);

    relay.assign_sequence(500).await;
    let source = relay.source_of(subject.id).await;
    let mut events = relay.sequenced(source, subject.id).await;
    events.retain(|sequenced| sequenced.event.revision.is_none());
    let likes: Vec<_> = events.into_iter().map(|sequenced| sequenced.event.changes).collect();
    let likers = (0..6).map(|n| member(&format!("m{n}"))).collect();
    let liked = of_comments(&ids.map(|id| change(id, None, ChangeKind::Liked)));
    assert_eq!(likes, [Changes { likers, ..liked }]);
}

pub(super) async fn an_event_has_the_outcome_of_each_comment(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_event_has_the_outcome_of_each_comment");
    let _turn = Relay::of(&backend).await; // prevents trims meanwhile
    let key = fixture.key();
    let id = fixture.root(&key).await.comment.reference.id;
    let target = fixture.target(id).await;
    fixture.run(&key, Hide { target: target.clone() }).await;
    fixture.run(&key, Unhide { target: target.clone() }).await;
    let edit = Edit { target, member: member("author"), content: text("again"), etag: String::new(), window: None };
    fixture.run(&key, edit).await;
    let changed = |actor, before, after, version| CommentOutcome {
        actor,
        before: Some(before),
        after,
        version,
        first_publication: false,
    };
    let expected = [
        CommentOutcome::PUBLISHED,
        changed(ActorKind::Moderator, CommentState::Active, CommentState::Hidden, 2),
        changed(ActorKind::Moderator, CommentState::Hidden, CommentState::Active, 3),
        changed(ActorKind::Author, CommentState::Active, CommentState::Active, 4),
    ];
    let events = fixture.events(&key).await;
    let outcomes: Vec<_> = events.iter().filter_map(|event| event.changes.outcome(id)).collect();
    assert_eq!(outcomes, expected);
    assert!(events[0].changes.outcomes.is_empty(), "the outcome of a plain create is not stored");
}
