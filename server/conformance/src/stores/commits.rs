//! The effects of single commands and of batches that the other categories do not cover.

use riposte_core::request::RequestId;
use riposte_core::subject::Metadata;
use riposte_core::verbs::{
    CreateSubject, DeleteSubject, Edit, EditWindows, Hide, Pin, SetLike, UndeleteSubject, Unhide, Unpin, UpdateSubject,
};
use riposte_core::{CommandOutput, Error, LikeValue, Millis, SubjectState};

use super::backend::Backend;
use super::fixture::{Fixture, comment, member, ruling, text};

pub(super) async fn a_commit_returns_what_a_read_then_returns(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_commit_returns_what_a_read_then_returns");
    let key = fixture.key();
    let root = fixture.root(&key).await;
    assert_eq!((root.comment.reference.floor, root.comment.reference.born_revision), (1, 1));
    let verb = fixture.reply_verb(&key, root.comment.reference.id, 2).await;
    let reply = comment(&fixture.run(&key, verb).await);
    assert_eq!(reply, fixture.view(reply.comment.reference.id).await);
    assert_eq!(
        (reply.comment.reference.floor, reply.comment.reference.parent_id),
        (1, Some(root.comment.reference.id))
    );
    let subject = fixture.subject(&key).await;
    assert_eq!(
        (subject.counts.root_count, subject.counts.comment_count, subject.next_floor, subject.revision),
        (1, 2, 2, 2)
    );
    assert_eq!(fixture.view(root.comment.reference.id).await.comment.counts.reply_count, 1);
    assert_eq!(fixture.check_counts(&key).await, 2);
}

pub(super) async fn a_refused_command_changes_nothing_and_does_not_affect_its_batch(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_refused_command_changes_nothing");
    let key = fixture.key();
    let root = fixture.root(&key).await;
    let (before, after) = (fixture.root_verb(&key, "before").await, fixture.root_verb(&key, "after").await);
    let mut orphan = fixture.reply_verb(&key, root.comment.reference.id, 2).await;
    let nowhere = fixture.id(&key).await;
    (orphan.parent.id, orphan.parent.ancestor_ids) = (nowhere, vec![nowhere]);
    let commands = [
        fixture.command(&key, before.clone()),
        fixture.command(&key, orphan.clone()),
        fixture.command(&key, after.clone()),
    ];
    let results = fixture.commit(&commands).await;
    assert_eq!(results[1], Err(Error::CommentNotFound));
    assert!(results[0].is_ok() && results[2].is_ok(), "{results:?}");
    let found = fixture.process.reader.comments(&[before.id, orphan.id, after.id]).await.expect("read");
    let floors: Vec<_> = found.iter().map(|view| view.as_ref().map(|view| view.comment.reference.floor)).collect();
    assert_eq!(floors, [Some(2), None, Some(3)]);
    assert_eq!(fixture.subject(&key).await.revision, 2, "one batch, one revision");
    assert_eq!(fixture.check_counts(&key).await, 3);
}

pub(super) async fn a_batch_that_may_not_wait_is_executed_if_no_row_is_held(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_batch_that_may_not_wait_is_executed");
    let key = fixture.key();
    let mut commands = Vec::new();
    for key in [&key, &fixture.neighbour(&key), &key] {
        commands.push(fixture.command(key, fixture.root_verb(key, "author").await));
    }
    let commit =
        async || fixture.process.writer.commit_without_wait(&commands.to_vec().into()).await.expect("committed");
    let first = commit().await;
    assert!(first.iter().all(|output| output.as_ref().is_some_and(Result::is_ok)), "{first:?}");
    let again = commit().await;
    let replayed = |output: &Option<Result<_, _>>| matches!(output, Some(Ok(CommandOutput { replayed: true, .. })));
    assert!(again.iter().all(replayed), "{again:?}");
    assert_eq!(fixture.floors(&key).await, [1, 2]);
    assert_eq!(fixture.check_counts(&key).await, 2);
}

pub(super) async fn a_batch_that_is_refused_as_a_whole_changes_nothing(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_batch_that_is_refused_as_a_whole");
    let key = fixture.key();
    let before = fixture.open(&key).await;
    let stale = UpdateSubject { etag: "stale".to_owned(), ..UpdateSubject::default() };
    let commands = [fixture.command(&key, stale.clone()), fixture.command(&key, stale)];
    for result in fixture.commit(&commands).await {
        assert_eq!(result, Err(Error::EtagMismatch { current: before.etag() }));
    }
    assert_eq!(fixture.subject(&key).await, before);
}

pub(super) async fn an_empty_batch_returns_no_results(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_empty_batch");
    assert_eq!(fixture.commit::<riposte_core::CommandKind>(&[]).await, []);
}

pub(super) async fn a_batch_of_256_commands_is_one_revision_with_dense_floors(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_batch_of_256_commands");
    let key = fixture.key();
    let root = fixture.root(&key).await;
    let mut batch = Vec::new();
    for n in 0..128 {
        let verb = fixture.root_verb(&key, &format!("author {n}")).await;
        batch.push(fixture.command(&key, verb));
        let verb = fixture.reply_verb(&key, root.comment.reference.id, 2).await;
        batch.push(fixture.command(&key, verb));
    }
    let results = fixture.commit(&batch).await;
    let floors: Vec<i32> = results.iter().flatten().map(|output| comment(output).comment.reference.floor).collect();
    let expected: Vec<i32> = (1..=128).flat_map(|n| [n + 1, n]).collect();
    assert_eq!(floors, expected);
    assert!(results.iter().flatten().all(|output| output.revision == 2));
    assert_eq!(fixture.check_counts(&key).await, 257);
}

pub(super) async fn a_batch_may_touch_several_subjects_of_its_partition(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_batch_may_touch_several_subjects");
    let a = fixture.key();
    let b = fixture.neighbour(&a);
    let mut batch = Vec::new();
    for key in [&a, &b, &a, &b, &b] {
        let verb = fixture.root_verb(key, "author").await;
        batch.push(fixture.command(key, verb));
    }
    let results = fixture.commit(&batch).await;
    let floors: Vec<i32> = results.iter().flatten().map(|output| comment(output).comment.reference.floor).collect();
    assert_eq!(floors, [1, 1, 2, 2, 3]);
    assert_eq!((fixture.check_counts(&a).await, fixture.check_counts(&b).await), (2, 3));
}

pub(super) async fn a_comment_of_another_subject_is_not_found(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_comment_of_another_subject_is_not_found");
    let key = fixture.key();
    let other = fixture.neighbour(&key);
    let (own, foreign) =
        (fixture.root(&key).await.comment.reference.id, fixture.root(&other).await.comment.reference.id);
    let target = fixture.target(foreign).await;
    let reply = fixture.reply_verb(&key, foreign, 2).await;
    let operation = RequestId::from_bytes([3; 16]);
    let like = SetLike { comment_id: foreign, member: member("m"), value: LikeValue::Like, operation };
    assert_eq!(fixture.rejection(&key, reply.clone()).await, Error::CommentNotFound);
    assert_eq!(
        fixture.rejection(&key, Hide { target: target.clone(), ruling: ruling() }).await,
        Error::CommentNotFound
    );
    assert_eq!(fixture.rejection(&key, like).await, Error::CommentNotFound);
    // They are also refused if a permitted command of the batch loads the same row.
    let batch = [
        fixture.command(&other, Hide { target, ruling: ruling() }),
        fixture.command(&key, reply),
        fixture.command(&key, own_edit(&fixture, own).await),
    ];
    let results = fixture.commit(&batch).await;
    assert_eq!((results[0].is_ok(), &results[1], results[2].is_ok()), (true, &Err(Error::CommentNotFound), true));
    assert_eq!((fixture.check_counts(&key).await, fixture.check_counts(&other).await), (1, 1));
}

/// Returns an edit of a comment by its author.
async fn own_edit(fixture: &Fixture, id: riposte_core::CommentId) -> Edit {
    let (target, member, content) = (fixture.target(id).await, member("author"), text("edited"));
    Edit::allowed(target, member, content)
}

pub(super) async fn a_subject_is_created_updated_deleted_and_undeleted(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_subject_is_created_updated_deleted_and_undeleted");
    let key = fixture.key();
    assert_eq!(fixture.rejection(&key, DeleteSubject { etag: String::new() }).await, Error::SubjectNotFound);
    let created = fixture.open(&key).await;
    assert_eq!(
        (created.owner.clone(), created.revision, created.create_time),
        (Some(member("owner")), 1, Millis(1_800_000_000_000))
    );
    let again = CreateSubject {
        id: fixture.process.ids.subject(key.partition()).await.expect("an id"),
        owner: None,
        state: SubjectState::Hidden,
        metadata: Metadata::new(),
        create_time: Millis(1),
    };
    assert_eq!(fixture.rejection(&key, again.clone()).await, Error::SubjectAlreadyExists);
    let metadata = Metadata::from([("k".to_owned(), "v".to_owned()), ("🏠".to_owned(), " x ".to_owned())]);
    let update = UpdateSubject {
        owner: Some(None),
        metadata: Some(metadata.clone()),
        etag: created.etag(),
        ..UpdateSubject::default()
    };
    fixture.run(&key, update.clone()).await;
    let changed = fixture.subject(&key).await;
    assert_eq!((&changed.owner, &changed.metadata, changed.revision), (&None, &metadata, 2));
    assert_eq!(fixture.rejection(&key, update).await, Error::EtagMismatch { current: changed.etag() });
    fixture.run(&key, DeleteSubject { etag: changed.etag() }).await;
    let deleted = fixture.subject(&key).await;
    assert_eq!(deleted.delete_time, Some(deleted.update_time));
    assert_eq!(fixture.rejection(&key, again).await, Error::SubjectAlreadyExists, "only undelete restores it");
    fixture.run(&key, UndeleteSubject).await;
    assert_eq!(fixture.subject(&key).await.delete_time, None);
    assert_eq!(fixture.rejection(&key, UndeleteSubject).await, Error::SubjectAlreadyExists);
}

pub(super) async fn a_deleted_subject_accepts_no_writes_and_keeps_its_comments(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_deleted_subject_accepts_no_writes_and_keeps_its_comments");
    let key = fixture.key();
    let root = fixture.root(&key).await.comment.reference.id;
    let (create, reply) = (fixture.root_verb(&key, "late").await, fixture.reply_verb(&key, root, 2).await);
    fixture.run(&key, DeleteSubject { etag: String::new() }).await;
    assert_eq!(fixture.rejection(&key, create).await, Error::SubjectNotFound);
    assert_eq!(fixture.rejection(&key, reply).await, Error::CommentNotFound);
    fixture.run(&key, UndeleteSubject).await;
    assert_eq!(fixture.floors(&key).await, [1]);
    assert_eq!(fixture.check_counts(&key).await, 1);
}

pub(super) async fn read_only_and_hidden_subjects_accept_no_writes(backend: Backend) {
    let fixture = Fixture::new(&backend, "read_only_and_hidden_subjects_accept_no_writes");
    let key = fixture.key();
    let root = fixture.root(&key).await.comment.reference.id;
    for (state, expected) in
        [(SubjectState::ReadOnly, Error::SubjectReadOnly), (SubjectState::Hidden, Error::SubjectHidden)]
    {
        let update = UpdateSubject { state: Some(state), ..UpdateSubject::default() };
        fixture.run(&key, update).await;
        let (create, reply) = (fixture.root_verb(&key, "late").await, fixture.reply_verb(&key, root, 2).await);
        assert_eq!(fixture.rejection(&key, create).await, expected);
        assert_eq!(fixture.rejection(&key, reply).await, expected);
    }
    assert_eq!(fixture.check_counts(&key).await, 1);
}

pub(super) async fn an_absent_subject_requires_auto_create(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_absent_subject_requires_auto_create");
    let key = fixture.key();
    let mut create = fixture.root_verb(&key, "author").await;
    create.auto_create = None;
    let not_created = key.not_created();
    assert_eq!(fixture.rejection(&key, create).await, not_created);
    assert_eq!(fixture.process.reader.subjects(&[key]).await, Ok(vec![None]));
}

pub(super) async fn an_edit_keeps_the_earlier_content(backend: Backend) {
    let fixture = Fixture::new(&backend, "an_edit_keeps_the_earlier_content");
    let key = fixture.key();
    let root = fixture.root(&key).await;
    let target = fixture.target(root.comment.reference.id).await;
    let edit = |new_text: &str, etag: String| Edit {
        etag,
        windows: EditWindows { created: Some(std::time::Duration::from_secs(600)), ..EditWindows::OPEN },
        ..Edit::allowed(target.clone(), member("author"), text(new_text))
    };
    let foreign = Edit { member: member("another"), ..edit("no", String::new()) };
    assert_eq!(fixture.rejection(&key, foreign).await, Error::MemberNotAllowed);
    fixture.run(&key, edit("second", root.comment.etag())).await;
    let current = fixture.view(root.comment.reference.id).await.comment.etag();
    assert_eq!(fixture.rejection(&key, edit("stale", root.comment.etag())).await, Error::EtagMismatch { current });
    fixture.run(&key, edit("third 🏠", String::new())).await;
    let mut late = fixture.command(&key, edit("late", String::new()));
    late.now = Millis(root.comment.reference.create_time.0 + 600_001);
    let until = Millis(root.comment.reference.create_time.0 + 600_000);
    assert_eq!(fixture.send(&late).await, Err(Error::EditWindowClosed { until }));

    let revisions = fixture.process.reader.revisions(root.comment.reference.id).await.expect("read");
    let texts: Vec<_> = revisions.iter().map(|revision| revision.content.text()).collect();
    assert_eq!(texts, ["a root by author", "second", "third 🏠"]);
    assert!(revisions.is_sorted_by(|a, b| a.version < b.version && a.time < b.time), "{revisions:?}");
    assert_eq!(revisions[0].time, root.comment.reference.create_time);
    let now = fixture.view(root.comment.reference.id).await;
    assert_eq!((now.content, now.comment.lifecycle.edit_time), (Some(text("third 🏠")), Some(revisions[2].time)));
    let count = async || fixture.process.reader.revisions(target.id).await.expect("read").len();
    fixture.run(&key, Hide { target: target.clone(), ruling: ruling() }).await;
    assert_eq!(count().await, 0, "a history is that of a visible comment");
    fixture.run(&key, Unhide { target: target.clone(), ruling: ruling() }).await;
    assert_eq!(count().await, 3);
}

pub(super) async fn several_edits_in_one_batch_all_become_revisions(backend: Backend) {
    let fixture = Fixture::new(&backend, "several_edits_in_one_batch_all_become_revisions");
    let key = fixture.key();
    let root = fixture.root(&key).await;
    let target = fixture.target(root.comment.reference.id).await;
    let edit = |new_text: &str| Edit::allowed(target.clone(), member("author"), text(new_text));
    let batch: Vec<_> = ["b", "c", "d"].map(|new_text| fixture.command(&key, edit(new_text))).to_vec();
    assert!(fixture.commit(&batch).await.iter().all(Result::is_ok));
    let revisions = fixture.process.reader.revisions(root.comment.reference.id).await.expect("read");
    let texts: Vec<_> = revisions.iter().map(|revision| revision.content.text()).collect();
    assert_eq!(texts, ["a root by author", "b", "c", "d"]);
}

pub(super) async fn three_roots_may_be_pinned_by_the_owner(backend: Backend) {
    let fixture = Fixture::new(&backend, "three_roots_may_be_pinned_by_the_owner");
    let key = fixture.key();
    fixture.open(&key).await;
    let mut roots = Vec::new();
    for _ in 0..4 {
        roots.push(fixture.root(&key).await.comment.reference.id);
    }
    let reply = fixture.reply(&key, roots[0], 2).await.comment.reference.id;
    let mut targets = Vec::new();
    for id in roots.iter().chain([&reply]) {
        targets.push(fixture.target(*id).await);
    }
    let pin = |n: usize| Pin { target: targets[n].clone(), member: member("owner") };
    let foreign = Pin { member: member("author"), ..pin(0) };
    assert_eq!(fixture.rejection(&key, foreign).await, Error::MemberNotAllowed);
    assert!(matches!(fixture.rejection(&key, pin(4)).await, Error::Invalid(_)), "a reply");
    for n in [2, 0, 1, 0] {
        fixture.run(&key, pin(n)).await;
    }
    assert_eq!(fixture.rejection(&key, pin(3)).await, Error::PinLimitReached);
    assert_eq!(fixture.subject(&key).await.pins, [roots[2], roots[0], roots[1]]);
    let page = fixture.roots(&key, super::fixture::first(2)).await;
    let pinned: Vec<_> =
        page.pinned.iter().map(|t| (t.root.comment.reference.id, t.root.pinned, t.replies.len())).collect();
    assert_eq!(pinned, [(roots[2], true, 0), (roots[0], true, 1), (roots[1], true, 0)]);
    fixture.run(&key, Unpin { target: targets[0].clone(), member: member("owner") }).await;
    fixture.run(&key, pin(3)).await;
    assert_eq!(fixture.subject(&key).await.pins, [roots[2], roots[1], roots[3]]);
}
