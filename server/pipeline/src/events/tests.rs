use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use riposte_core::ports::{Batching, Epoch, EventConsumer, LeaseCandidate, Outbox, Position, RANK_INDEX};
use riposte_sync::{AdaptiveInterval, PollBounds, RetryWaits};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::consumer::{ConsumerLoop, ConsumerPorts};
use super::feed::{EventFeed, OutboxFeed};
use super::tail::EventTail;
use super::times::ConsumerTimes;
use crate::notifier::Notifier;
use crate::outbox_monitor::OutboxMonitor;
use crate::test_consumer::TestConsumer;
use crate::test_source::TestSource;
use riposte_conformance::stores::StepClock;
use riposte_telemetry::Metrics;

const DURABLE: &str = "history";

const MILLI: Duration = Duration::from_millis(1);
/// A time in which no test ends.
const HOUR: Duration = Duration::from_secs(3_600);

/// The times of most tests: short, but for the wait for a followed consumer.
const TIMES: ConsumerTimes = ConsumerTimes {
    retry: RetryWaits { first: MILLI, longest: MILLI },
    idle: Duration::from_millis(5),
    following: HOUR,
    loss_check: Duration::from_millis(5),
};

/// A source whose lease this process holds, and the loops over it.
struct Fixture {
    source: Arc<TestSource>,
    metrics: Metrics,
    notifier: Notifier,
    epoch: watch::Sender<Option<Epoch>>,
    times: ConsumerTimes,
}

impl Fixture {
    /// A source that is polled all the time.
    async fn new() -> Self {
        let polls = PollBounds { floor: MILLI, ceiling: 5 * MILLI, quiet_after: HOUR };
        Self::with(TestSource::default(), AdaptiveInterval::new(polls)).await
    }

    /// A source whose first poll is the last one for an hour, unless something happens.
    async fn seldom_polled(source: TestSource) -> Self {
        let mut interval =
            AdaptiveInterval::new(PollBounds { floor: MILLI, ceiling: HOUR, quiet_after: Duration::ZERO });
        (0..60).for_each(|_| interval.record(false));
        Self::with(source, interval).await
    }

    async fn with(source: TestSource, polls: AdaptiveInterval) -> Self {
        let source = Arc::new(source);
        let now = riposte_core::Millis(0);
        let epoch =
            source.acquire_lease(0, LeaseCandidate::repairing([1; 16]), now).await.expect("the lease is granted");
        let (metrics, notifier) = (Metrics::new().expect("sound"), Notifier::new(1));
        let (outbox, clock) = (Arc::clone(&source) as _, StepClock::at(StepClock::START));
        let mut monitor = OutboxMonitor::new(outbox, clock, metrics.clone(), notifier.clone(), 0, true);
        monitor.interval = polls;
        tokio::spawn(monitor.run());
        Self { source, metrics, notifier, epoch: watch::Sender::new(epoch), times: TIMES }
    }

    fn ports(&self) -> ConsumerPorts {
        ConsumerPorts {
            positions: Arc::clone(&self.source) as _,
            clock: StepClock::at(StepClock::START),
            metrics: self.metrics.clone(),
            times: self.times,
        }
    }

    /// Runs a consumer of the leader.
    fn start_leader(&self, consumer: &Arc<TestConsumer>) -> JoinHandle<()> {
        let (outbox, batching) = (Arc::clone(&self.source) as _, Batching { commits: 50, interval: MILLI });
        let feed = OutboxFeed::new(outbox, self.notifier.numbers(0), self.notifier.observations(0), batching, 0);
        tokio::spawn(self.consumer_loop(consumer, feed.into()).run(self.epoch.subscribe()))
    }

    /// Runs consumers of every process over one tail.
    fn follow(&self, consumers: &[&Arc<TestConsumer>]) -> Vec<JoinHandle<()>> {
        let tail = EventTail::new(Arc::clone(&self.source) as _, 0);
        let run = |consumer: &&Arc<TestConsumer>| {
            tokio::spawn(self.consumer_loop(consumer, EventFeed::of_tail(&tail)).run_always())
        };
        let mut tasks: Vec<_> = consumers.iter().map(run).collect();
        tasks.push(tokio::spawn(tail.run(self.notifier.numbers(0), self.notifier.observations(0))));
        tasks
    }

    fn consumer_loop(&self, consumer: &Arc<TestConsumer>, feed: EventFeed) -> ConsumerLoop {
        let consumer = Arc::clone(consumer) as Arc<dyn EventConsumer>;
        ConsumerLoop::new(consumer, self.ports(), feed, 0, watch::Sender::new(()))
    }

    /// Waits for some more polls of the source. They find all that was committed before.
    async fn until_polled(&self) {
        let polls = || self.source.polls.load(Ordering::SeqCst);
        let before = polls();
        until("more polls", || polls() >= before + 10).await;
    }

    fn has_metric(&self, line: &str) -> bool {
        self.metrics.text().expect("sound").lines().any(|metric| metric == line)
    }
}

/// Waits for a condition.
async fn until(description: &str, mut condition: impl FnMut() -> bool) {
    let done = async {
        while !condition() {
            sleep(MILLI).await;
        }
    };
    assert!(timeout(Duration::from_secs(60), done).await.is_ok(), "timeout: {description}");
}

#[tokio::test]
async fn an_event_that_cannot_be_applied_is_reported_and_all_earlier_events_are_applied() {
    let fixture = Fixture::new().await;
    let consumer = Arc::new(TestConsumer::durable(DURABLE));
    fixture.source.add_events(100);
    fixture.source.set_position(DURABLE, 10);
    consumer.poison(37, true);
    let _task = fixture.start_leader(&consumer);
    let stuck = "riposte_consumer_stuck{consumer=\"member_history\",source=\"1\"} 1";
    until("the alarm", || fixture.has_metric(stuck)).await;
    assert!(consumer.applied().into_iter().eq(11..=36), "{:?}", consumer.applied());
    assert_eq!(fixture.source.position(DURABLE), Some(36), "nothing is skipped");
    // The event is delivered again until it can be applied.
    let failed = consumer.failed_batches();
    until("more attempts", || consumer.failed_batches() > failed + 3).await;
    assert_eq!(fixture.source.position(DURABLE), Some(36));
    consumer.poison(37, false);
    until("all is applied", || fixture.source.position(DURABLE) == Some(100)).await;
    assert!(consumer.applied().into_iter().eq(11..=100), "each event once, in order");
    assert!(!fixture.has_metric(stuck));
}

#[tokio::test]
async fn a_consumer_that_applies_all_events_is_reported_as_not_stuck() {
    let fixture = Fixture::new().await;
    let consumer = Arc::new(TestConsumer::durable(DURABLE));
    fixture.source.add_events(3);
    fixture.source.set_position(DURABLE, 0);
    let _task = fixture.start_leader(&consumer);
    until("all is applied", || fixture.source.position(DURABLE) == Some(3)).await;
    assert!(fixture.has_metric("riposte_consumer_stuck{consumer=\"member_history\",source=\"1\"} 0"));
}

#[tokio::test]
async fn a_panic_of_a_consumer_is_an_error_that_names_its_event() {
    let fixture = Fixture::new().await;
    let consumer = Arc::new(TestConsumer::durable(DURABLE));
    fixture.source.add_events(30);
    fixture.source.set_position(DURABLE, 9);
    consumer.panic_at(20, true);
    let _task = fixture.start_leader(&consumer);
    let stuck = "riposte_consumer_stuck{consumer=\"member_history\",source=\"1\"} 1";
    until("it is named", || fixture.has_metric(stuck)).await;
    assert!(consumer.applied().into_iter().eq(10..=19), "{:?}", consumer.applied());
    consumer.panic_at(20, false);
    until("all is applied", || fixture.source.position(DURABLE) == Some(30)).await;
    assert!(!fixture.has_metric(stuck));
}

#[tokio::test]
async fn no_event_is_named_while_the_data_source_is_unavailable() {
    let fixture = Fixture::new().await;
    let consumer = Arc::new(TestConsumer::durable(DURABLE));
    fixture.source.add_events(10);
    fixture.source.set_position(DURABLE, 9);
    consumer.set_unavailable(true);
    let _task = fixture.start_leader(&consumer);
    until("many attempts", || consumer.failed_batches() > 10).await;
    let stuck = "riposte_consumer_stuck{consumer=\"member_history\",source=\"1\"} 1";
    assert!(!fixture.has_metric(stuck), "the event is not the cause");
    consumer.set_unavailable(false);
    until("it is applied", || fixture.source.position(DURABLE) == Some(10)).await;
    assert_eq!(consumer.applied(), [10]);
}

#[tokio::test]
async fn an_event_that_is_missing_between_others_is_a_gap() {
    let fixture = Fixture::new().await;
    let consumer = Arc::new(TestConsumer::durable(DURABLE));
    fixture.source.add_events(30);
    fixture.source.drop_event(20);
    fixture.source.set_position(DURABLE, 10);
    let _task = fixture.start_leader(&consumer);
    until("it is at the head", || fixture.source.position(DURABLE) == Some(30)).await;
    assert!(consumer.applied().into_iter().eq(11..=19), "{:?}", consumer.applied());
    assert_eq!(consumer.gaps(), 1, "the rest is rebuilt from the rows");
}

#[tokio::test]
async fn a_consumer_of_a_process_that_was_slow_catches_up_without_waiting_for_the_tail() {
    let times = ConsumerTimes { idle: HOUR, ..TIMES };
    let fixture = Fixture { times, ..Fixture::new().await };
    let consumer = Arc::new(TestConsumer::of_process("one"));
    fixture.source.add_events(1);
    let _tasks = fixture.follow(&[&consumer]);
    until("it has begun", || consumer.gaps() == 1).await;
    // The tail reads each of these events as a batch of its own.
    consumer.set_unavailable(true);
    for number in 2..=5 {
        fixture.source.add_events(1);
        let read = fixture.source.reads.load(Ordering::SeqCst);
        until("it is read", || fixture.source.reads.load(Ordering::SeqCst) > read).await;
        assert_eq!(consumer.applied(), Vec::<i64>::new(), "{number}");
    }
    consumer.set_unavailable(false);
    until("all", || consumer.applied() == [2, 3, 4, 5]).await;
}

#[tokio::test]
async fn a_consumer_that_is_stuck_delays_no_other() {
    let fixture = Fixture::new().await;
    let consumers = [DURABLE, RANK_INDEX].map(|name| Arc::new(TestConsumer::durable(name)));
    fixture.source.add_events(20);
    consumers.iter().for_each(|consumer| fixture.source.set_position(consumer.name, 1));
    consumers[0].poison(2, true);
    let _tasks = consumers.each_ref().map(|consumer| fixture.start_leader(consumer));
    until("the other one has applied all", || fixture.source.position(RANK_INDEX) == Some(20)).await;
    assert_eq!(fixture.source.position(DURABLE), Some(1));
}

#[tokio::test]
async fn a_durable_consumer_without_a_position_is_rebuilt_and_never_starts_at_zero() {
    // A position of 0 is that of a rebuild that another leader did not finish.
    for stored in [None, Some(0)] {
        let fixture = Fixture::new().await;
        let consumer = Arc::new(TestConsumer::durable(DURABLE));
        fixture.source.add_events(30);
        stored.into_iter().for_each(|number| fixture.source.set_position(DURABLE, number));
        let _task = fixture.start_leader(&consumer);
        until("it is rebuilt", || fixture.source.position(DURABLE) == Some(30)).await;
        assert_eq!((consumer.gaps(), consumer.applied()), (1, Vec::new()), "{stored:?}");
        assert!(fixture.source.is_registered(DURABLE));
        fixture.source.add_events(1);
        until("later events are applied", || consumer.applied() == [31]).await;
    }
}

#[tokio::test]
async fn a_consumer_whose_position_is_ahead_of_the_relay_is_rebuilt() {
    let fixture = Fixture::new().await;
    let consumer = Arc::new(TestConsumer::durable(DURABLE));
    fixture.source.add_events(30);
    fixture.source.set_position(DURABLE, 1_030);
    let task = fixture.start_leader(&consumer);
    until("it is at the head", || fixture.source.position(DURABLE) == Some(30)).await;
    assert_eq!((consumer.gaps(), consumer.applied()), (1, Vec::new()));
    fixture.source.add_events(1);
    until("later events are applied", || consumer.applied() == [31]).await;

    // While the consumer runs, the next event or the next check finds it.
    fixture.source.set_position(DURABLE, 2_000);
    fixture.source.add_events(1);
    until("it is at the head again", || fixture.source.position(DURABLE) == Some(32)).await;
    assert_eq!(consumer.gaps(), 2);

    // Without an event, an observation of the lowered head leads to the check.
    fixture.source.set_head(20);
    until("it is at the lowered head", || fixture.source.position(DURABLE) == Some(20)).await;
    assert_eq!(consumer.gaps(), 3);
    task.abort();
}

#[tokio::test]
async fn a_consumer_that_cannot_take_the_rows_is_reported_as_stuck_until_it_can() {
    const STUCK: &str = "riposte_consumer_stuck{consumer=\"member_history\",source=\"1\"}";
    let fixture = Fixture::new().await;
    let consumer = Arc::new(TestConsumer::durable(DURABLE));
    consumer.fail_gaps(true);
    fixture.source.add_events(3);
    let _task = fixture.start_leader(&consumer);
    until("it is reported", || fixture.has_metric(&format!("{STUCK} 1"))).await;
    assert_eq!(fixture.source.position(DURABLE), Some(0), "events are kept for it");
    consumer.fail_gaps(false);
    until("it is rebuilt", || fixture.source.position(DURABLE) == Some(3)).await;
    assert!(fixture.has_metric(&format!("{STUCK} 0")));
}

#[tokio::test]
async fn a_consumer_whose_events_were_deleted_is_rebuilt() {
    let fixture = Fixture::new().await;
    let consumer = Arc::new(TestConsumer::durable(DURABLE));
    fixture.source.add_events(30);
    fixture.source.remove_through(20);
    fixture.source.set_position(DURABLE, 10);
    let _task = fixture.start_leader(&consumer);
    until("it is at the head", || fixture.source.position(DURABLE) == Some(30)).await;
    assert_eq!((consumer.gaps(), consumer.applied()), (1, Vec::new()));

    // The gap is found even if no event is left that could reveal it.
    let fixture = Fixture::new().await;
    let consumer = Arc::new(TestConsumer::durable(DURABLE));
    fixture.source.add_events(30);
    fixture.source.set_position(DURABLE, 30);
    let task = fixture.start_leader(&consumer);
    fixture.source.add_events(5);
    until("it follows", || fixture.source.position(DURABLE) == Some(35)).await;
    task.abort();
    fixture.source.set_position(DURABLE, 32);
    fixture.source.remove_through(35);
    let _task = fixture.start_leader(&consumer);
    until("it is at the head", || fixture.source.position(DURABLE) == Some(35)).await;
    assert_eq!(consumer.gaps(), 1);
}

#[tokio::test]
async fn a_consumer_waits_for_the_one_that_it_follows_and_not_forever() {
    let follower =
        || TestConsumer { after: Some(RANK_INDEX), start: Position::Own(0), ..TestConsumer::durable("repair") };
    let fixture = Fixture::new().await;
    let waiting = Arc::new(follower());
    fixture.source.add_events(10);
    let _task = fixture.start_leader(&waiting);
    for position in [4, 6] {
        fixture.source.set_position(RANK_INDEX, position);
        until("what the followed consumer has applied", || waiting.applied().into_iter().eq(1..=position)).await;
        let calls = waiting.idle_calls();
        until("it is idle", || waiting.idle_calls() >= calls + 3).await;
        assert!(waiting.applied().into_iter().eq(1..=position), "the rest waits: {:?}", waiting.applied());
    }

    // The followed consumer makes no more progress.
    let impatient = Arc::new(follower());
    let times = ConsumerTimes { following: MILLI, ..TIMES };
    let fixture = Fixture { times, ..fixture };
    let _task = fixture.start_leader(&impatient);
    until("all of them", || impatient.applied().into_iter().eq(1..=10)).await;
}

#[tokio::test]
async fn a_consumer_stops_when_the_lease_is_lost_and_reads_its_position_again() {
    let fixture = Fixture::new().await;
    let consumer = Arc::new(TestConsumer::durable(DURABLE));
    fixture.source.add_events(5);
    fixture.source.set_position(DURABLE, 1);
    let _task = fixture.start_leader(&consumer);
    until("it follows", || fixture.source.position(DURABLE) == Some(5)).await;
    fixture.epoch.send_replace(None);
    until("the consumer is notified", || consumer.lost_leases() == 1).await;
    // Another leader applies some events.
    fixture.source.add_events(5);
    fixture.source.set_position(DURABLE, 8);
    fixture.until_polled().await;
    assert_eq!(consumer.applied(), [2, 3, 4, 5]);
    fixture.epoch.send_replace(Some(Epoch(1)));
    until("it follows again", || fixture.source.position(DURABLE) == Some(10)).await;
    assert_eq!(consumer.applied(), [2, 3, 4, 5, 9, 10]);
}

#[tokio::test]
async fn consumers_of_a_process_share_one_reader_that_begins_at_the_head() {
    let fixture = Fixture::new().await;
    let consumers = ["one", "two", "three"].map(|name| Arc::new(TestConsumer::of_process(name)));
    fixture.source.add_events(7);
    let _tasks = fixture.follow(&consumers.each_ref());
    until("all have begun", || consumers.iter().all(|consumer| consumer.gaps() == 1)).await;
    consumers[0].poison(9, true);
    fixture.source.add_events(3);
    until("two have applied them", || consumers[1..].iter().all(|consumer| consumer.applied() == [8, 9, 10])).await;
    until("everything before the event that fails", || consumers[0].applied() == [8]).await;
    consumers[0].poison(9, false);
    until("the third continues where it was", || consumers[0].applied() == [8, 9, 10]).await;
    assert!(consumers.iter().all(|consumer| consumer.gaps() == 1));
}

#[tokio::test]
async fn consumers_of_a_process_notice_that_the_numbers_went_back() {
    let fixture = Fixture::new().await;
    let consumers = ["one", "two"].map(|name| Arc::new(TestConsumer::of_process(name)));
    let _tasks = fixture.follow(&consumers.each_ref());
    until("both have begun", || consumers.iter().all(|consumer| consumer.gaps() == 1)).await;
    fixture.source.add_events(10);
    until("both are at the head", || consumers.iter().all(|consumer| consumer.applied().len() == 10)).await;
    // So does a consumer that could not apply the last events.
    consumers[1].poison(11, true);
    fixture.source.add_events(1);
    until("one has applied the next", || consumers[0].applied().len() == 11).await;
    fixture.source.restore(7);
    consumers[1].poison(11, false);
    until("both have read the rows", || consumers.iter().all(|consumer| consumer.gaps() >= 2)).await;
    fixture.source.add_events(2);
    let is_after = |consumer: &Arc<TestConsumer>| consumer.applied().ends_with(&[8, 9]);
    until("the events after the restore", || consumers.iter().all(is_after)).await;
    assert!(consumers.iter().all(|consumer| consumer.gaps() == 2), "the rows are read once");
}

#[tokio::test]
async fn a_head_that_is_lowered_while_the_events_are_there_resets_no_consumer_of_a_process() {
    let fixture = Fixture::new().await;
    let consumer = Arc::new(TestConsumer::of_process("one"));
    let _tasks = fixture.follow(&[&consumer]);
    until("it has begun", || consumer.gaps() == 1).await;
    fixture.source.add_events(10);
    until("it is at the head", || consumer.applied().len() == 10).await;
    fixture.source.set_head(4);
    fixture.until_polled().await;
    fixture.source.add_events(1);
    until("it continues", || consumer.applied().len() == 11).await;
    assert_eq!((consumer.applied().last(), consumer.gaps()), (Some(&11), 1));
}

#[tokio::test]
async fn a_quiet_source_is_read_only_when_it_has_events() {
    let fixture = Fixture::new().await;
    let (consumer, durable) = (Arc::new(TestConsumer::of_process("one")), Arc::new(TestConsumer::durable(DURABLE)));
    fixture.source.add_events(1);
    fixture.source.set_position(DURABLE, 1);
    let _tasks = fixture.follow(&[&consumer]);
    let _task = fixture.start_leader(&durable);
    // The first read of a loop may precede the first observation.
    until("both are idle", || [&consumer, &durable].iter().all(|consumer| consumer.idle_calls() >= 3)).await;
    let reads = || fixture.source.reads.load(Ordering::SeqCst);
    let before = reads();
    fixture.until_polled().await;
    assert_eq!(reads(), before, "a poll finds no event");
    fixture.source.add_events(1);
    until("an event of another process", || consumer.applied() == [2] && durable.applied() == [2]).await;
}

#[tokio::test]
async fn a_commit_of_this_process_is_found_before_the_next_poll_is_due() {
    let fixture = Fixture::seldom_polled(TestSource::default()).await;
    let consumer = Arc::new(TestConsumer::of_process("one"));
    let _tasks = fixture.follow(&[&consumer]);
    until("it has begun", || consumer.gaps() == 1).await;
    fixture.source.add_events(1);
    fixture.notifier.committed(0);
    until("it arrives", || consumer.applied() == [1]).await;
}

#[tokio::test]
async fn a_poll_that_finds_events_is_followed_by_others_soon() {
    let source = TestSource::default();
    source.add_events(1);
    let fixture = Fixture::seldom_polled(source).await;
    let consumer = Arc::new(TestConsumer::of_process("one"));
    let _tasks = fixture.follow(&[&consumer]);
    until("it has begun", || consumer.gaps() == 1).await;
    fixture.source.add_events(1);
    until("an event of another process", || consumer.applied() == [2]).await;
}
