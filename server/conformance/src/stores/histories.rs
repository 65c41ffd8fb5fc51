//! Members' histories: they match the comments, both when events and when rebuilds update them.

mod actors;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use riposte_core::page::HistoryCursor;
use riposte_core::ports::{MemberHistories, RebuildProgress};
use riposte_core::verbs::{Delete, DeleteActor, Hide, Unhide};
use riposte_core::{Command, Millis, SubjectKey};

use super::backend::{Backend, StepClock};
use super::fixture::{Fixture, member, ruling};
use super::relay::Relay;
use actors::{Actors, history, history_by_pages};

/// Rebuilds the histories of a subject from its rows, `batch` comments at a time. Returns the
/// numbers of comments read and of rows changed.
pub(super) async fn rebuild(histories: &dyn MemberHistories, key: &SubjectKey, batch: usize) -> (usize, usize) {
    let (mut comments, mut changed, mut after) = (0, 0, None);
    loop {
        let progress = histories.rebuild(key, after, batch).await.expect("rebuilt");
        assert!(progress.comments <= batch, "more than the limit: {progress:?}");
        comments += progress.comments;
        changed += progress.changed;
        after = progress.next;
        if after.is_none() {
            return (comments, changed);
        }
    }
}

pub(super) async fn a_rebuild_counts_missing_and_outdated_rows(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_rebuild_counts_missing_and_outdated_rows");
    let _relay = Relay::of(&backend).await; // prevents other cases from applying events
    let histories = fixture.process.histories.as_ref();
    let key = fixture.key_of(&fixture.object_type(""), "");
    assert_eq!(histories.rebuild(&key, None, 10).await, Ok(RebuildProgress::default()));
    let root = fixture.root(&key).await.comment.reference.id;
    for _ in 0..3 {
        fixture.reply(&key, root, 2).await;
    }
    fixture.root(&key).await;
    for batch in [1, 2, 5, 100] {
        let changed = if batch == 1 { 5 } else { 0 };
        assert_eq!(rebuild(histories, &key, batch).await, (5, changed), "{batch}");
    }
    fixture.run(&key, Hide { target: fixture.target(root).await, ruling: ruling() }).await;
    assert_eq!(rebuild(histories, &key, 2).await, (5, 1));
    assert_eq!(rebuild(histories, &key, 2).await, (5, 0));
}

pub(super) async fn invisible_comments_are_in_the_complete_history_only(backend: Backend) {
    let fixture = Fixture::new(&backend, "invisible_comments_are_in_the_complete_history_only");
    let relay = Relay::of(&backend).await;
    let object_type = fixture.object_type("");
    let keys = [fixture.key_of(&object_type, "1"), fixture.key_of(&object_type, "2")];
    let ids = [fixture.root(&keys[0]).await, fixture.root(&keys[1]).await, fixture.root(&keys[0]).await];
    let ids = ids.map(|view| view.comment.reference.id);
    let own = async |all| {
        relay.apply().await;
        let own = history(&fixture, keys[0].object_type(), &member("author"), all).await;
        own.into_iter().map(|entry| entry.comment).collect::<Vec<_>>()
    };
    assert_eq!(own(false).await, [ids[2], ids[1], ids[0]], "newest first, over all subjects");
    fixture.run(&keys[1], Hide { target: fixture.target(ids[1]).await, ruling: ruling() }).await;
    let actor = DeleteActor::Author(member("author"));
    fixture.run(&keys[0], Delete { target: fixture.target(ids[0]).await, actor, etag: String::new() }).await;
    assert_eq!(own(false).await, [ids[2]]);
    assert_eq!(own(true).await, [ids[2], ids[1], ids[0]]);
    fixture.run(&keys[1], Unhide { target: fixture.target(ids[1]).await, ruling: ruling() }).await;
    assert_eq!(own(false).await, [ids[2], ids[1]]);
    let others = history(&fixture, keys[0].object_type(), &member("replier"), true).await;
    assert_eq!(others, Vec::new());
    // Of the newest ones only; the oldest one is deleted.
    let active = async |name: &str, limit| {
        let reader = &fixture.process.reader;
        reader.active_comments(keys[0].object_type(), &member(name), limit).await.expect("read")
    };
    assert_eq!((active("author", 1).await, active("author", 2).await, active("author", 50).await), (1, 2, 2));
    fixture.run(&keys[0], Hide { target: fixture.target(ids[2]).await, ruling: ruling() }).await;
    relay.apply().await;
    assert_eq!((active("author", 1).await, active("author", 50).await, active("replier", 50).await), (0, 1, 0));
    let other_type = fixture.key_of(&fixture.object_type("other"), "");
    let elsewhere = fixture.process.reader.active_comments(other_type.object_type(), &member("author"), 50).await;
    assert_eq!(elsewhere, Ok(0));
}

pub(super) async fn histories_by_events_equal_those_built_from_rows(backend: Backend) {
    let relay = Relay::of(&backend).await;
    let mut actors = Actors::new(&backend, "histories_by_events_equal_those_built_from_rows");
    for round in 0..8 {
        for _ in 0..backend.walk.steps / 16 {
            actors.act().await;
        }
        if round % 2 == 0 {
            relay.apply().await;
        } else {
            actors.rebuild(round).await;
        }
        actors.compare().await;
        assert_eq!(actors.rebuild(50).await, 0, "a rebuild changes nothing, after events and after a rebuild");
    }
}

pub(super) async fn events_that_are_late_repeated_or_out_of_order_change_nothing(backend: Backend) {
    let relay = Relay::of(&backend).await;
    let mut actors = Actors::new(&backend, "events_that_are_late_repeated_or_out_of_order_change_nothing");
    let mut heads = Vec::new();
    for source in 0..relay.epochs.len() {
        heads.push(relay.process.outbox.head(source).await.expect("read"));
    }
    let histories = &relay.process.histories;
    for _ in 0..3 {
        for _ in 0..30 {
            actors.act().await;
        }
        relay.assign_sequence(500).await;
        // All events since the start are applied newest first, those of earlier rounds once more.
        for (source, head) in heads.iter().enumerate() {
            let events = relay.events_after(source, *head).await;
            for event in events.iter().rev() {
                histories.apply(source, std::slice::from_ref(event)).await.expect("applied");
            }
        }
        actors.compare().await;
    }
    relay.apply().await;
    for source in 0..relay.epochs.len() {
        let events = relay.events_after(source, 0).await;
        for part in events.chunks(7).take(20) {
            histories.apply(source, part).await.expect("applied");
        }
    }
    actors.compare().await;
    assert_eq!(actors.rebuild(9).await, 0);
}

pub(super) async fn histories_rebuilt_during_writes_are_correct_in_the_end(backend: Backend) {
    let name = "histories_rebuilt_during_writes_are_correct_in_the_end";
    let relay = Relay::of(&backend).await;
    let mut actors = Actors::new(&backend, name);
    let stop = Arc::new(AtomicBool::new(false));
    let builders: Vec<_> = (0..3)
        .map(|n| {
            let (histories, stop) = (Arc::clone(&relay.process.histories), Arc::clone(&stop));
            let keys = actors.keys.clone();
            tokio::spawn(async move {
                while !stop.load(Ordering::Relaxed) {
                    for key in &keys {
                        rebuild(histories.as_ref(), key, 3 + n).await;
                    }
                    // The oracle never waits, so that without this yield no other task would run.
                    tokio::task::yield_now().await;
                }
            })
        })
        .collect();
    for step in 0..90 {
        actors.act().await;
        if step % 10 == 9 {
            relay.apply().await;
        }
        tokio::task::yield_now().await;
    }
    stop.store(true, Ordering::Relaxed);
    for builder in builders {
        builder.await.expect("no panic");
    }
    relay.apply().await;
    actors.compare().await;
    assert_eq!(actors.rebuild(50).await, 0);
}

pub(super) async fn pages_of_a_history_are_exact_where_times_are_equal(backend: Backend) {
    let fixture = Fixture::new(&backend, "pages_of_a_history_are_exact_where_times_are_equal");
    let object_type = fixture.object_type("");
    let (mut expected, mut keys) = (Vec::new(), Vec::new());
    for n in 0..12 {
        let key = fixture.key_of(&object_type, n % 3);
        let verb = fixture.root_verb(&key, "author").await;
        let entry = HistoryCursor { time: Millis(StepClock::START.0 + n / 4), comment: verb.id };
        let command = Command { now: entry.time, ..fixture.command(&key, verb) };
        fixture.send(&command).await.expect("created");
        expected.push(entry);
        keys.push(key);
    }
    for key in &keys[..3] {
        rebuild(fixture.process.histories.as_ref(), key, 100).await;
    }
    expected.sort_by_key(|entry| std::cmp::Reverse((entry.time, entry.comment)));
    for limit in [1, 2, 3, 5, 11, 12, 13] {
        let found = history_by_pages(&fixture, keys[0].object_type(), &member("author"), true, limit).await;
        assert_eq!(found, expected, "{limit} at a time");
    }
}
