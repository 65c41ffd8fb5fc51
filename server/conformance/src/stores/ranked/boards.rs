//! Rank indexes: they match the comments, whichever way they are built.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use riposte_core::request::RequestId;
use riposte_core::verbs::{Delete, DeleteActor, SetLike};
use riposte_core::{CommentId, LikeValue, SubjectKey};

use super::actors::{Actors, later, rebuild};
use crate::stores::backend::Backend;
use crate::stores::fixture::{Fixture, first, member};
use crate::stores::relay::Relay;

pub(in crate::stores) async fn boards_by_events_equal_those_built_from_rows(backend: Backend) {
    let relay = Relay::of(&backend).await;
    let mut actors = Actors::new(&backend, "boards_by_events_equal_those_built_from_rows");
    for round in 0..6 {
        actors.act(backend.walk.steps / 4).await;
        if round % 2 == 0 {
            relay.apply().await;
        } else {
            actors.rebuild(7 + round).await;
        }
        actors.compare(later(round as i64)).await;
        assert_eq!(actors.rebuild(50).await, 0, "whichever way they were made, the other finds nothing to do");
    }
}

pub(in crate::stores) async fn board_events_that_come_again_late_or_out_of_order_change_nothing(backend: Backend) {
    let relay = Relay::of(&backend).await;
    let name = "board_events_that_come_again_late_or_out_of_order_change_nothing";
    let mut actors = Actors::new(&backend, name);
    let mut heads = Vec::new();
    for source in 0..relay.terms.len() {
        heads.push(relay.process.outbox.head(source).await.expect("read"));
    }
    for round in 0..3 {
        actors.act(60).await;
        relay.assign_sequence(500).await;
        // Events are applied newest first, those of earlier rounds once more, and the oldest last.
        for (source, head) in heads.iter().enumerate() {
            for event in relay.behind(source, *head).await.iter().rev() {
                relay.process.boards.apply(source, std::slice::from_ref(event)).await.expect("applied");
            }
        }
        actors.compare(later(round)).await;
    }
    assert_eq!(actors.rebuild(9).await, 0);
}

pub(in crate::stores) async fn boards_made_side_by_side_while_others_write_are_right_in_the_end(backend: Backend) {
    let relay = Relay::of(&backend).await;
    let mut actors = Actors::new(&backend, "boards_made_side_by_side_while_others_write_are_right_in_the_end");
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
                    // The oracle never waits: without this yield no other task would run.
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
        builder.await.expect("ended well");
    }
    relay.apply().await;
    actors.compare(later(0)).await;
    assert_eq!(actors.rebuild(50).await, 0);
}

/// Adds a like of each of `members` to a comment.
pub(super) async fn like(fixture: &Fixture, key: &SubjectKey, id: CommentId, members: std::ops::Range<u32>) {
    set(fixture, key, id, members, LikeValue::Like).await;
}

pub(super) async fn set(
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
    let shown = async |size| {
        rebuild(&fixture, &key, 50).await;
        let page = fixture.process.reader.roots(&key, first(10), size).await.expect("read").expect("there");
        let thread = page.threads.items.into_iter().next().expect("one root");
        let at = fixture.process.reader.roots_at(&key, &[1], size).await.expect("read").expect("there");
        assert_eq!(at.threads.items, std::slice::from_ref(&thread), "the same by floor");
        let floors: Vec<i32> = thread.replies.iter().map(|view| view.comment.reference.floor).collect();
        (floors, thread.more_replies)
    };
    assert_eq!(shown(3).await, (vec![1, 2, 3], true), "nobody has liked anything");
    like(&fixture, &key, replies[8], 0..2).await;
    like(&fixture, &key, replies[12], 0..3).await;
    assert_eq!(shown(3).await, (vec![13, 9, 1], true));
    // Equal likes, more than fit: the oldest of them.
    for n in [4, 5, 6, 7, 9, 10, 11] {
        like(&fixture, &key, replies[n], 0..2).await;
    }
    assert_eq!(shown(3).await, (vec![13, 5, 6], true));
    assert_eq!(shown(1).await, (vec![13], true));
    // Dislikes do not count here, and neither does a withdrawn like.
    set(&fixture, &key, replies[12], 10..19, LikeValue::Dislike).await;
    set(&fixture, &key, replies[4], 0..1, LikeValue::None).await;
    assert_eq!(shown(4).await, (vec![13, 6, 7, 8], true));
    let target = fixture.target(replies[12]).await;
    fixture.run(&key, Delete { target, actor: DeleteActor::Moderator, etag: String::new() }).await;
    assert_eq!(shown(2).await, (vec![6, 7], true), "what is deleted leaves");
    assert_eq!(shown(0).await, (vec![], true));
    assert_eq!(shown(10).await, (vec![6, 7, 8, 9, 10, 11, 12, 5, 1, 2], true));
}

pub(in crate::stores) async fn a_preview_hides_at_once_what_its_board_still_holds(backend: Backend) {
    let _turn = Relay::of(&backend).await; // prevents other cases from applying events
    let fixture = Fixture::new(&backend, "a_preview_hides_at_once_what_its_board_still_holds");
    let key = fixture.key();
    let root = fixture.root(&key).await.comment.reference.id;
    let mut replies = Vec::new();
    for _ in 0..6 {
        replies.push(fixture.reply(&key, root, 2).await.comment.reference.id);
    }
    like(&fixture, &key, replies[5], 0..2).await;
    rebuild(&fixture, &key, 50).await;
    let target = fixture.target(replies[5]).await;
    fixture.run(&key, Delete { target, actor: DeleteActor::Moderator, etag: String::new() }).await;
    let page = fixture.process.reader.roots(&key, first(10), 3).await.expect("read").expect("there");
    let floors: Vec<i32> = page.threads.items[0].replies.iter().map(|view| view.comment.reference.floor).collect();
    assert_eq!(floors, [1, 2, 3]);
}
