use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use riposte_conformance::stores::StepClock;
use riposte_core::event::Changes;
use riposte_core::feed::{EventComment, FeedEvent, GapReason};
use riposte_core::ports::{
    Clock, ConsumerPositions, Epoch, EventConsumer, EventForwarder, EventLog, EventRows, EventTopic, LeaseCandidate,
    Outbox, PositionMove, TopicGap,
};
use riposte_core::{CommentId, Error, Result, SubjectId, SubjectKey};
use riposte_sync::RetryWaits;
use riposte_telemetry::Metrics;
use tokio::sync::watch;
use tokio::time::timeout;

use super::{BATCHING, TopicConsumer, TopicPorts};
use crate::events::consumer::{ConsumerLoop, ConsumerPorts};
use crate::events::feed::OutboxFeed;
use crate::events::times::ConsumerTimes;
use crate::notifier::Notifier;
use crate::outbox_monitor::OutboxMonitor;
use crate::test_source::{TestSource, subject};

const MILLI: Duration = Duration::from_millis(1);
const TIMES: ConsumerTimes = ConsumerTimes {
    retry: RetryWaits { first: MILLI, longest: MILLI },
    idle: Duration::from_millis(5),
    following: MILLI,
    loss_check: MILLI,
};

/// The events that a topic was given; it is unavailable where a test wants it.
#[derive(Debug, Default)]
struct TestTopic {
    sent: Mutex<Vec<Sent>>,
    is_unavailable: AtomicBool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Sent {
    Event(i64),
    Gap(GapReason, i64),
}

impl TestTopic {
    fn push(&self, sent: impl Iterator<Item = Sent>) -> Result<()> {
        if self.is_unavailable.load(Ordering::SeqCst) {
            return Err(Error::ShardUnavailable);
        }
        self.sent.lock().expect("not poisoned").extend(sent);
        Ok(())
    }

    fn sent(&self) -> Vec<Sent> {
        self.sent.lock().expect("not poisoned").clone()
    }
}

#[async_trait]
impl EventTopic for TestTopic {
    async fn send(&self, _source: usize, events: &[Arc<FeedEvent>]) -> Result<()> {
        self.push(events.iter().map(|event| Sent::Event(event.position.number)))
    }

    async fn send_gap(&self, _source: usize, TopicGap { reason, next }: TopicGap) -> Result<()> {
        self.push([Sent::Gap(reason, next)].into_iter())
    }

    async fn check(&self) {}

    async fn stop(&self, _source: usize) {}
}

#[async_trait]
impl EventRows for TestTopic {
    async fn event_subjects(&self, ids: BTreeSet<SubjectId>) -> Result<HashMap<SubjectId, SubjectKey>> {
        Ok(ids.into_iter().map(|id| (id, SubjectKey::stored("video".to_owned(), "1".to_owned()))).collect())
    }

    async fn event_comments(&self, _ids: BTreeSet<CommentId>) -> Result<HashMap<CommentId, EventComment>> {
        Ok(HashMap::new())
    }
}

/// A source whose lease this process holds, and the topic of its events.
struct Fixture {
    source: Arc<TestSource>,
    topic: Arc<TestTopic>,
    epoch: Epoch,
    revision: i64,
}

impl Fixture {
    async fn new() -> Self {
        let source = Arc::<TestSource>::default();
        let lease = source.acquire_lease(0, LeaseCandidate::repairing([1; 16]), riposte_core::Millis(0)).await;
        let epoch = lease.expect("no failure is set").expect("the lease is granted");
        Self { source, topic: Arc::default(), epoch, revision: 0 }
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

    async fn store(&self, name: &str, to: i64) {
        let from = self.position(name).await.unwrap_or(0);
        let to = PositionMove { name, from, to };
        assert!(self.source.advance(0, self.epoch, to).await.expect("no failure is set"));
    }

    async fn position(&self, name: &str) -> Option<i64> {
        let stored = self.source.all(0).await.expect("no failure is set");
        stored.into_iter().find(|stored| stored.name == name).map(|stored| stored.number)
    }

    /// Runs the consumer of a timeline until the condition holds.
    async fn run_until(&self, timeline: u16, description: &str, condition: impl AsyncFn(&Self) -> bool) {
        let clock: Arc<dyn Clock> = StepClock::at(StepClock::START);
        let (metrics, notifier) = (Metrics::new().expect("sound"), Notifier::new(1));
        let positions = Arc::clone(&self.source) as Arc<dyn ConsumerPositions>;
        let outbox = Arc::clone(&self.source) as Arc<dyn EventLog>;
        let ports = TopicPorts {
            topic: Arc::clone(&self.topic) as _,
            rows: Arc::clone(&self.topic) as _,
            positions: Arc::clone(&positions),
            clock: Arc::clone(&clock),
            metrics: metrics.clone(),
        };
        let consumer: Arc<dyn EventForwarder> = Arc::new(TopicConsumer::new(ports, timeline));
        let monitor =
            OutboxMonitor::new(Arc::clone(&outbox), Arc::clone(&clock), metrics.clone(), notifier.clone(), 0, true);
        let feed = OutboxFeed::new(outbox, notifier.numbers(0), notifier.observations(0), BATCHING, 0);
        let ports = ConsumerPorts { positions, clock, metrics, times: TIMES };
        let epoch = watch::Sender::new(Some(self.epoch));
        let consumers = Arc::clone(&consumer) as Arc<dyn EventConsumer>;
        let consumers = ConsumerLoop::new(consumers, ports, feed.into(), 0, watch::Sender::new(()));
        let run = consumers.forwarding(Some(consumer)).run(epoch.subscribe());
        let reached = async {
            while !condition(self).await {
                tokio::time::sleep(MILLI).await;
            }
        };
        let limited = timeout(Duration::from_secs(30), async {
            tokio::select! {
                () = run => panic!("the loop ended"),
                () = monitor.run() => panic!("the monitor ended"),
                () = reached => {}
            }
        });
        assert!(limited.await.is_ok(), "{description}: {:?}", self.topic.sent());
    }

    async fn has_sent(&self, timeline: u16, expected: &[Sent]) {
        let description = format!("{expected:?}");
        self.run_until(timeline, &description, async |at| at.topic.sent() == expected).await;
    }
}

fn events(numbers: impl IntoIterator<Item = i64>) -> Vec<Sent> {
    numbers.into_iter().map(Sent::Event).collect()
}

#[tokio::test]
async fn a_new_topic_begins_at_the_head_and_goes_on_at_its_position() {
    let mut at = Fixture::new().await;
    at.commit(3);
    at.topic.is_unavailable.store(true, Ordering::SeqCst);
    at.run_until(0, "a position before the first event", async |at| at.position("topic@0").await == Some(3)).await;
    at.commit(2);
    at.topic.is_unavailable.store(false, Ordering::SeqCst);
    at.has_sent(0, &events(4..=5)).await;
    at.run_until(0, "the position", async |at| at.position("topic@0").await == Some(5)).await;
    at.commit(1);
    at.has_sent(0, &events(4..=6)).await;
}

#[tokio::test]
async fn a_topic_that_is_unavailable_gets_the_events_of_that_time_and_a_position_of_0_is_no_gap() {
    let mut at = Fixture::new().await;
    at.run_until(0, "a position in an empty outbox", async |at| at.position("topic@0").await == Some(0)).await;
    at.topic.is_unavailable.store(true, Ordering::SeqCst);
    at.commit(4);
    at.run_until(0, "attempts", async |at| at.source.reads.load(Ordering::SeqCst) > 10).await;
    assert_eq!(at.position("topic@0").await, Some(0), "no position moves before the events are stored");
    at.topic.is_unavailable.store(false, Ordering::SeqCst);
    at.has_sent(0, &events(1..=4)).await;
}

#[tokio::test]
async fn deleted_events_are_a_gap_after_which_the_first_available_one_follows() {
    let mut at = Fixture::new().await;
    at.commit(9);
    at.store("topic@0", 2).await;
    at.source.remove_through(6);
    let mut expected = vec![Sent::Gap(GapReason::Retention, 7)];
    expected.extend(events(7..=9));
    at.has_sent(0, &expected).await;
}

#[tokio::test]
async fn a_gap_that_the_topic_has_not_stored_moves_no_position() {
    let mut at = Fixture::new().await;
    at.commit(5);
    at.store("topic@0", 1).await;
    at.source.remove_through(5);
    at.topic.is_unavailable.store(true, Ordering::SeqCst);
    at.run_until(0, "attempts", async |at| at.source.reads.load(Ordering::SeqCst) > 10).await;
    assert_eq!(at.position("topic@0").await, Some(1));
    at.topic.is_unavailable.store(false, Ordering::SeqCst);
    at.has_sent(0, &[Sent::Gap(GapReason::Retention, 6)]).await;
}

#[tokio::test]
async fn restored_data_is_a_gap_and_the_position_of_the_earlier_timeline_is_removed() {
    let mut at = Fixture::new().await;
    at.commit(4);
    at.store("topic@0", 3).await;
    at.run_until(1, "the removal", async |at| at.position("topic@0").await.is_none()).await;
    assert_eq!(at.topic.sent(), [Sent::Gap(GapReason::Restored, 5)]);
    at.commit(1);
    at.has_sent(1, &[Sent::Gap(GapReason::Restored, 5), Sent::Event(5)]).await;
    // The same with a position ahead of the relay's, as after a restore without a new timeline.
    at.store("topic@1", 70).await;
    at.run_until(1, "a second gap", async |at| at.topic.sent().last() == Some(&Sent::Gap(GapReason::Restored, 6)))
        .await;
    at.run_until(1, "the position", async |at| at.position("topic@1").await == Some(5)).await;
}
