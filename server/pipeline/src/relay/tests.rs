use riposte_telemetry::Metrics;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use super::{RelayPorts, run};
use crate::notifier::Notifier;
use crate::test_consumer::TestConsumer;
use crate::test_source::{TestSource, subject};
use riposte_conformance::stores::StepClock;

/// A running relay with one durable consumer, which has applied the first event.
struct Fixture {
    memory: Arc<TestSource>,
    consumer: Arc<TestConsumer>,
    task: tokio::task::JoinHandle<()>,
    stop: watch::Sender<bool>,
    metrics: Metrics,
}

fn start() -> Fixture {
    let (memory, metrics) = (Arc::new(TestSource::default()), Metrics::new().expect("sound"));
    let consumer = Arc::new(TestConsumer::durable("history"));
    memory.fill(1);
    memory.place("history", 1);
    let ports = RelayPorts {
        outbox: Arc::clone(&memory) as _,
        positions: Arc::clone(&memory) as _,
        consumers: [Arc::clone(&consumer) as _].into(),
        rankings: memory.rankings(),
        clock: StepClock::at(StepClock::START),
        metrics: metrics.clone(),
        repairs_shared_cache: false,
        retention: Duration::from_secs(72 * 60 * 60),
    };
    let stop = watch::Sender::new(false);
    let task = tokio::spawn(run(ports, Notifier::new(1), 0, stop.subscribe()));
    Fixture { memory, consumer, task, stop, metrics }
}

/// Waits for a condition.
async fn until(what: &str, mut is_met: impl FnMut() -> bool) {
    let done = async {
        while !is_met() {
            sleep(Duration::from_millis(1)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(60), done).await.is_ok(), "it never happens: {what}");
}

impl Fixture {
    /// Waits until exactly these events were applied, some of them perhaps more than once.
    async fn applies(&self, expected: &[i64]) {
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
        fixture.memory.commit(&watched, revision);
    }
    fixture.applies(&[2, 3, 4]).await;
    fixture.memory.commit(&watched, 5);
    fixture.applies(&[2, 3, 4, 5]).await;
    assert_eq!(fixture.consumer.applied(), [2, 3, 4, 5], "each once");
    assert!(fixture.memory.leader().is_some());
    assert!(fixture.memory.is_registered("history"), "a worker registers the consumers that it runs");
    // The lag is measured when the lease is taken, by the shown name.
    let text = fixture.metrics.text().expect("sound");
    assert!(text.contains("riposte_consumer_lag{consumer=\"member_history\",source=\"1\"} "), "{text}");
    fixture.stop.send_replace(true);
    fixture.task.await.expect("it ends in order");
    assert_eq!(fixture.memory.leader(), None, "the next process may lead at once");
    assert_eq!(fixture.consumer.gaps(), 0);
}

#[tokio::test]
async fn a_consumer_survives_errors_and_leaves_no_event_out() {
    let fixture = start();
    let watched = subject(1, 0);
    fixture.memory.commit(&watched, 2);
    fixture.applies(&[2]).await;
    fixture.memory.failing.store(6, Ordering::SeqCst);
    fixture.memory.commit(&watched, 3);
    fixture.applies(&[2, 3]).await;
    assert_eq!(fixture.memory.failing.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_worker_that_lost_the_lease_assigns_no_numbers_until_the_lease_is_free() {
    let fixture = start();
    let watched = subject(1, 0);
    fixture.memory.commit(&watched, 2);
    fixture.applies(&[2]).await;
    fixture.memory.usurp();
    fixture.memory.commit(&watched, 3);
    let requests = fixture.memory.lease_requests.load(Ordering::SeqCst);
    until("the lease is requested again", || fixture.memory.lease_requests.load(Ordering::SeqCst) > requests + 1).await;
    assert_eq!(fixture.consumer.applied(), [2]);
    until("the consumer is notified", || fixture.consumer.lost_leases() == 1).await;
    fixture.memory.depose();
    fixture.applies(&[2, 3]).await;
}
