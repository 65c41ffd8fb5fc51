//! Calls that are dropped at any await: each takes effect once or not at all, and other callers are
//! not affected.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use riposte_core::verbs::{BatchType, SetLike};
use riposte_core::{Command, LikeValue};

use super::backend::Backend;
use super::fixture::{Fixture, comment, first, member};
use super::likes::operation;

/// Returns the result of the call, unless it takes more than `polls` polls; then the call is
/// dropped at its current await.
async fn dropped_after<T>(polls: usize, call: impl Future<Output = T>) -> Option<T> {
    let mut call = pin!(call);
    let mut left = polls;
    poll_fn(move |context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        match call.as_mut().poll(context) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending if left == 0 => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

/// Sends a batch, drops the call after `polls` polls, and repeats it until it returns, as the
/// service does.
async fn drop_and_repeat<K: BatchType>(fixture: &Fixture, polls: usize, batch: &[Command<K>]) {
    let sent = batch.to_vec().into();
    let _ = dropped_after(polls, fixture.process.writer.commit(&sent)).await;
    let results = fixture.commit(batch).await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
}

pub(super) async fn a_dropped_commit_takes_effect_once(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_dropped_commit_takes_effect_once");
    let key = fixture.key();
    let root = fixture.root(&key).await.comment.reference.id;
    let mut callers = Vec::new();
    for caller in 0..8 {
        let (fixture, key) = (Arc::clone(&fixture), key.clone());
        callers.push(tokio::spawn(async move {
            for polls in 0..12 {
                let create = fixture.root_verb(&key, "author").await;
                let reply = fixture.reply_verb(&key, root, 2).await;
                let batch = [fixture.command(&key, create), fixture.command(&key, reply)];
                drop_and_repeat(&fixture, polls + caller % 2 * 12, &batch).await;
            }
        }));
    }
    for caller in callers {
        caller.await.expect("no panic");
    }
    let subject = fixture.subject(&key).await;
    assert_eq!((subject.counts.root_count, subject.counts.comment_count), (1 + 8 * 12, 1 + 2 * 8 * 12));
    assert_eq!(fixture.check_counts(&key).await, 1 + 2 * 8 * 12);
}

pub(super) async fn a_dropped_first_comment_creates_one_subject(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_dropped_first_comment_creates_one_subject");
    for polls in 0..16 {
        let key = fixture.key_named(polls);
        let create = fixture.root_verb(&key, "author").await;
        drop_and_repeat(&fixture, polls, &[fixture.command(&key, create)]).await;
        assert_eq!(fixture.check_counts(&key).await, 1);
    }
}

pub(super) async fn a_dropped_like_is_set_once(backend: Backend) {
    let fixture = Fixture::new(&backend, "a_dropped_like_is_set_once");
    let key = fixture.key();
    let root = fixture.root(&key).await.comment.reference.id;
    for polls in 0..24_u64 {
        let like = SetLike {
            comment_id: root,
            member: member(&format!("m{polls}")),
            value: if polls % 3 == 0 { LikeValue::Dislike } else { LikeValue::Like },
            operation: operation(polls, 1),
        };
        drop_and_repeat(&fixture, polls as usize, &[fixture.command(&key, like)]).await;
    }
    let row = fixture.view(root).await.comment;
    assert_eq!((row.counts.like_count, row.counts.dislike_count), (16, 8));
    fixture.check_counts(&key).await;
}

pub(super) async fn dropped_reads_do_not_affect_later_reads(backend: Backend) {
    let fixture = Fixture::new(&backend, "dropped_reads_do_not_affect_later_reads");
    let key = fixture.key();
    for round in 0..20 {
        let verb = fixture.root_verb(&key, "author").await;
        let created = comment(&fixture.run(&key, verb).await).comment;
        for polls in 0..6 {
            let _ = dropped_after(polls, fixture.process.reader.roots(&key, first(100), 3)).await;
            let _ = dropped_after(polls, fixture.process.reader.verify(&key)).await;
            // A transaction left open by a dropped read would show an old state here.
            assert_eq!(fixture.floors(&key).await.len(), round + 1);
        }
        assert_eq!(fixture.view(created.reference.id).await.comment.reference.floor as usize, round + 1);
    }
    fixture.check_counts(&key).await;
}
