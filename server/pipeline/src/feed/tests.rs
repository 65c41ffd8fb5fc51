use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use riposte_conformance::stores::StepClock;
use riposte_core::event::{Changes, Event, SequencedEvent};
use riposte_core::feed::{EventComment, EventFilter, EventPosition, EventScope, FeedPosition, GapReason};
use riposte_core::ports::{
    EventConsumer, EventLog, EventRows, EventSubscription, EventSubscriptions, FeedItem, OutboxState,
};
use riposte_core::{CommentId, Error, Millis, ObjectType, Partition, Result, SubjectId, SubjectKey};
use tokio::time::timeout;

use super::past::{PastEvents, PastRead};
use super::{FeedHub, FeedPorts};
use crate::notifier::Notifier;
use crate::test_source::{TestSource, subject};

/// The rows of subjects whose object id is the number of their partition.
#[derive(Debug, Default)]
struct TestRows {
    reads: AtomicUsize,
}

#[async_trait]
impl EventRows for TestRows {
    async fn event_subjects(&self, ids: BTreeSet<SubjectId>) -> Result<HashMap<SubjectId, SubjectKey>> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        let key = |id: SubjectId| {
            let partition = CommentId::from(id).partition();
            (id, SubjectKey::stored("video".to_owned(), partition.get().to_string()))
        };
        Ok(ids.into_iter().map(key).collect())
    }

    async fn event_comments(&self, _ids: BTreeSet<CommentId>) -> Result<HashMap<CommentId, EventComment>> {
        Ok(HashMap::new())
    }
}

/// A feed over one source whose events it has received up to a sequence number.
struct Fixture {
    source: Arc<TestSource>,
    rows: Arc<TestRows>,
    hub: FeedHub,
    position: i64,
    revision: i64,
}

impl Fixture {
    async fn new() -> Self {
        Self::with(0, Duration::from_secs(1 << 40)).await
    }

    async fn with(timeline: u16, retention: Duration) -> Self {
        let fixture = Self::over(Arc::new(TestSource::default()), timeline, retention);
        fixture.hub.gap(0).await.expect("no failure is set");
        fixture
    }

    fn over(source: Arc<TestSource>, timeline: u16, retention: Duration) -> Self {
        let rows = Arc::<TestRows>::default();
        let hub = FeedHub::new(FeedPorts {
            outbox: Arc::clone(&source) as _,
            rows: Arc::clone(&rows) as _,
            notifier: Notifier::new(1),
            clock: StepClock::at(StepClock::START),
            timeline,
            retention,
        });
        Self { source, rows, hub, position: 0, revision: 0 }
    }

    async fn open(&self, from: Option<FeedPosition>) -> Box<dyn EventSubscription> {
        self.hub.open(filter("video"), from).await.expect("it can be opened")
    }

    /// Commits changes of a subject, each with a sequence number of its own.
    fn commit(&mut self, count: usize) {
        for _ in 0..count {
            self.revision += 1;
            let changes = Changes { subject: true, ..Changes::default() };
            self.source.commit_changes(&subject(1, 0), self.revision, changes);
        }
        self.source.sequence_all();
    }

    /// Runs the tail once.
    async fn run_tail(&mut self) {
        let events = self.source.read(0, self.position, usize::MAX).await.expect("no failure is set");
        self.position = events.last().map_or(self.position, |last| last.number);
        self.hub.apply(0, &events).await.expect("no failure is set");
    }

    fn reads(&self) -> usize {
        self.source.reads.load(Ordering::SeqCst)
    }
}

fn filter(object_type: &str) -> EventFilter {
    let object_types = [ObjectType::stored(object_type.to_owned())].into();
    EventFilter { object_types, kinds: [].into(), scope: EventScope::Public }
}

/// Returns the position after the event with this sequence number.
fn after(number: i64) -> Option<FeedPosition> {
    Some(FeedPosition { timeline: 0, sources: vec![EventPosition::after(number)] })
}

/// Returns the numbers of the events that a subscription returns without waiting, or its error, and
/// the gaps among them.
async fn known(subscription: &mut Box<dyn EventSubscription>) -> (Vec<i64>, Vec<GapReason>, Option<Error>) {
    let (mut numbers, mut gaps) = (Vec::new(), Vec::new());
    loop {
        match subscription.next_known().await {
            Ok(Some(FeedItem::Event(event))) => numbers.push(event.position.number),
            Ok(Some(FeedItem::Gap(reason))) => gaps.push(reason),
            Ok(Some(FeedItem::Progress(_)) | None) => return (numbers, gaps, None),
            Err(error) => return (numbers, gaps, Some(error)),
        }
    }
}

#[tokio::test]
async fn a_subscriber_that_keeps_up_costs_no_read_and_others_share_its_rows() {
    let mut fixture = Fixture::new().await;
    let mut subscriptions = Vec::new();
    for _ in 0..10 {
        subscriptions.push(fixture.open(None).await);
    }
    fixture.commit(3);
    fixture.run_tail().await;
    let reads = fixture.reads();
    for subscription in &mut subscriptions {
        assert_eq!(known(subscription).await, (vec![1, 2, 3], vec![], None));
    }
    assert_eq!((fixture.reads(), fixture.rows.reads.load(Ordering::SeqCst)), (reads, 1));
}

#[tokio::test]
async fn without_a_subscriber_no_row_is_read() {
    let mut fixture = Fixture::new().await;
    fixture.commit(3);
    fixture.run_tail().await;
    assert_eq!(fixture.rows.reads.load(Ordering::SeqCst), 0);
    let mut late = fixture.open(None).await;
    assert_eq!(known(&mut late).await, (vec![], vec![], None), "it begins with the next event");
    fixture.commit(1);
    fixture.run_tail().await;
    assert_eq!(known(&mut late).await, (vec![4], vec![], None));
}

#[tokio::test]
async fn a_token_continues_after_its_event_whichever_process_has_it() {
    let mut fixture = Fixture::new().await;
    fixture.commit(250);
    fixture.run_tail().await;
    let mut subscription = fixture.open(after(3)).await;
    let (numbers, gaps, error) = known(&mut subscription).await;
    assert!(numbers.into_iter().eq(4..=250) && gaps.is_empty() && error.is_none());
    let position = subscription.position().clone();
    fixture.commit(2);
    fixture.run_tail().await;
    assert_eq!(known(&mut subscription).await.0, [251, 252]);
    let mut restarted = Fixture::over(Arc::clone(&fixture.source), 0, Duration::from_secs(1 << 40));
    restarted.hub.gap(0).await.expect("no failure is set");
    let mut resumed = restarted.open(Some(position)).await;
    assert_eq!(known(&mut resumed).await, (vec![251, 252], vec![], None));
    (restarted.position, restarted.revision) = (252, 252);
    restarted.commit(1);
    restarted.run_tail().await;
    assert_eq!(known(&mut resumed).await.0, [253]);
}

#[tokio::test]
async fn a_filter_passes_over_other_events() {
    let mut fixture = Fixture::new().await;
    let mut other = fixture.hub.open(filter("post"), after(0)).await.expect("it can be opened");
    fixture.commit(5);
    fixture.run_tail().await;
    assert_eq!(known(&mut other).await, (vec![], vec![], None));
    assert_eq!(other.position().sources, [EventPosition::after(5)], "its token is after them");
}

#[tokio::test]
async fn deleted_events_are_reported_as_a_gap_and_the_rest_follows() {
    let mut fixture = Fixture::new().await;
    fixture.commit(9);
    fixture.run_tail().await;
    fixture.source.remove_through(5);
    let mut behind = fixture.open(after(2)).await;
    assert_eq!(known(&mut behind).await, (vec![6, 7, 8, 9], vec![GapReason::Retention], None));
    let mut complete = fixture.open(after(5)).await;
    assert_eq!(known(&mut complete).await, (vec![6, 7, 8, 9], vec![], None), "nothing is missing");
    fixture.source.remove_through(9);
    let mut all_gone = fixture.open(after(5)).await;
    assert_eq!(known(&mut all_gone).await, (vec![], vec![GapReason::Retention], None));
}

#[tokio::test]
async fn events_older_than_the_retention_are_a_gap_even_if_their_rows_remain() {
    let mut fixture = Fixture::with(0, Duration::from_secs(60)).await;
    fixture.commit(4);
    fixture.run_tail().await;
    let mut behind = fixture.open(after(1)).await;
    assert_eq!(known(&mut behind).await, (vec![], vec![GapReason::Retention], None));
}

#[tokio::test]
async fn restored_data_are_reported_as_a_gap_and_the_feed_continues_at_the_head() {
    let mut fixture = Fixture::with(1, Duration::from_secs(1 << 40)).await;
    fixture.commit(4);
    fixture.run_tail().await;
    let mut of_other_timeline = fixture.open(after(2)).await;
    assert_eq!(known(&mut of_other_timeline).await, (vec![], vec![GapReason::Restored], None));
    let beyond = FeedPosition { timeline: 1, sources: vec![EventPosition::after(7)] };
    let mut beyond = fixture.open(Some(beyond)).await;
    assert_eq!(known(&mut beyond).await, (vec![], vec![GapReason::Restored], None));
    fixture.commit(1);
    fixture.run_tail().await;
    assert_eq!(known(&mut of_other_timeline).await.0, [5]);
    assert_eq!(known(&mut beyond).await.0, [5]);
}

#[tokio::test]
async fn a_process_whose_tail_is_behind_a_token_waits_for_its_events() {
    let mut fixture = Fixture::new().await;
    fixture.commit(4);
    let mut ahead = fixture.open(after(4)).await;
    assert_eq!(known(&mut ahead).await, (vec![], vec![], None), "no gap");
    fixture.run_tail().await;
    fixture.commit(1);
    fixture.run_tail().await;
    assert_eq!(known(&mut ahead).await.0, [5]);
}

#[tokio::test]
async fn a_subscriber_that_falls_out_of_the_ring_is_ended() {
    let mut fixture = Fixture::new().await;
    let mut slow = fixture.open(None).await;
    assert_eq!(known(&mut slow).await, (vec![], vec![], None));
    // Each event takes more than 128 bytes of the ring's MiB.
    for _ in 0..3 {
        fixture.commit(8_192);
        fixture.run_tail().await;
    }
    let (numbers, gaps, error) = known(&mut slow).await;
    assert_eq!((numbers.len(), gaps, error), (0, vec![], Some(Error::WatchTooSlow)));
    let mut resumed = fixture.open(Some(slow.position().clone())).await;
    assert_eq!(known(&mut resumed).await.0.len(), 3 * 8_192, "its token continues from the outbox");
}

#[tokio::test]
async fn an_unavailable_outbox_delays_the_events_and_ends_nothing() {
    let mut fixture = Fixture::new().await;
    fixture.commit(2);
    fixture.run_tail().await;
    let mut behind = fixture.open(after(0)).await;
    fixture.source.failing.store(1, Ordering::SeqCst);
    assert_eq!(known(&mut behind).await, (vec![], vec![], None));
    let next = timeout(Duration::from_secs(30), behind.next()).await.expect("the read is repeated");
    assert!(matches!(next, Ok(FeedItem::Event(event)) if event.position.number == 1));
}

#[tokio::test]
async fn a_stopping_process_ends_its_subscriptions() {
    let fixture = Fixture::new().await;
    let mut subscription = fixture.open(None).await;
    fixture.hub.close();
    assert_eq!(subscription.next().await, Err(Error::ServerStopping));
    assert!(matches!(fixture.hub.open(filter("video"), None).await, Err(Error::ServerStopping)));
}

/// An outbox whose commits get their numbers after each read.
#[derive(Debug, Default)]
struct NumberedAfterReads(TestSource);

#[async_trait]
impl EventLog for NumberedAfterReads {
    fn sources(&self) -> usize {
        self.0.sources()
    }

    async fn read(&self, source: usize, after: i64, limit: usize) -> Result<Vec<SequencedEvent>> {
        let found = self.0.read(source, after, limit).await;
        self.0.sequence_all();
        found
    }

    async fn head(&self, source: usize) -> Result<i64> {
        self.0.head(source).await
    }

    async fn state(&self, source: usize) -> Result<OutboxState> {
        self.0.state(source).await
    }

    async fn of_subject(&self, at: Partition, id: SubjectId, after: i64, limit: usize) -> Result<Vec<Event>> {
        self.0.of_subject(at, id, after, limit).await
    }
}

#[tokio::test]
async fn commits_that_are_numbered_between_two_reads_are_no_gap() {
    let outbox = NumberedAfterReads::default();
    outbox.0.commit_changes(&subject(1, 0), 1, Changes { subject: true, ..Changes::default() });
    let past = PastEvents { outbox: &outbox, rows: &TestRows::default(), oldest: Millis(i64::MIN) };
    let read = past.read(0, EventPosition::after(0), &filter("video")).await.expect("no failure is set");
    let PastRead::Events(events, end) = read else { panic!("{read:?}") };
    assert_eq!((events.len(), end), (1, EventPosition::after(1)));
}

#[tokio::test]
async fn open_subscriptions_receive_a_gap_when_the_numbers_went_back() {
    let mut fixture = Fixture::new().await;
    let mut subscription = fixture.open(None).await;
    fixture.commit(10);
    fixture.run_tail().await;
    assert_eq!(known(&mut subscription).await.0.len(), 10);
    fixture.source.restore(6);
    fixture.hub.gap(0).await.expect("no failure is set");
    assert_eq!(known(&mut subscription).await, (vec![], vec![GapReason::Restored], None));
    // Another one: the subscription reads only after the numbers have passed its position again.
    fixture.position = 6;
    fixture.commit(3);
    fixture.run_tail().await;
    assert_eq!(known(&mut subscription).await.0, [7, 8, 9]);
    fixture.source.restore(5);
    fixture.hub.gap(0).await.expect("no failure is set");
    fixture.position = 5;
    fixture.commit(6);
    fixture.run_tail().await;
    let (numbers, gaps, error) = known(&mut subscription).await;
    assert_eq!((gaps, error), (vec![GapReason::Restored], None), "{numbers:?}");
    fixture.commit(1);
    fixture.run_tail().await;
    assert_eq!(known(&mut subscription).await.0, [12]);
}
