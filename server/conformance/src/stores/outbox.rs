//! The outbox: a commit records one event for each of its subjects, and gets one sequence number.

mod leases;
mod sequence_numbers;

use std::collections::BTreeMap;

use riposte_core::event::{
    ActorKind, ChangeKind, Changes, CommentChange, CommentOutcome, DecisionNumbers, ModerationDetails,
};
use riposte_core::verbs::{Delete, DeleteActor, Edit, Hide, Pin, SetLike, Unhide, UpdateSubject};
use riposte_core::{CommentId, CommentState, LikeValue, SubjectKey, SubjectState};

use super::backend::Backend;
use super::fixture::{Fixture, by_moderator, member, ruling, text};
use super::likes::operation;
use super::relay::Relay;

pub(super) use leases::*;
pub(super) use sequence_numbers::*;

fn change(id: CommentId, root: Option<CommentId>, kind: ChangeKind) -> CommentChange {
    CommentChange { id, root, kind }
}

/// Returns the changes of an event that changes only comments.
fn comment_changes(comments: &[CommentChange]) -> Changes {
    Changes { comments: comments.to_vec(), ..Changes::default() }
}

/// Returns the revisions and changes of a subject's events, without outcomes and
/// notices.
async fn recorded(fixture: &Fixture, key: &SubjectKey) -> Vec<(Option<i64>, Changes)> {
    let events = fixture.events(key).await;
    let subject = fixture.subject(key).await;
    for event in &events {
        assert_eq!((event.subject, event.partition), (subject.id, key.partition()), "{event:?}");
    }
    let without_outcomes = |changes| Changes { outcomes: BTreeMap::new(), notices: BTreeMap::new(), ..changes };
    events.into_iter().map(|event| (event.revision, without_outcomes(event.changes))).collect()
}

pub(super) async fn every_commit_leaves_one_event_with_its_revision_and_its_changes(backend: Backend) {
    let fixture = Fixture::new(&backend, "every_commit_leaves_one_event_with_its_revision_and_its_changes");
    let _relay = Relay::of(&backend).await; // prevents concurrent trims
    let key = fixture.key();
    fixture.open(&key).await;
    let root = fixture.root(&key).await.comment.reference.id;
    let reply = fixture.reply(&key, root, 2).await.comment.reference.id;
    let target = fixture.target(reply).await;
    let edit = Edit::allowed(target.clone(), member("replier"), text("again"));
    fixture.run(&key, edit).await;
    fixture.run(&key, Pin { target: fixture.target(root).await, member: member("owner") }).await;
    fixture.run(&key, Hide { target: target.clone(), ruling: ruling() }).await;
    fixture.run(&key, Delete { target, actor: by_moderator(), etag: String::new() }).await;
    let closed = UpdateSubject { state: Some(SubjectState::ReadOnly), ..UpdateSubject::default() };
    let last = fixture.run(&key, closed).await.revision;
    let of_reply = |kind| comment_changes(&[change(reply, Some(root), kind)]);
    let of_root = |kind| comment_changes(&[change(root, None, kind)]);
    let subject = Changes { subject: true, ..Changes::default() };
    let expected = [
        subject.clone(),
        of_root(ChangeKind::Created),
        of_reply(ChangeKind::Created),
        of_reply(ChangeKind::Edited),
        of_root(ChangeKind::PinChanged),
        of_reply(ChangeKind::StateChanged),
        of_reply(ChangeKind::StateChanged),
        subject,
    ];
    assert_eq!(last, expected.len() as i64);
    let expected: Vec<_> = (1..).map(Some).zip(expected).collect();
    assert_eq!(recorded(&fixture, &key).await, expected);
}

pub(super) async fn a_refused_or_repeated_command_leaves_no_event(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_refused_or_repeated_command_leaves_no_event");
    let _relay = Relay::of(&backend).await; // prevents concurrent trims
    let key = fixture.key();
    let verb = fixture.root_verb(&key, "author").await;
    let command = fixture.command(&key, verb);
    fixture.send(&command).await.expect("created");
    let root = command.verb.comment_id().expect("a comment");
    let before = recorded(&fixture, &key).await;
    assert_eq!(before.len(), 1);
    assert!(fixture.send(&command).await.expect("repeated").replayed);
    let stranger = Delete {
        target: fixture.target(root).await,
        actor: DeleteActor::Author(member("stranger")),
        etag: String::new(),
    };
    fixture.rejection(&key, stranger).await;
    assert_eq!(recorded(&fixture, &key).await, before);

    // In a batch with a command that changes something, repeated commands add nothing to the event.
    let verb = fixture.root_verb(&key, "author").await;
    let new = fixture.command(&key, verb);
    let created = new.verb.comment_id().expect("a comment");
    assert!(fixture.commit(&[command, new]).await.iter().all(Result::is_ok));
    let last = recorded(&fixture, &key).await.split_off(1);
    assert_eq!(last, [(Some(2), comment_changes(&[change(created, None, ChangeKind::Created)]))]);
}

pub(super) async fn a_batch_over_several_subjects_and_partitions_leaves_one_event_for_each(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_batch_over_several_subjects_and_partitions_leaves_one_event_for_each");
    let relay = Relay::of(&backend).await;
    let first = fixture.key();
    // Another partition of the same tables, which every backend stores on the same data source.
    let in_other_partition = |other: &SubjectKey| {
        let (of_first, of_other) = (first.partition().get(), other.partition().get());
        of_first != of_other && of_first % 200 == of_other % 200
    };
    let other = (0..).map(|n| fixture.key_named(format_args!("p{n}"))).find(in_other_partition).expect("one of many");
    let keys = [first.clone(), fixture.neighbour(&first), other];
    let mut batch = Vec::new();
    for n in 0..9 {
        let key = &keys[n % 3];
        let verb = fixture.root_verb(key, "author").await;
        batch.push(fixture.command(key, verb));
    }
    assert!(fixture.commit(&batch).await.iter().all(Result::is_ok));
    for key in &keys {
        let of_subject = batch.iter().filter(|command| command.subject == *key);
        let created = of_subject.filter_map(|command| command.verb.comment_id());
        let comments = created.map(|id| change(id, None, ChangeKind::Created)).collect();
        assert_eq!(
            recorded(&fixture, key).await,
            [(Some(1), Changes { comments, subject: true, ..Changes::default() })],
            "{key:?}"
        );
    }

    // A second batch changes two of the subjects. All events of one batch have the same sequence
    // number.
    let mut batch = Vec::new();
    for key in &keys[1..] {
        let verb = fixture.root_verb(key, "author").await;
        batch.push(fixture.command(key, verb));
    }
    assert!(fixture.commit(&batch).await.iter().all(Result::is_ok));
    relay.assign_sequence(500).await;
    if backend.confined {
        for key in &keys[1..] {
            let id = fixture.subject(key).await.id;
            let sequenced = relay.sequenced(relay.source_of(id).await, id).await;
            let found: Vec<_> = sequenced.iter().map(|event| event.event.revision).collect();
            assert_eq!(found, [Some(1), Some(2)], "{key:?}");
        }
        return;
    }
    let first = fixture.subject(&first).await.id;
    let source = relay.source_of(first).await;
    let number = relay.sequenced(source, first).await[0].number;
    // Other cases write too, so the next sequence number need not belong to this case.
    let later = relay.sequenced(source, fixture.subject(&keys[1]).await.id).await[1].number;
    assert!(later > number);
    for key in &keys[1..] {
        let sequenced = relay.sequenced(source, fixture.subject(key).await.id).await;
        let found: Vec<_> = sequenced.iter().map(|event| (event.number, event.event.revision)).collect();
        assert_eq!(found, [(number, Some(1)), (later, Some(2))], "{key:?}");
    }
    // A read with a limit of one commit returns all events of the commit, and the next read
    // continues after them.
    let outbox = &relay.process.outbox;
    let first = outbox.read(source, number - 1, 1).await.expect("read");
    assert!(first.len() == 3 && first.iter().all(|event| event.number == number), "{first:?}");
    let next = outbox.read(source, later - 1, 1).await.expect("read");
    assert!(next.len() == 2 && next.iter().all(|event| event.number == later), "{next:?}");
}

pub(super) async fn likes_leave_one_event_without_a_revision(backend: Backend) {
    let fixture = Fixture::new(&backend, "likes_leave_one_event_without_a_revision");
    let relay = Relay::of(&backend).await;
    let key = fixture.key();
    let ids = [fixture.root(&key).await.comment.reference.id, fixture.root(&key).await.comment.reference.id];
    let subject = fixture.subject(&key).await;
    let like = |n: usize, name: &str| {
        let operation = operation(n as u64, 1);
        let verb = SetLike { comment_id: ids[n % 2], member: member(name), value: LikeValue::Like, operation };
        fixture.command(&key, verb)
    };
    let batch: Vec<_> = (0..6).map(|n| like(n, &format!("m{n}"))).collect();
    assert!(fixture.commit(&batch).await.iter().all(Result::is_ok));
    // A command without changes emits no event.
    assert!(fixture.commit(&batch).await.iter().all(Result::is_ok));
    assert_eq!(recorded(&fixture, &key).await.len(), 2, "only the commits of comments have revisions");
    assert_eq!(fixture.subject(&key).await.revision, subject.revision);

    relay.assign_sequence(500).await;
    let source = relay.source_of(subject.id).await;
    let mut events = relay.sequenced(source, subject.id).await;
    events.retain(|sequenced| sequenced.event.revision.is_none());
    let likes: Vec<_> = events.into_iter().map(|sequenced| sequenced.event.changes).collect();
    let likers = (0..6).map(|n| member(&format!("m{n}"))).collect();
    let liked = comment_changes(&ids.map(|id| change(id, None, ChangeKind::Liked)));
    assert_eq!(likes, [Changes { likers, ..liked }]);
}

pub(super) async fn an_event_has_the_outcome_of_each_comment(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_event_has_the_outcome_of_each_comment");
    let _relay = Relay::of(&backend).await; // prevents concurrent trims
    let key = fixture.key();
    let id = fixture.root(&key).await.comment.reference.id;
    let target = fixture.target(id).await;
    fixture.run(&key, Hide { target: target.clone(), ruling: ruling() }).await;
    fixture.run(&key, Unhide { target: target.clone(), ruling: ruling() }).await;
    let edit = Edit::allowed(target, member("author"), text("again"));
    fixture.run(&key, edit).await;
    let outcome = |actor, before, after, version, decision: Option<i32>| CommentOutcome {
        actor,
        before: Some(before),
        after,
        version,
        first_publication: false,
        moderation: ModerationDetails { decisions: decision.map(DecisionNumbers::of), ..ModerationDetails::NONE },
    };
    let expected = [
        CommentOutcome::PUBLISHED,
        outcome(ActorKind::Moderator, CommentState::Active, CommentState::Hidden, 2, Some(1)),
        outcome(ActorKind::Moderator, CommentState::Hidden, CommentState::Active, 3, Some(2)),
        outcome(ActorKind::Author, CommentState::Active, CommentState::Active, 4, None),
    ];
    let events = fixture.events(&key).await;
    let outcomes: Vec<_> = events.iter().filter_map(|event| event.changes.outcome(id)).collect();
    assert_eq!(outcomes, expected);
    assert!(events[0].changes.outcomes.is_empty(), "the outcome of a plain create is not stored");
}
