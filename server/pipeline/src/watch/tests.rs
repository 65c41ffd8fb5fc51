use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use riposte_core::event::Changes;
use riposte_core::ports::{Outbox, SubjectWatch, SubjectWatches, WatchItem};
use riposte_core::{Error, Subject};
use riposte_telemetry::Metrics;
use tokio::time::timeout;

use super::{KEPT, WatchHub};
use crate::test_source::{TestSource, subject};

/// A hub over one source whose events it has received up to a sequence number.
struct Stage {
    memory: Arc<TestSource>,
    hub: WatchHub,
    heard: i64,
}

impl Stage {
    fn new() -> Self {
        let memory = Arc::new(TestSource::default());
        let hub = WatchHub::new(Arc::clone(&memory) as _, Metrics::new().expect("sound"));
        Self { memory, hub, heard: 0 }
    }

    async fn join(&self, subject: &Subject, after: i64) -> Box<dyn SubjectWatch> {
        self.hub.join(&subject.key, after, Box::pin(ready(Ok(subject.clone())))).await.expect("it can be watched")
    }

    fn commit(&self, subject: &Subject, revisions: impl IntoIterator<Item = i64>) {
        revisions.into_iter().for_each(|revision| self.memory.commit(subject, revision));
    }

    /// Runs the tail once.
    async fn hear(&mut self) {
        self.memory.number_all();
        let events = self.memory.read(0, self.heard, usize::MAX).await.expect("it works");
        self.heard = events.last().map_or(self.heard, |last| last.number);
        self.hub.hear(&events).await.expect("it works");
    }

    fn asked(&self) -> usize {
        self.memory.asked.load(Ordering::SeqCst)
    }
}

/// Returns the revisions that a watcher receives without waiting, negated where they are part of a
/// gap.
async fn told(watcher: &mut Box<dyn SubjectWatch>) -> Vec<i64> {
    let mut told = Vec::new();
    while let Ok(Some(Ok(next))) = timeout(Duration::ZERO, watcher.next()).await {
        match next {
            WatchItem::Change { revision, .. } => told.push(revision),
            WatchItem::Gap { first, last } => {
                assert!(first <= last, "a gap of nothing: {first} to {last}");
                told.extend((first..=last).map(|revision| -revision));
            }
        }
    }
    told
}

#[tokio::test]
async fn a_watcher_begins_with_the_next_change_or_behind_the_one_it_has_seen() {
    let mut stage = Stage::new();
    let watched = subject(1, 5);
    stage.commit(&watched, 1..=5);
    stage.hear().await;
    let mut fresh = stage.join(&watched, 0).await;
    let mut resumed = stage.join(&watched, 2).await;
    let mut ahead = stage.join(&watched, 7).await;
    stage.commit(&watched, 6..=8);
    stage.hear().await;
    assert_eq!(told(&mut fresh).await, [6, 7, 8]);
    assert_eq!(told(&mut resumed).await, [3, 4, 5, 6, 7, 8]);
    assert_eq!(told(&mut ahead).await, [8]);
}

#[tokio::test]
async fn what_passes_between_the_look_and_the_first_event_is_neither_lost_nor_told_twice() {
    let mut stage = Stage::new();
    let seen = subject(1, 2);
    // Committed and read by the tail after the row was read at revision 2, before the first
    // watcher.
    stage.commit(&seen, 1..=4);
    stage.hear().await;
    let mut watcher = stage.join(&seen, 2).await;
    let mut fresh = stage.join(&seen, 0).await;
    // The tail delivers the events again that the outbox had delivered.
    stage.heard = 0;
    stage.commit(&seen, [5]);
    stage.hear().await;
    assert_eq!(told(&mut watcher).await, [3, 4, 5]);
    assert_eq!(told(&mut fresh).await, [5], "what was there when it came is not the next change");
}

#[tokio::test]
async fn revisions_that_come_late_or_out_of_order_are_told_in_order() {
    let mut stage = Stage::new();
    let watched = subject(1, 0);
    let mut watcher = stage.join(&watched, 0).await;
    stage.commit(&watched, [3, 1, 2, 5]);
    stage.hear().await;
    stage.commit(&watched, [4]);
    stage.hear().await;
    // 4 was not committed when 5 arrived, which no store does. It becomes a gap and is never
    // delivered out of order.
    assert_eq!(told(&mut watcher).await, [1, 2, 3, -4, 5]);
}

#[tokio::test]
async fn what_is_no_longer_kept_is_told_as_a_gap() {
    let mut stage = Stage::new();
    let watched = subject(1, 6);
    stage.commit(&watched, 1..=6);
    stage.hear().await;
    stage.memory.forget(4);
    let mut resumed = stage.join(&watched, 2).await;
    assert_eq!(told(&mut resumed).await, [-3, -4, 5, 6]);
    stage.memory.forget(6);
    let mut nothing_left = stage.join(&watched, 3).await;
    assert_eq!(told(&mut nothing_left).await, [-4, 5, 6]);
    let other = subject(2, 9);
    let mut all_gone = stage.join(&other, 7).await;
    assert_eq!(told(&mut all_gone).await, [-8, -9]);
}

#[tokio::test]
async fn who_resumes_further_back_than_the_ring_reaches_is_told_all_that_he_missed() {
    let kept = i64::try_from(KEPT).expect("small");
    let last = kept + 100;
    let mut stage = Stage::new();
    let watched = subject(1, last);
    stage.commit(&watched, 1..=last);
    stage.hear().await;
    for after in [1, 94] {
        let mut resumed = stage.join(&watched, after).await;
        let Some(Ok(WatchItem::Gap { first, last: missed })) = resumed.next().await else { panic!("no gap") };
        assert_eq!((first, missed), (after + 1, last - kept));
        assert!(told(&mut resumed).await.into_iter().eq(missed + 1..=last));
    }
}

#[tokio::test]
async fn a_thousand_watchers_cost_one_load_and_one_read() {
    let mut stage = Stage::new();
    let watched = subject(1, 3);
    stage.commit(&watched, 1..=3);
    let joins = (0..1_000).map(|n| {
        let (hub, key, found) = (stage.hub.clone(), watched.key.clone(), watched.clone());
        // Only the first caller may read the subject; the others find it watched.
        let load = async move { if n == 0 { Ok(found) } else { Err(Error::internal("loaded again")) } };
        async move { hub.join(&key, 0, Box::pin(load)).await.expect("it can be watched") }
    });
    let mut watchers = futures::future::join_all(joins).await;
    assert_eq!(stage.asked(), 1);
    stage.commit(&watched, [4, 5]);
    stage.hear().await;
    for watcher in &mut watchers {
        assert_eq!(told(watcher).await, [4, 5]);
    }
    assert_eq!(stage.asked(), 1);
    drop(watchers);
    assert!(stage.hub.places.all().is_empty(), "nobody watches, nothing is kept");
}

#[tokio::test]
async fn a_watcher_a_ring_behind_is_disconnected_and_may_resume() {
    let mut stage = Stage::new();
    let watched = subject(1, 0);
    let mut slow = stage.join(&watched, 0).await;
    stage.commit(&watched, 1..=KEPT as i64 + 1);
    stage.hear().await;
    assert_eq!(slow.next().await, Some(Err(Error::WatchTooSlow)));
    assert_eq!(slow.next().await, None);
    drop(slow);
    let now = Subject { revision: KEPT as i64 + 1, ..watched };
    let mut again = stage.join(&now, 1).await;
    assert_eq!(told(&mut again).await.len(), KEPT);
}

#[tokio::test]
async fn a_subject_that_changed_is_looked_at_before_the_next_one_joins() {
    let mut stage = Stage::new();
    let watched = subject(1, 1);
    let mut first = stage.join(&watched, 0).await;
    stage.memory.commit_at(&watched, 2, Changes { subject: true, ..Changes::default() });
    stage.hear().await;
    let second = stage.hub.join(&watched.key, 0, Box::pin(ready(Err(Error::SubjectNotFound)))).await;
    assert_eq!(second.map(drop), Err(Error::SubjectNotFound));
    assert_eq!(told(&mut first).await, [2], "who watches already is told and watches on");
    let third = stage.join(&Subject { revision: 2, ..watched }, 0).await;
    drop(third);
}

#[tokio::test]
async fn a_fault_while_joining_leaves_no_trace() {
    let stage = Stage::new();
    let watched = subject(1, 3);
    stage.memory.failing.store(1, Ordering::SeqCst);
    let failed = stage.hub.join(&watched.key, 0, Box::pin(ready(Ok(watched.clone())))).await;
    assert_eq!(failed.map(drop), Err(Error::ShardUnavailable));
    assert!(stage.hub.places.all().is_empty());
    stage.join(&watched, 0).await;
}

#[tokio::test]
async fn closing_ends_every_watcher_and_lets_none_in() {
    let stage = Stage::new();
    let watched = subject(1, 3);
    let mut watcher = stage.join(&watched, 0).await;
    stage.hub.close();
    assert_eq!(watcher.next().await, Some(Err(Error::ServerStopping)));
    assert_eq!(watcher.next().await, None);
    let late = stage.hub.join(&watched.key, 0, Box::pin(ready(Ok(watched.clone())))).await;
    assert_eq!(late.map(drop), Err(Error::ServerStopping));
}
