//! Tombstones, hidden comments and the counts that move with them, at any depth.

use riposte_core::page::SubtreeQuery;
use riposte_core::verbs::{Delete, DeleteActor, Edit, Hide, Pin, Undelete, Unhide, Unpin};
use riposte_core::{CommandKind, CommentId, CommentState, DeletedBy, Error, SubjectKey};

use super::backend::Backend;
use super::fixture::{Fixture, by_moderator, comment, first, floors, member, ruling, text};

/// Returns the verb that deletes a comment.
async fn deletion(fixture: &Fixture, id: CommentId, actor: DeleteActor) -> CommandKind {
    Delete { target: fixture.target(id).await, actor, etag: String::new() }.into()
}

/// Deletes a root or a reply as its author.
async fn delete(fixture: &Fixture, key: &SubjectKey, id: CommentId) {
    let author = fixture.view(id).await.comment.reference.member;
    let verb = deletion(fixture, id, DeleteActor::Author(author)).await;
    fixture.run(key, verb).await;
}

/// Creates a chain of replies and returns its ids, the root first.
async fn chain(fixture: &Fixture, key: &SubjectKey, levels: u8) -> Vec<CommentId> {
    let mut ids = vec![fixture.root(key).await.comment.reference.id];
    for n in 1..usize::from(levels) {
        ids.push(fixture.reply(key, ids[n - 1], levels).await.comment.reference.id);
    }
    ids
}

pub(super) async fn the_depth_limit_attaches_a_reply_higher_and_keeps_its_parent(backend: Backend) {
    let fixture = Fixture::new(&backend, "the_depth_limit_attaches_a_reply_higher");
    for levels in [1_u8, 2, 3, 32] {
        let key = fixture.key_named(levels);
        let mut parent = fixture.root(&key).await;
        let mut by_depth = vec![parent.comment.reference.id];
        for step in 1..=levels + 2 {
            let reply = fixture.reply(&key, parent.comment.reference.id, levels).await.comment;
            let depth = step.min(levels - 1);
            assert_eq!(reply.reference.path.depth(), depth, "step {step} under a limit of {levels}");
            assert_eq!(reply.reference.parent_id, Some(parent.comment.reference.id), "the parent is kept");
            assert_eq!(reply.reference.root_id, (levels > 1).then_some(by_depth[0]));
            if usize::from(depth) == by_depth.len() {
                by_depth.push(reply.reference.id);
            }
            let located = fixture
                .process
                .reader
                .locate(&[reply.reference.id])
                .await
                .expect("located")
                .remove(0)
                .expect("present");
            let above = &by_depth[..usize::from(depth)];
            assert_eq!(located.ancestor_ids[..usize::from(depth)], *above, "step {step} under a limit of {levels}");
            assert_eq!(located.ancestor_ids.last(), Some(&reply.reference.id));
            parent = fixture.view(reply.reference.id).await;
        }
        assert_eq!(fixture.check_counts(&key).await, usize::from(levels) + 3);
    }
}

pub(super) async fn a_tombstone_is_listed_while_a_comment_below_it_is_visible(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_tombstone_is_listed_while_a_comment_below_it_is_visible");
    let key = fixture.key();
    let ids = chain(&fixture, &key, 6).await;
    for id in &ids[..5] {
        delete(&fixture, &key, *id).await;
    }
    let all = SubtreeQuery { top: riposte_core::Path::root(ids[0]), max_depth: 32, after: None, limit: 100 };
    let thread = fixture.process.reader.thread(&key, &all).await.expect("read").expect("present");
    let shown: Vec<_> = thread.comments.iter().map(|c| (c.comment.reference.id, c.comment.counts.live_below)).collect();
    assert_eq!(shown, ids.iter().map(|id| (*id, i32::from(*id != ids[5]))).collect::<Vec<_>>());
    assert_eq!(fixture.floors(&key).await, [1], "the root is a listed tombstone");
    let subject = fixture.subject(&key).await;
    assert_eq!((subject.counts.root_count, subject.counts.comment_count), (0, 1));
    assert_eq!(fixture.view(ids[0]).await.comment.counts.reply_count, 1);

    delete(&fixture, &key, ids[5]).await;
    assert_eq!(fixture.floors(&key).await, [] as [i32; 0], "without visible comments nothing is listed");
    let thread = fixture.process.reader.thread(&key, &all).await.expect("read").expect("present");
    assert_eq!(thread.comments, []);
    let verb = Undelete { target: fixture.target(ids[3]).await, member: member("replier") };
    fixture.run(&key, verb).await;
    let thread = fixture.process.reader.thread(&key, &all).await.expect("read").expect("present");
    assert_eq!(
        thread.comments.iter().map(|c| c.comment.reference.id).collect::<Vec<_>>(),
        ids[..4],
        "and all its ancestors are listed again"
    );
    assert_eq!(fixture.check_counts(&key).await, 6);
}

pub(super) async fn delete_and_undelete_change_and_restore_every_count(backend: Backend) {
    let fixture = Fixture::new(&backend, "delete_and_undelete_change_and_restore_every_count");
    let key = fixture.key();
    let ids = chain(&fixture, &key, 3).await;
    let capped = fixture.reply(&key, ids[2], 3).await.comment.reference.id;
    let counts = async || {
        let subject = fixture.subject(&key).await;
        let mut counts = vec![subject.counts.root_count, subject.counts.comment_count];
        for id in ids.iter().chain([&capped]) {
            counts.push(fixture.view(*id).await.comment.counts.reply_count);
        }
        counts
    };
    assert_eq!(counts().await, [1, 4, 3, 1, 1, 0], "the capped reply counts for its parent");
    delete(&fixture, &key, capped).await;
    assert_eq!(counts().await, [1, 3, 2, 1, 0, 0]);
    delete(&fixture, &key, ids[1]).await;
    assert_eq!(counts().await, [1, 2, 1, 1, 0, 0]);
    delete(&fixture, &key, ids[0]).await;
    assert_eq!(counts().await, [0, 1, 1, 1, 0, 0]);
    for (id, author) in [(ids[1], "replier"), (capped, "replier"), (ids[0], "author")] {
        let verb = Undelete { target: fixture.target(id).await, member: member(author) };
        fixture.run(&key, verb).await;
    }
    assert_eq!(counts().await, [1, 4, 3, 1, 1, 0]);
    assert_eq!(fixture.check_counts(&key).await, 4);
}

pub(super) async fn the_deleter_determines_which_member_may_undelete(backend: Backend) {
    let fixture = Fixture::new(&backend, "the_deleter_determines_which_member_may_undelete");
    let key = fixture.key();
    fixture.open(&key).await;
    let cases = [
        (DeleteActor::Author(member("author")), DeletedBy::Author, Some("author"), "owner"),
        (DeleteActor::Owner(member("owner")), DeletedBy::SubjectOwner, Some("owner"), "author"),
        (by_moderator(), DeletedBy::Moderator, None, "author"),
    ];
    for (actor, by, may, may_not) in cases {
        let id = fixture.root(&key).await.comment.reference.id;
        let target = fixture.target(id).await;
        let undelete = |name: &str| Undelete { target: target.clone(), member: member(name) };
        assert_eq!(fixture.rejection(&key, undelete("author")).await, Error::CommentAlreadyExists);
        let verb = deletion(&fixture, id, actor.clone()).await;
        fixture.run(&key, verb).await;
        let tombstone = fixture.view(id).await.comment;
        assert_eq!(
            (tombstone.lifecycle.state, tombstone.lifecycle.deleted_by, tombstone.lifecycle.delete_time),
            (CommentState::Deleted, Some(by), Some(tombstone.lifecycle.update_time))
        );
        let verb = deletion(&fixture, id, actor).await;
        assert_eq!(fixture.rejection(&key, verb).await, Error::CommentNotFound, "a second time");
        assert_eq!(fixture.rejection(&key, undelete(may_not)).await, Error::MemberNotAllowed);
        if let Some(name) = may {
            fixture.run(&key, undelete(name)).await;
            let restored = fixture.view(id).await.comment;
            assert_eq!(
                (restored.lifecycle.state, restored.lifecycle.deleted_by, restored.lifecycle.delete_time),
                (CommentState::Active, None, None)
            );
        }
    }
    assert_eq!(fixture.floors(&key).await, [1, 2]);
    fixture.check_counts(&key).await;
}

pub(super) async fn only_author_owner_and_moderator_may_delete(backend: Backend) {
    let fixture = Fixture::new(&backend, "only_author_owner_and_moderator_may_delete");
    let key = fixture.key();
    fixture.open(&key).await;
    let id = fixture.root(&key).await.comment.reference.id;
    for actor in [
        DeleteActor::Author(member("owner")),
        DeleteActor::Owner(member("author")),
        DeleteActor::Owner(member("owner ")),
    ] {
        let verb = deletion(&fixture, id, actor).await;
        assert_eq!(fixture.rejection(&key, verb).await, Error::MemberNotAllowed);
    }
    assert_eq!(fixture.view(id).await.comment.lifecycle.state, CommentState::Active);
}

pub(super) async fn a_hidden_comment_is_restored_to_its_earlier_state(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_hidden_comment_is_restored_to_its_earlier_state");
    let key = fixture.key();
    let root = fixture.root(&key).await.comment.reference.id;
    let reply = fixture.reply(&key, root, 2).await.comment.reference.id;
    let target = fixture.target(reply).await;
    assert_eq!(
        fixture.rejection(&key, Unhide { target: target.clone(), ruling: ruling() }).await,
        Error::StateConflict(CommentState::Active)
    );
    fixture.run(&key, Hide { target: target.clone(), ruling: ruling() }).await;
    assert_eq!(
        fixture.rejection(&key, Hide { target: target.clone(), ruling: ruling() }).await,
        Error::StateConflict(CommentState::Hidden)
    );
    assert_eq!(floors(&fixture.replies(&key, root, first(9)).await.replies), [] as [i32; 0]);
    assert_eq!(fixture.view(root).await.comment.counts.reply_count, 0);
    let below = fixture.reply_verb(&key, reply, 2).await;
    assert_eq!(fixture.rejection(&key, below).await, Error::ParentUnavailable(CommentState::Hidden));

    // A comment that was deleted while hidden is restored as hidden: deletion does not bypass the
    // moderator.
    delete(&fixture, &key, reply).await;
    fixture.run(&key, Undelete { target: target.clone(), member: member("replier") }).await;
    assert_eq!(fixture.view(reply).await.comment.lifecycle.state, CommentState::Hidden);
    let shown = comment(&fixture.run(&key, Unhide { target, ruling: ruling() }).await);
    assert_eq!((shown.comment.lifecycle.state, shown.content.is_some()), (CommentState::Active, true));
    assert_eq!(fixture.view(root).await.comment.counts.reply_count, 1);
    fixture.check_counts(&key).await;
}

pub(super) async fn a_deleted_or_hidden_root_loses_its_pin(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_deleted_or_hidden_root_loses_its_pin");
    let key = fixture.key();
    fixture.open(&key).await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        let id = fixture.root(&key).await.comment.reference.id;
        let target = fixture.target(id).await;
        fixture.run(&key, Pin { target, member: member("owner") }).await;
        ids.push(id);
    }
    let target = fixture.target(ids[0]).await;
    fixture.run(&key, Hide { target: target.clone(), ruling: ruling() }).await;
    delete(&fixture, &key, ids[1]).await;
    assert_eq!(fixture.subject(&key).await.pins, [ids[2]]);
    let pin = Pin { target: target.clone(), member: member("owner") };
    assert_eq!(fixture.rejection(&key, pin).await, Error::StateConflict(CommentState::Hidden));
    fixture.run(&key, Unhide { target, ruling: ruling() }).await;
    assert_eq!(fixture.subject(&key).await.pins, [ids[2]], "an unhidden root is not pinned again");
    fixture.check_counts(&key).await;
}

pub(super) async fn a_deleted_comment_accepts_only_its_restoration(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_deleted_comment_accepts_only_its_restoration");
    let key = fixture.key();
    fixture.open(&key).await;
    for with_reply in [false, true] {
        let root = fixture.root(&key).await.comment.reference.id;
        if with_reply {
            fixture.reply(&key, root, 2).await;
        }
        let (target, owner) = (fixture.target(root).await, || member("owner"));
        let edit = Edit::allowed(target.clone(), member("author"), text("late"));
        let verbs: [CommandKind; 4] = [
            edit.into(),
            Pin { target: target.clone(), member: owner() }.into(),
            Unpin { target: target.clone(), member: owner() }.into(),
            Unhide { target: target.clone(), ruling: ruling() }.into(),
        ];
        let reply = fixture.reply_verb(&key, root, 2).await;
        delete(&fixture, &key, root).await;
        for verb in verbs {
            let name = verb.name();
            assert_eq!(fixture.rejection(&key, verb).await, Error::CommentNotFound, "{name}, replies: {with_reply}");
        }
        let unavailable = Error::ParentUnavailable(CommentState::Deleted);
        assert_eq!(fixture.rejection(&key, reply).await, unavailable, "the tombstone is shown");
        fixture.run(&key, Undelete { target, member: member("author") }).await;
        assert_eq!(fixture.view(root).await.comment.lifecycle.state, CommentState::Active);
    }
    fixture.check_counts(&key).await;
}
