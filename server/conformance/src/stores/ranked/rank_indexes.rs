//! Rank indexes: they match the comments, both when events and when rebuilds update them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use riposte_core::request::RequestId;
use riposte_core::verbs::{Delete, SetLike};
use riposte_core::{CommentId, LikeValue, SubjectKey};

use super::actors::{Actors, rebuild, time_of_round};
use crate::stores::backend::Backend;
use crate::stores::fixture::{Fixture, by_moderator, first, member};
use crate::stores::relay::Relay;

pub(in crate::stores) async fn rank_indexes_by_events_equal_those_built_from_rows(backend: Backend) {
    let relay = Relay::of(&backend).await;
    let mut actors = Actors::new(&backend, "rank_indexes_by_events_equal_those_built_from_rows");
    for round in 0..6 {
        actors.act(backend.walk.steps / 4).await;
        if round % 2 == 0 {
            relay.apply().await;
        } else {
            actors.rebuild(7 + round).await;
        }
        actors.compare(time_of_round(round as i64)).await;
        assert_eq!(actors.rebuild(50).await, 0, "a rebuild changes nothing, after events and after a rebuild");
    }
}

pub(in crate::stores) async fn rank_index_events_that_are_late_repeated_or_out_of_order_change_nothing(
    backend: Backend,
) {
    let relay = Relay::of(&backend).await;
    let name = "rank_index_events_that_are_late_repeated_or_out_of_order_change_nothing";
    let mut actors = Actors::new(&backend, name);
    let mut heads = Vec::new();
    for source in 0..relay.epochs.len() {
        heads.push(relay.process.outbox.head(source).await.expect("read"));
    }
    for round in 0..3 {
        actors.act(60).await;
        relay.assign_sequence(500).await;
        // All events since the start are applied newest first, those of earlier rounds once more.
        for (source, head) in heads.iter().enumerate() {
            for event in relay.events_after(source, *head).await.iter().rev() {
                relay.process.rank_indexes.apply(source, std::slice::from_ref(event)).await.expect("applied");
            }
        }
        actors.compare(time_of_round(round)).await;
    }
    assert_eq!(actors.rebuild(9).await, 0);
}

pub(in crate::stores) async fn rank_indexes_rebuilt_during_writes_are_correct_in_the_end(backend: Backend) {
    let relay = Relay::of(&backend).await;
    let mut actors = Actors::new(&backend, "rank_indexes_rebuilt_during_writes_are_correct_in_the_end");
    actors.act(40).await;
    let stop = Arc::new(AtomicBool::new(false));
    let builders: Vec<_> = (0..3)
        .map(|n| {
            let (fixture, stop, keys) = (Arc::clone(&actors.fixture), Arc::clone(&stop), actors.keys.clone());
            tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    for key in &keys {
                        rebuild(&fixture, key, 3 + n).await;
                    }
                    // The oracle never waits, so that without this yield no other task would run.
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    for _ in 0..10 {
        actors.act(9).await;
        relay.apply().await;
        tokio::task::yield_now().await;
    }
    stop.store(true, Ordering::Relaxed);
    for builder in builders {
        builder.await.expect("no panic");
    }
    relay.apply().await;
    actors.compare(time_of_round(0)).await;
    assert_eq!(actors.rebuild(50).await, 0);
}

/// Adds a like of each of `members` to a comment.
pub(super) async fn like(fixture: &Fixture, key: &SubjectKey, id: CommentId, members: std::ops::Range<u32>) {
    set_likes(fixture, key, id, members, LikeValue::Like).await;
}

/// Sets the values of `members` on a comment.
pub(super) async fn set_likes(
    fixture: &Fixture,
    key: &SubjectKey,
    id: CommentId,
    members: std::ops::Range<u32>,
    value: LikeValue,
) {
    for n in members {
        let operation = RequestId::from_bytes(fixture.process.ids.request());
        fixture.run(key, SetLike { comment_id: id, member: member(&format!("m{n}")), value, operation }).await;
    }
}

pub(in crate::stores) async fn previews_are_the_most_liked_replies_and_then_the_oldest(backend: Backend) {
    let fixture = Fixture::new(&backend, "previews_are_the_most_liked_replies_and_then_the_oldest");
    let key = fixture.key();
    let root = fixture.root(&key).await.comment.reference.id;
    let mut replies = Vec::new();
    for _ in 0..14 {
        replies.push(fixture.reply(&key, root, 2).await.comment.reference.id);
    }
    let preview = async |size| {
        rebuild(&fixture, &key, 50).await;
        let page = fixture.process.reader.roots(&key, first(10), size).await.expect("read").expect("present");
        let thread = page.threads.items.into_iter().next().expect("one root");
        let at = fixture.process.reader.roots_at(&key, &[1], size).await.expect("read").expect("present");
        assert_eq!(at.threads.items, std::slice::from_ref(&thread), "a read by floors differs");
        let floors: Vec<i32> = thread.replies.iter().map(|view| view.comment.reference.floor).collect();
        (floors, thread.more_replies)
    };
    assert_eq!(preview(3).await, (vec![1, 2, 3], true), "without likes");
    like(&fixture, &key, replies[8], 0..2).await;
    like(&fixture, &key, replies[12], 0..3).await;
    assert_eq!(preview(3).await, (vec![13, 9, 1], true));
    // Of the replies with equal likes the preview shows the oldest.
    for n in [4, 5, 6, 7, 9, 10, 11] {
        like(&fixture, &key, replies[n], 0..2).await;
    }
    assert_eq!(preview(3).await, (vec![13, 5, 6], true));
    assert_eq!(preview(1).await, (vec![13], true));
    // Dislikes and withdrawn likes do not count.
    set_likes(&fixture, &key, replies[12], 10..19, LikeValue::Dislike).await;
    set_likes(&fixture, &key, replies[4], 0..1, LikeValue::None).await;
    assert_eq!(preview(4).await, (vec![13, 6, 7, 8], true));
    let target = fixture.target(replies[12]).await;
    fixture.run(&key, Delete { target, actor: by_moderator(), etag: String::new() }).await;
    assert_eq!(preview(2).await, (vec![6, 7], true), "a deleted reply is removed");
    assert_eq!(preview(0).await, (vec![], true));
    assert_eq!(preview(10).await, (vec![6, 7, 8, 9, 10, 11, 12, 5, 1, 2], true));
}

pub(in crate::stores) async fn a_preview_omits_a_deleted_reply_that_is_still_in_the_rank_index(backend: Backend) {
    let _relay = Relay::of(&backend).await; // prevents other cases from applying events
    let fixture = Fixture::new(&backend, "a_preview_omits_a_deleted_reply_that_is_still_in_the_rank_index");
    let key = fixture.key();
    let root = fixture.root(&key).await.comment.reference.id;
    let mut replies = Vec::new();
    for _ in 0..6 {
        replies.push(fixture.reply(&key, root, 2).await.comment.reference.id);
    }
    like(&fixture, &key, replies[5], 0..2).await;
    rebuild(&fixture, &key, 50).await;
    let target = fixture.target(replies[5]).await;
    fixture.run(&key, Delete { target, actor: by_moderator(), etag: String::new() }).await;
    let page = fixture.process.reader.roots(&key, first(10), 3).await.expect("read").expect("present");
    let floors: Vec<i32> = page.threads.items[0].replies.iter().map(|view| view.comment.reference.floor).collect();
    assert_eq!(floors, [1, 2, 3]);
}
