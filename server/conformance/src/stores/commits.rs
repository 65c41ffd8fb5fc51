//! The effects of single commands and of batches that the other categories do not cover.

use riposte_core::request::RequestId;
use riposte_core::subject::Metadata;
use riposte_core::verbs::{
    CreateSubject, DeleteSubject, Edit, Hide, Pin, SetLike, UndeleteSubject, Unpin, UpdateSubject,
};
use riposte_core::{Error, LikeValue, Millis, SubjectState};

use super::backend::Backend;
use super::scene::{Scene, comment, member, text};

pub(super) async fn a_commit_answers_what_a_read_then_shows(backend: Backend) {
    let scene = Scene::new(&backend, "a_commit_answers_what_a_read_then_shows");
    let key = scene.key();
    let root = scene.root(&key).await;
    assert_eq!((root.comment.reference.floor, root.comment.reference.born_revision), (1, 1));
    let verb = scene.answer(&key, root.comment.reference.id, 2).await;
    let answered = comment(&scene.run(&key, verb).await);
    assert_eq!(answered, scene.view(answered.comment.reference.id).await);
    assert_eq!(
        (answered.comment.reference.floor, answered.comment.reference.parent_id),
        (1, Some(root.comment.reference.id))
    );
    let subject = scene.subject(&key).await;
    assert_eq!(
        (subject.counts.root_count, subject.counts.comment_count, subject.next_floor, subject.revision),
        (1, 2, 2, 2)
    );
    assert_eq!(scene.view(root.comment.reference.id).await.comment.counts.reply_count, 1);
    assert_eq!(scene.sound(&key).await, 2);
}

pub(super) async fn a_refused_command_leaves_no_trace_and_does_not_hinder_its_neighbours(backend: Backend) {
    let scene = Scene::new(&backend, "a_refused_command_leaves_no_trace");
    let key = scene.key();
    let root = scene.root(&key).await;
    let (before, after) = (scene.create(&key, "before").await, scene.create(&key, "after").await);
    let mut orphan = scene.answer(&key, root.comment.reference.id, 2).await;
    let nowhere = scene.id(&key).await;
    (orphan.parent.id, orphan.parent.ancestor_ids) = (nowhere, vec![nowhere]);
    let commands =
        [scene.command(&key, before.clone()), scene.command(&key, orphan.clone()), scene.command(&key, after.clone())];
    let answers = scene.commit(&commands).await;
    assert_eq!(answers[1], Err(Error::CommentNotFound));
    assert!(answers[0].is_ok() && answers[2].is_ok(), "{answers:?}");
    let found = scene.process.reader.comments(&[before.id, orphan.id, after.id]).await.expect("read");
    let floors: Vec<_> = found.iter().map(|view| view.as_ref().map(|view| view.comment.reference.floor)).collect();
    assert_eq!(floors, [Some(2), None, Some(3)]);
    assert_eq!(scene.subject(&key).await.revision, 2, "one batch, one revision");
    assert_eq!(scene.sound(&key).await, 3);
}

pub(super) async fn a_batch_that_is_refused_as_a_whole_changes_nothing(backend: Backend) {
    let scene = Scene::new(&backend, "a_batch_that_is_refused_as_a_whole");
    let key = scene.key();
    let before = scene.open(&key).await;
    let stale = UpdateSubject { owner: None, state: None, metadata: None, etag: "stale".to_owned() };
    let commands = [scene.command(&key, stale.clone()), scene.command(&key, stale)];
    for answer in scene.commit(&commands).await {
        assert_eq!(answer, Err(Error::EtagMismatch { current: before.etag() }));
    }
    assert_eq!(scene.subject(&key).await, before);
}

pub(super) async fn an_empty_batch_answers_nothing(backend: Backend) {
    let scene = Scene::new(&backend, "an_empty_batch");
    assert_eq!(scene.commit(&[]).await, []);
}

pub(super) async fn a_batch_of_256_commands_is_one_revision_with_dense_floors(backend: Backend) {
    let scene = Scene::new(&backend, "a_batch_of_256_commands");
    let key = scene.key();
    let root = scene.root(&key).await;
    let mut batch = Vec::new();
    for n in 0..128 {
        let verb = scene.create(&key, &format!("author {n}")).await;
        batch.push(scene.command(&key, verb));
        let verb = scene.answer(&key, root.comment.reference.id, 2).await;
        batch.push(scene.command(&key, verb));
    }
    let answers = scene.commit(&batch).await;
    let floors: Vec<i32> = answers.iter().flatten().map(|output| comment(output).comment.reference.floor).collect();
    let expected: Vec<i32> = (1..=128).flat_map(|n| [n + 1, n]).collect();
    assert_eq!(floors, expected);
    assert!(answers.iter().flatten().all(|output| output.revision == 2));
    assert_eq!(scene.sound(&key).await, 257);
}

pub(super) async fn a_batch_may_touch_several_subjects_of_its_partition(backend: Backend) {
    let scene = Scene::new(&backend, "a_batch_may_touch_several_subjects");
    let a = scene.key();
    let b = scene.neighbour(&a);
    let mut batch = Vec::new();
    for key in [&a, &b, &a, &b, &b] {
        let verb = scene.create(key, "author").await;
        batch.push(scene.command(key, verb));
    }
    let answers = scene.commit(&batch).await;
    let floors: Vec<i32> = answers.iter().flatten().map(|output| comment(output).comment.reference.floor).collect();
    assert_eq!(floors, [1, 1, 2, 2, 3]);
    assert_eq!((scene.sound(&a).await, scene.sound(&b).await), (2, 3));
}

pub(super) async fn a_comment_of_another_subject_is_not_found(backend: Backend) {
    let scene = Scene::new(&backend, "a_command_may_not_name_a_comment_of_another_subject");
    let key = scene.key();
    let other = scene.neighbour(&key);
    let (own, foreign) = (scene.root(&key).await.comment.reference.id, scene.root(&other).await.comment.reference.id);
    let target = scene.target(foreign).await;
    let answer = scene.answer(&key, foreign, 2).await;
    let operation = RequestId::from_bytes([3; 16]);
    let like = SetLike { comment_id: foreign, member: member("m"), value: LikeValue::Like, operation };
    assert_eq!(scene.refusal(&key, answer.clone()).await, Error::CommentNotFound);
    assert_eq!(scene.refusal(&key, Hide { target: target.clone() }).await, Error::CommentNotFound);
    assert_eq!(scene.refusal(&key, like).await, Error::CommentNotFound);
    // The refusal also holds when a permitted command in the batch loads the same row.
    let batch = [
        scene.command(&other, Hide { target }),
        scene.command(&key, answer),
        scene.command(&key, own_edit(&scene, own).await),
    ];
    let answers = scene.commit(&batch).await;
    assert_eq!((answers[0].is_ok(), &answers[1], answers[2].is_ok()), (true, &Err(Error::CommentNotFound), true));
    assert_eq!((scene.sound(&key).await, scene.sound(&other).await), (1, 1));
}

async fn own_edit(scene: &Scene, id: riposte_core::CommentId) -> Edit {
    let (target, member, content) = (scene.target(id).await, member("author"), text("edited"));
    Edit { target, member, content, etag: String::new(), window: None }
}

pub(super) async fn a_subject_is_made_changed_deleted_and_brought_back(backend: Backend) {
    let scene = Scene::new(&backend, "a_subject_is_made_changed_deleted_and_brought_back");
    let key = scene.key();
    assert_eq!(scene.refusal(&key, DeleteSubject { etag: String::new() }).await, Error::SubjectNotFound);
    let made = scene.open(&key).await;
    assert_eq!(
        (made.owner.clone(), made.revision, made.create_time),
        (Some(member("owner")), 1, Millis(1_800_000_000_000))
    );
    let again = CreateSubject {
        id: scene.process.ids.subject(key.partition()).await.expect("an id"),
        owner: None,
        state: SubjectState::Hidden,
        metadata: Metadata::new(),
        create_time: Millis(1),
    };
    assert_eq!(scene.refusal(&key, again.clone()).await, Error::SubjectAlreadyExists);
    let metadata = Metadata::from([("k".to_owned(), "v".to_owned()), ("🏠".to_owned(), " x ".to_owned())]);
    let update = UpdateSubject { owner: Some(None), state: None, metadata: Some(metadata.clone()), etag: made.etag() };
    scene.run(&key, update.clone()).await;
    let changed = scene.subject(&key).await;
    assert_eq!((&changed.owner, &changed.metadata, changed.revision), (&None, &metadata, 2));
    assert_eq!(scene.refusal(&key, update).await, Error::EtagMismatch { current: changed.etag() });
    scene.run(&key, DeleteSubject { etag: changed.etag() }).await;
    let deleted = scene.subject(&key).await;
    assert_eq!(deleted.delete_time, Some(deleted.update_time));
    assert_eq!(scene.refusal(&key, again).await, Error::SubjectAlreadyExists, "undelete it instead");
    scene.run(&key, UndeleteSubject).await;
    assert_eq!(scene.subject(&key).await.delete_time, None);
    assert_eq!(scene.refusal(&key, UndeleteSubject).await, Error::SubjectAlreadyExists);
}

pub(super) async fn a_deleted_subject_takes_nothing_and_keeps_everything(backend: Backend) {
    let scene = Scene::new(&backend, "a_deleted_subject_takes_nothing_and_keeps_everything");
    let key = scene.key();
    let root = scene.root(&key).await.comment.reference.id;
    let (create, reply) = (scene.create(&key, "late").await, scene.answer(&key, root, 2).await);
    scene.run(&key, DeleteSubject { etag: String::new() }).await;
    assert_eq!(scene.refusal(&key, create).await, Error::SubjectNotFound);
    assert_eq!(scene.refusal(&key, reply).await, Error::CommentNotFound);
    scene.run(&key, UndeleteSubject).await;
    assert_eq!(scene.floors(&key).await, [1]);
    assert_eq!(scene.sound(&key).await, 1);
}

pub(super) async fn read_only_and_hidden_subjects_take_no_writes(backend: Backend) {
    let scene = Scene::new(&backend, "read_only_and_hidden_subjects_take_no_writes");
    let key = scene.key();
    let root = scene.root(&key).await.comment.reference.id;
    for (state, refused) in
        [(SubjectState::ReadOnly, Error::SubjectReadOnly), (SubjectState::Hidden, Error::SubjectHidden)]
    {
        let update = UpdateSubject { owner: None, state: Some(state), metadata: None, etag: String::new() };
        scene.run(&key, update).await;
        let (create, reply) = (scene.create(&key, "late").await, scene.answer(&key, root, 2).await);
        assert_eq!(scene.refusal(&key, create).await, refused);
        assert_eq!(scene.refusal(&key, reply).await, refused);
    }
    assert_eq!(scene.sound(&key).await, 1);
}

pub(super) async fn a_subject_that_nobody_made_needs_auto_create(backend: Backend) {
    let scene = Scene::new(&backend, "a_subject_that_nobody_made_needs_auto_create");
    let key = scene.key();
    let mut create = scene.create(&key, "author").await;
    create.auto_create = None;
    assert_eq!(scene.refusal(&key, create).await, Error::SubjectNotFound);
    assert_eq!(scene.process.reader.subjects(&[key]).await, Ok(vec![None]));
}

pub(super) async fn an_edit_keeps_what_was_said(backend: Backend) {
    let scene = Scene::new(&backend, "an_edit_keeps_what_was_said");
    let key = scene.key();
    let root = scene.root(&key).await;
    let target = scene.target(root.comment.reference.id).await;
    let edit = |said: &str, etag: String| Edit {
        target: target.clone(),
        member: member("author"),
        content: text(said),
        etag,
        window: Some(std::time::Duration::from_secs(600)),
    };
    let foreign = Edit { member: member("somebody"), ..edit("no", String::new()) };
    assert_eq!(scene.refusal(&key, foreign).await, Error::MemberNotAllowed);
    scene.run(&key, edit("second", root.comment.etag())).await;
    let current = scene.view(root.comment.reference.id).await.comment.etag();
    assert_eq!(scene.refusal(&key, edit("stale", root.comment.etag())).await, Error::EtagMismatch { current });
    scene.run(&key, edit("third 🏠", String::new())).await;
    let mut late = scene.command(&key, edit("late", String::new()));
    late.now = Millis(root.comment.reference.create_time.0 + 600_001);
    let until = Millis(root.comment.reference.create_time.0 + 600_000);
    assert_eq!(scene.send(&late).await, Err(Error::EditWindowClosed { until }));

    let past = scene.process.reader.revisions(root.comment.reference.id).await.expect("read");
    let said: Vec<_> = past.iter().map(|p| p.content.text()).collect();
    assert_eq!(said, ["a root by author", "second", "third 🏠"]);
    assert!(past.is_sorted_by(|a, b| a.version < b.version && a.time < b.time), "{past:?}");
    assert_eq!(past[0].time, root.comment.reference.create_time);
    let now = scene.view(root.comment.reference.id).await;
    assert_eq!((now.content, now.comment.lifecycle.edit_time), (Some(text("third 🏠")), Some(past[2].time)));
}

pub(super) async fn several_edits_in_one_batch_are_all_kept(backend: Backend) {
    let scene = Scene::new(&backend, "several_edits_in_one_batch_are_all_kept");
    let key = scene.key();
    let root = scene.root(&key).await;
    let target = scene.target(root.comment.reference.id).await;
    let edit = |said: &str| Edit {
        target: target.clone(),
        member: member("author"),
        content: text(said),
        etag: String::new(),
        window: None,
    };
    let batch: Vec<_> = ["b", "c", "d"].map(|said| scene.command(&key, edit(said))).to_vec();
    assert!(scene.commit(&batch).await.iter().all(Result::is_ok));
    let past = scene.process.reader.revisions(root.comment.reference.id).await.expect("read");
    assert_eq!(past.iter().map(|p| p.content.text()).collect::<Vec<_>>(), ["a root by author", "b", "c", "d"]);
}

pub(super) async fn three_roots_may_be_pinned_by_the_owner(backend: Backend) {
    let scene = Scene::new(&backend, "three_roots_may_be_pinned_by_the_owner");
    let key = scene.key();
    scene.open(&key).await;
    let mut roots = Vec::new();
    for _ in 0..4 {
        roots.push(scene.root(&key).await.comment.reference.id);
    }
    let reply = scene.reply(&key, roots[0], 2).await.comment.reference.id;
    let mut targets = Vec::new();
    for id in roots.iter().chain([&reply]) {
        targets.push(scene.target(*id).await);
    }
    let pin = |n: usize| Pin { target: targets[n].clone(), member: member("owner") };
    let foreign = Pin { member: member("author"), ..pin(0) };
    assert_eq!(scene.refusal(&key, foreign).await, Error::MemberNotAllowed);
    assert!(matches!(scene.refusal(&key, pin(4)).await, Error::Invalid(_)), "a reply");
    for n in [2, 0, 1, 0] {
        scene.run(&key, pin(n)).await;
    }
    assert_eq!(scene.refusal(&key, pin(3)).await, Error::PinLimitReached);
    assert_eq!(scene.subject(&key).await.pins, [roots[2], roots[0], roots[1]]);
    let page = scene.roots(&key, super::scene::first(2)).await;
    let pinned: Vec<_> =
        page.pinned.iter().map(|t| (t.root.comment.reference.id, t.root.pinned, t.replies.len())).collect();
    assert_eq!(pinned, [(roots[2], true, 0), (roots[0], true, 1), (roots[1], true, 0)]);
    scene.run(&key, Unpin { target: targets[0].clone(), member: member("owner") }).await;
    scene.run(&key, pin(3)).await;
    assert_eq!(scene.subject(&key).await.pins, [roots[2], roots[1], roots[3]]);
}
