use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use riposte_core::event::Changes;
use riposte_core::ports::{EventConsumer, EventLog, SubjectLoads, SubjectWatch, SubjectWatches, WatchItem};
use riposte_core::{Error, Result, Subject, SubjectId};
use riposte_telemetry::Metrics;
use tokio::time::timeout;

use super::{CAPACITY, WatchHub};
use crate::test_source::{TestSource, subject};

/// A hub over one source whose events it has received up to a sequence number.
struct Fixture {
    source: Arc<TestSource>,
    hub: WatchHub,
    position: i64,
}

impl Fixture {
    fn new() -> Self {
        let source = Arc::new(TestSource::default());
        let hub = WatchHub::new(Arc::clone(&source) as _, Arc::clone(&source) as _, Metrics::new().expect("sound"));
        Self { source, hub, position: 0 }
    }

    async fn join(&self, subject: &Subject, after: i64) -> Box<dyn SubjectWatch> {
        self.hub.join(&subject.key, after, loads(Ok(subject.clone()))).await.expect("it can be watched")
    }

    fn commit(&self, subject: &Subject, revisions: impl IntoIterator<Item = i64>) {
        revisions.into_iter().for_each(|revision| self.source.commit(subject, revision));
    }

    /// Runs the tail once.
    async fn run_tail(&mut self) {
        self.source.sequence_all();
        let events = self.source.read(0, self.position, usize::MAX).await.expect("no failure is set");
        self.position = events.last().map_or(self.position, |last| last.number);
        self.hub.update(&events).await.expect("no failure is set");
    }

    fn subject_reads(&self) -> usize {
        self.source.subject_reads.load(Ordering::SeqCst)
    }
}

/// Returns reads with one result, through the cache and from the rows.
fn loads(result: Result<Subject>) -> SubjectLoads<'static> {
    SubjectLoads { cached: Box::pin(ready(result.clone())), primary: Box::pin(ready(result)) }
}

/// Returns the revisions that a watcher receives without waiting, negated where they are part of a
/// gap.
async fn received(watcher: &mut Box<dyn SubjectWatch>) -> Vec<i64> {
    let mut revisions = Vec::new();
    while let Ok(Some(Ok(next))) = timeout(Duration::ZERO, watcher.next()).await {
        match next {
            WatchItem::Change { revision, .. } => revisions.push(revision),
            WatchItem::Gap { first, last } => {
                assert!(first <= last, "an empty gap: {first} to {last}");
                revisions.extend((first..=last).map(|revision| -revision));
            }
        }
    }
    revisions
}

#[tokio::test]
async fn a_watcher_begins_with_the_next_change_or_after_the_one_that_it_has_seen() {
    let mut fixture = Fixture::new();
    let watched = subject(1, 5);
    fixture.commit(&watched, 1..=5);
    fixture.run_tail().await;
    let mut fresh = fixture.join(&watched, 0).await;
    let mut resumed = fixture.join(&watched, 2).await;
    fixture.commit(&watched, 6..=8);
    fixture.run_tail().await;
    assert_eq!(received(&mut fresh).await, [6, 7, 8]);
    assert_eq!(received(&mut resumed).await, [3, 4, 5, 6, 7, 8]);
}

#[tokio::test]
async fn a_watcher_ahead_of_the_cached_row_is_answered_from_the_rows() {
    let mut fixture = Fixture::new();
    let watched = subject(1, 5);
    fixture.commit(&watched, 1..=7);
    fixture.run_tail().await;
    let (behind, now) = (loads(Ok(watched.clone())), loads(Ok(Subject { revision: 7, ..watched.clone() })));
    let loads = SubjectLoads { cached: behind.cached, primary: now.primary };
    let mut ahead = fixture.hub.join(&watched.key, 7, loads).await.expect("it can be watched");
    assert_eq!(ahead.seen(), 7);
    fixture.commit(&watched, [8]);
    fixture.run_tail().await;
    assert_eq!(received(&mut ahead).await, [8]);
}

#[tokio::test]
async fn a_watcher_that_has_seen_revisions_which_the_subject_lost_receives_a_gap_backwards() {
    let mut fixture = Fixture::new();
    let restored = subject(1, 5);
    fixture.commit(&restored, 1..=5);
    fixture.run_tail().await;
    let mut ahead = fixture.join(&restored, 9).await;
    assert_eq!(ahead.seen(), 5, "the true revision");
    assert_eq!(ahead.next().await, Some(Ok(WatchItem::Gap { first: 10, last: 5 })));
    fixture.commit(&restored, [6]);
    fixture.run_tail().await;
    assert_eq!(received(&mut ahead).await, [6], "the next change follows the gap");
}

#[tokio::test]
async fn the_watchers_of_a_subject_that_lost_revisions_meanwhile_receive_a_gap_backwards() {
    let mut fixture = Fixture::new();
    let before = subject(1, 5);
    fixture.commit(&before, 1..=5);
    fixture.run_tail().await;
    let mut open = fixture.join(&before, 5).await;
    [4, 5].iter().for_each(|number| fixture.source.drop_event(*number));
    let restored = Subject { revision: 3, ..before };
    let mut again = fixture.join(&restored, 6).await;
    assert_eq!(again.seen(), 3, "the true revision");
    assert_eq!(again.next().await, Some(Ok(WatchItem::Gap { first: 7, last: 3 })));
    assert_eq!(open.next().await, Some(Ok(WatchItem::Gap { first: 6, last: 3 })));
    assert_eq!(open.seen(), 3);
    assert!(received(&mut open).await.is_empty() && received(&mut again).await.is_empty());
}

#[tokio::test]
async fn watchers_receive_a_gap_backwards_when_the_tail_finds_a_restore() {
    let mut fixture = Fixture::new();
    let (before, other) = (subject(1, 5), subject(2, 1));
    fixture.commit(&before, 1..=5);
    fixture.commit(&other, [1]);
    fixture.run_tail().await;
    let mut watchers = [fixture.join(&before, 5).await, fixture.join(&before, 2).await];
    let mut unaffected = fixture.join(&other, 1).await;
    // One of them has read none of the events that are gone.
    fixture.source.restore(3);
    fixture.source.create(&Subject { revision: 3, ..before.clone() });
    fixture.source.create(&other);
    fixture.hub.gap(0).await.expect("no failure is set");
    assert_eq!(watchers[0].next().await, Some(Ok(WatchItem::Gap { first: 6, last: 3 })));
    assert_eq!(received(&mut watchers[1]).await, [3], "it had not seen what is gone");
    fixture.commit(&before, [4]);
    fixture.position = 3;
    fixture.run_tail().await;
    for watcher in &mut watchers {
        assert_eq!(received(watcher).await, [4], "the next change follows");
    }
    assert!(received(&mut unaffected).await.is_empty());
    // Nothing is lost: a further gap of the tail changes nothing.
    fixture.source.create(&Subject { revision: 4, ..before });
    fixture.hub.gap(0).await.expect("no failure is set");
    assert!(received(&mut watchers[0]).await.is_empty());
}

#[tokio::test]
async fn a_subject_that_a_restore_removed_is_watched_from_its_first_revision_again() {
    let mut fixture = Fixture::new();
    let before = Subject { version: 1, ..subject(1, 2) };
    fixture.commit(&before, 1..=2);
    fixture.run_tail().await;
    let mut watcher = fixture.join(&before, 2).await;
    fixture.source.restore(0);
    fixture.hub.gap(0).await.expect("no failure is set");
    assert_eq!(watcher.next().await, Some(Ok(WatchItem::Gap { first: 3, last: 0 })));
    // It is created again, with another id.
    let id = SubjectId::new(before.id.get() + (1 << 24)).expect("positive");
    let again = Subject { id, revision: 1, ..before };
    fixture.source.create(&again);
    fixture.commit(&again, [1]);
    fixture.position = 0;
    fixture.run_tail().await;
    assert_eq!(received(&mut watcher).await, [1]);
    fixture.commit(&again, [2]);
    fixture.run_tail().await;
    assert_eq!(received(&mut watcher).await, [2]);
}

#[tokio::test]
async fn a_subject_that_does_not_exist_yet_is_watched_from_its_first_revision() {
    let mut fixture = Fixture::new();
    let created = Subject { version: 1, ..subject(1, 2) };
    let absent = Subject { version: 0, revision: 0, ..created.clone() };
    let mut first = fixture.join(&absent, 0).await;
    let mut ahead = fixture.join(&absent, 3).await;
    assert_eq!((first.seen(), ahead.seen()), (0, 0));
    assert_eq!(ahead.next().await, Some(Ok(WatchItem::Gap { first: 4, last: 0 })));
    let mut farthest = fixture.join(&absent, i64::MAX).await;
    assert_eq!(farthest.next().await, Some(Ok(WatchItem::Gap { first: i64::MAX, last: 0 })));
    drop(farthest);
    // Another subject of the partition comes first.
    let mut other = subject(1, 1);
    other.id = SubjectId::new(1 << 14 | 2).expect("positive");
    fixture.commit(&other, [1]);
    fixture.run_tail().await;
    assert!(received(&mut first).await.is_empty());
    fixture.source.create(&created);
    fixture.commit(&created, [1, 2]);
    fixture.run_tail().await;
    fixture.commit(&created, [3]);
    fixture.run_tail().await;
    assert_eq!(received(&mut first).await, [1, 2, 3]);
    assert_eq!(received(&mut ahead).await, [1, 2, 3]);
    let mut late = fixture.join(&Subject { revision: 3, ..created }, 1).await;
    assert_eq!(received(&mut late).await, [2, 3]);
    drop((first, ahead, late));
    assert!(fixture.hub.subscriptions.all().is_empty());
}

#[tokio::test]
async fn a_subject_that_is_created_while_its_first_watcher_joins_is_watched() {
    let mut fixture = Fixture::new();
    let created = Subject { version: 1, ..subject(1, 2) };
    let absent = Subject { version: 0, revision: 0, ..created.clone() };
    // The tail has read its first event before the watcher joins, with a row from before that.
    fixture.commit(&created, [1, 2]);
    fixture.run_tail().await;
    fixture.source.create(&created);
    let mut watcher = fixture.join(&absent, 0).await;
    assert_eq!(watcher.seen(), 2, "the next change is the third");
    fixture.commit(&created, [3]);
    fixture.run_tail().await;
    assert_eq!(received(&mut watcher).await, [3]);
}

#[tokio::test]
async fn after_a_gap_of_the_tail_absent_subjects_are_read_again() {
    let fixture = Fixture::new();
    let created = Subject { version: 1, ..subject(1, 2) };
    let mut watcher = fixture.join(&Subject { version: 0, revision: 0, ..created.clone() }, 0).await;
    fixture.source.create(&created);
    fixture.commit(&created, [1, 2]);
    fixture.hub.catch_up().await.expect("no failure is set");
    assert_eq!(received(&mut watcher).await, [1, 2]);
    drop(watcher);
    assert!(fixture.hub.subscriptions.absent(0..4).is_empty());
}

#[tokio::test]
async fn revisions_between_the_read_of_the_row_and_the_first_event_are_delivered_once() {
    let mut fixture = Fixture::new();
    let watched = subject(1, 2);
    // The tail has read revisions 3 and 4 before the first watcher joins with the row of
    // revision 2.
    fixture.commit(&watched, 1..=4);
    fixture.run_tail().await;
    let mut watcher = fixture.join(&watched, 2).await;
    let mut fresh = fixture.join(&watched, 0).await;
    // The tail delivers again the events that were queried from the outbox.
    fixture.position = 0;
    fixture.commit(&watched, [5]);
    fixture.run_tail().await;
    assert_eq!(received(&mut watcher).await, [3, 4, 5]);
    assert_eq!(received(&mut fresh).await, [5], "revisions from before the join are not the next change");
}

#[tokio::test]
async fn revisions_that_arrive_late_or_out_of_order_are_delivered_in_order() {
    let mut fixture = Fixture::new();
    let watched = subject(1, 0);
    let mut watcher = fixture.join(&watched, 0).await;
    fixture.commit(&watched, [3, 1, 2, 5]);
    fixture.run_tail().await;
    fixture.commit(&watched, [4]);
    fixture.run_tail().await;
    // Revision 5 arrives before revision 4 is committed, which no store allows. Revision 4 becomes
    // a gap and is never delivered out of order.
    assert_eq!(received(&mut watcher).await, [1, 2, 3, -4, 5]);
}

#[tokio::test]
async fn revisions_whose_events_were_deleted_are_delivered_as_a_gap() {
    let mut fixture = Fixture::new();
    let watched = subject(1, 6);
    fixture.commit(&watched, 1..=6);
    fixture.run_tail().await;
    fixture.source.remove_through(4);
    let mut resumed = fixture.join(&watched, 2).await;
    assert_eq!(received(&mut resumed).await, [-3, -4, 5, 6]);
    fixture.source.remove_through(6);
    let mut nothing_left = fixture.join(&watched, 3).await;
    assert_eq!(received(&mut nothing_left).await, [-4, 5, 6]);
    let other = subject(2, 9);
    let mut all_gone = fixture.join(&other, 7).await;
    assert_eq!(received(&mut all_gone).await, [-8, -9]);
}

#[tokio::test]
async fn a_watcher_that_resumes_before_the_start_of_the_ring_receives_all_that_it_missed() {
    let capacity = i64::try_from(CAPACITY).expect("small");
    let last = capacity + 100;
    let mut fixture = Fixture::new();
    let watched = subject(1, last);
    fixture.commit(&watched, 1..=last);
    fixture.run_tail().await;
    for after in [1, 94] {
        let mut resumed = fixture.join(&watched, after).await;
        let Some(Ok(WatchItem::Gap { first, last: missed })) = resumed.next().await else { panic!("no gap") };
        assert_eq!((first, missed), (after + 1, last - capacity));
        assert!(received(&mut resumed).await.into_iter().eq(missed + 1..=last));
    }
}

#[tokio::test]
async fn a_thousand_watchers_cost_one_load_and_one_read() {
    let mut fixture = Fixture::new();
    let watched = subject(1, 3);
    fixture.commit(&watched, 1..=3);
    let joins = (0..1_000).map(|n| {
        let (hub, key, found) = (fixture.hub.clone(), watched.key.clone(), watched.clone());
        // Only the first caller may read the subject; the others find it watched.
        let load = async move { if n == 0 { Ok(found) } else { Err(Error::internal("loaded again")) } };
        let primary = Box::pin(ready(Err(Error::internal("no watcher is ahead"))));
        let loads = SubjectLoads { cached: Box::pin(load), primary };
        async move { hub.join(&key, 0, loads).await.expect("it can be watched") }
    });
    let mut watchers = futures::future::join_all(joins).await;
    assert_eq!(fixture.subject_reads(), 1);
    fixture.commit(&watched, [4, 5]);
    fixture.run_tail().await;
    for watcher in &mut watchers {
        assert_eq!(received(watcher).await, [4, 5]);
    }
    assert_eq!(fixture.subject_reads(), 1);
    drop(watchers);
    assert!(fixture.hub.subscriptions.all().is_empty(), "a subject without watchers has no subscription");
}

#[tokio::test]
async fn a_watcher_that_the_ring_has_passed_is_disconnected_and_may_resume() {
    let mut fixture = Fixture::new();
    let watched = subject(1, 0);
    let mut slow = fixture.join(&watched, 0).await;
    fixture.commit(&watched, 1..=CAPACITY as i64 + 1);
    fixture.run_tail().await;
    assert_eq!(slow.next().await, Some(Err(Error::WatchTooSlow)));
    assert_eq!(slow.next().await, None);
    drop(slow);
    let now = Subject { revision: CAPACITY as i64 + 1, ..watched };
    let mut resumed = fixture.join(&now, 1).await;
    assert_eq!(received(&mut resumed).await.len(), CAPACITY);
}

#[tokio::test]
async fn the_row_of_a_changed_subject_is_read_before_the_next_watcher_joins() {
    let mut fixture = Fixture::new();
    let watched = subject(1, 1);
    let mut first = fixture.join(&watched, 0).await;
    fixture.source.commit_changes(&watched, 2, Changes { subject: true, ..Changes::default() });
    fixture.run_tail().await;
    let second = fixture.hub.join(&watched.key, 0, loads(Err(Error::SubjectNotFound))).await;
    assert_eq!(second.map(drop), Err(Error::SubjectNotFound));
    assert_eq!(received(&mut first).await, [2], "an existing watcher receives the change and continues");
    let third = fixture.join(&Subject { revision: 2, ..watched }, 0).await;
    drop(third);
}

#[tokio::test]
async fn a_failed_join_leaves_no_subscription() {
    let fixture = Fixture::new();
    let watched = subject(1, 3);
    fixture.source.failing.store(1, Ordering::SeqCst);
    let failed = fixture.hub.join(&watched.key, 0, loads(Ok(watched.clone()))).await;
    assert_eq!(failed.map(drop), Err(Error::ShardUnavailable));
    assert!(fixture.hub.subscriptions.all().is_empty());
    fixture.join(&watched, 0).await;
}

#[tokio::test]
async fn closing_the_hub_ends_every_watcher_and_rejects_new_ones() {
    let fixture = Fixture::new();
    let watched = subject(1, 3);
    let mut watcher = fixture.join(&watched, 0).await;
    fixture.hub.close();
    assert_eq!(watcher.next().await, Some(Err(Error::ServerStopping)));
    assert_eq!(watcher.next().await, None);
    let late = fixture.hub.join(&watched.key, 0, loads(Ok(watched.clone()))).await;
    assert_eq!(late.map(drop), Err(Error::ServerStopping));
}
