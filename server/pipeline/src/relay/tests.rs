use riposte_telemetry::Metrics;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::FutureExt;
use riposte_core::ports::EventLog;
use tokio::sync::watch;
use tokio::time::sleep;

use super::{EpochSender, RelayPorts, run};
use crate::notifier::Notifier;
use crate::outbox_monitor::OutboxMonitor;
use crate::test_consumer::TestConsumer;
use crate::test_source::{TestSource, subject};
use riposte_conformance::stores::StepClock;

/// A running relay with one durable consumer, which has applied the first event.
struct Fixture {
    source: Arc<TestSource>,
    consumer: Arc<TestConsumer>,
    task: tokio::task::JoinHandle<()>,
    stop: watch::Sender<bool>,
    metrics: Metrics,
}

fn start() -> Fixture {
    let (source, metrics) = (Arc::new(TestSource::default()), Metrics::new().expect("sound"));
    let consumer = Arc::new(TestConsumer::durable("history"));
    source.add_events(1);
    source.set_position("history", 1);
    let ports = RelayPorts {
        outbox: Arc::clone(&source) as _,
        positions: Arc::clone(&source) as _,
        consumers: [Arc::clone(&consumer) as _].into(),
        forwarder: None,
        rankings: source.rankings(),
        clock: StepClock::at(StepClock::START),
        metrics: metrics.clone(),
        repairs_shared_cache: false,
        retention: Duration::from_secs(72 * 60 * 60),
    };
    let (stop, notifier) = (watch::Sender::new(false), Notifier::new(1));
    let (outbox, clock) = (Arc::clone(&source) as _, StepClock::at(StepClock::START));
    tokio::spawn(OutboxMonitor::new(outbox, clock, metrics.clone(), notifier.clone(), 0, true).run());
    let task = tokio::spawn(run(ports, notifier, (0, EpochSender::new(None)), stop.subscribe()));
    Fixture { source, consumer, task, stop, metrics }
}

/// Waits for a condition.
async fn until(description: &str, mut is_met: impl FnMut() -> bool) {
    let done = async {
        while !is_met() {
            sleep(Duration::from_millis(1)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(60), done).await.is_ok(), "timeout: {description}");
}

impl Fixture {
    /// Waits until exactly these events were applied, some of them perhaps more than once.
    async fn until_applied(&self, expected: &[i64]) {
        until(&format!("{expected:?} applied"), || {
            let mut applied = self.consumer.applied();
            applied.sort_unstable();
            applied.dedup();
            applied == expected
        })
        .await;
    }
}

#[tokio::test]
async fn committed_events_are_sequenced_and_applied_once_and_the_lease_is_released_at_the_end() {
    let fixture = start();
    let watched = subject(1, 0);
    for revision in 2..=4 {
        fixture.source.commit(&watched, revision);
    }
    fixture.until_applied(&[2, 3, 4]).await;
    fixture.source.commit(&watched, 5);
    fixture.until_applied(&[2, 3, 4, 5]).await;
    assert_eq!(fixture.consumer.applied(), [2, 3, 4, 5], "each event once");
    assert!(fixture.source.leader().is_some());
    assert!(fixture.source.is_registered("history"), "a worker registers the consumers that it runs");
    // The lag is measured when the lease is taken, by the shown name.
    let text = fixture.metrics.text().expect("sound");
    assert!(text.contains("riposte_consumer_lag{consumer=\"member_history\",source=\"1\"} "), "{text}");
    fixture.stop.send_replace(true);
    fixture.task.await.expect("the relay ends without a panic");
    assert_eq!(fixture.source.leader(), None, "another process can take the lease at once");
    assert_eq!(fixture.consumer.gaps(), 0);
}

#[tokio::test]
async fn a_consumer_survives_errors_and_skips_no_event() {
    let fixture = start();
    let watched = subject(1, 0);
    fixture.source.commit(&watched, 2);
    fixture.until_applied(&[2]).await;
    fixture.source.failing.store(6, Ordering::SeqCst);
    fixture.source.commit(&watched, 3);
    fixture.until_applied(&[2, 3]).await;
    assert_eq!(fixture.source.failing.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_worker_that_lost_the_lease_assigns_no_numbers_until_the_lease_is_free() {
    let fixture = start();
    let watched = subject(1, 0);
    fixture.source.commit(&watched, 2);
    fixture.until_applied(&[2]).await;
    fixture.source.lose_lease();
    fixture.source.commit(&watched, 3);
    until("the consumer is notified", || fixture.consumer.lost_leases() == 1).await;
    assert_eq!(fixture.consumer.applied(), [2]);
    let requests = fixture.source.lease_requests.load(Ordering::SeqCst);
    fixture.source.free_lease();
    fixture.until_applied(&[2, 3]).await;
    assert!(fixture.source.lease_requests.load(Ordering::SeqCst) > requests, "the lease is requested once it is free");
}

#[tokio::test]
async fn a_leader_raises_a_lowered_head_without_a_commit() {
    let fixture = start();
    fixture.source.commit(&subject(1, 0), 2);
    fixture.until_applied(&[2]).await;
    // The poll that follows the event observes its number.
    let polls = fixture.source.polls.load(Ordering::SeqCst);
    until("the head is observed", || fixture.source.polls.load(Ordering::SeqCst) > polls + 1).await;
    fixture.source.set_head(0);
    until("the head is raised", || fixture.source.head(0).now_or_never() == Some(Ok(2))).await;
}
