use riposte_telemetry::Metrics;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use super::{RelayPorts, run};
use crate::cache_stack::CacheStack;
use crate::clock::SystemClock;
use crate::write::notifier::Notifier;
use crate::write::test_source::{TestSource, subject};

/// Starts a relay over `memory`; returns its task, the sender that stops it, and its metrics.
fn start(memory: &Arc<TestSource>) -> (tokio::task::JoinHandle<()>, watch::Sender<bool>, Metrics) {
    let metrics = Metrics::new().expect("sound");
    let ports = RelayPorts {
        outbox: Arc::clone(memory) as _,
        histories: Arc::clone(memory) as _,
        boards: Arc::clone(memory) as _,
        rankings: Arc::clone(memory) as _,
        clock: Arc::new(SystemClock),
        copies: CacheStack::none(),
        metrics: metrics.clone(),
    };
    let stop = watch::Sender::new(false);
    (tokio::spawn(run(ports, Notifier::new(1), 0, stop.subscribe())), stop, metrics)
}

/// Waits for a condition.
async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let done = async {
        while !holds() {
            sleep(Duration::from_millis(1)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(60), done).await.is_ok(), "it never happens: {what}");
}

/// Waits until exactly these events were applied, some of them perhaps more than once.
async fn applies(memory: &TestSource, expected: &[i64]) {
    until(&format!("{expected:?} applied"), || {
        let mut applied = memory.applied();
        applied.sort_unstable();
        applied.dedup();
        applied == expected
    })
    .await;
}

#[tokio::test]
async fn what_is_committed_is_numbered_and_applied_once_and_the_lead_is_given_up_at_the_end() {
    let memory = Arc::new(TestSource::default());
    let (task, stop, metrics) = start(&memory);
    let watched = subject(1, 0);
    for revision in 1..=3 {
        memory.commit(&watched, revision);
    }
    applies(&memory, &[1, 2, 3]).await;
    memory.commit(&watched, 4);
    applies(&memory, &[1, 2, 3, 4]).await;
    assert_eq!(memory.applied(), [1, 2, 3, 4], "each once");
    assert!(memory.leader().is_some());
    stop.send_replace(true);
    task.await.expect("it ends in order");
    assert_eq!(memory.leader(), None, "the next process may lead at once");
    // The lag was measured when the lease was taken, before any event was sequenced.
    let text = metrics.text().expect("sound");
    assert!(text.contains("riposte_consumer_lag{consumer=\"member_history\",source=\"1\"} 0"), "{text}");
}

#[tokio::test]
async fn faults_are_outlived_and_nothing_is_left_out() {
    let memory = Arc::new(TestSource::default());
    let (_task, _stop, _) = start(&memory);
    let watched = subject(1, 0);
    memory.commit(&watched, 1);
    applies(&memory, &[1]).await;
    memory.failing.store(6, Ordering::SeqCst);
    memory.commit(&watched, 2);
    applies(&memory, &[1, 2]).await;
    assert_eq!(memory.failing.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn who_does_not_lead_any_more_numbers_nothing_until_nobody_leads() {
    let memory = Arc::new(TestSource::default());
    let (_task, _stop, _) = start(&memory);
    let watched = subject(1, 0);
    memory.commit(&watched, 1);
    applies(&memory, &[1]).await;
    memory.usurp();
    memory.commit(&watched, 2);
    let asked = memory.led.load(Ordering::SeqCst);
    until("the lead is asked for again", || memory.led.load(Ordering::SeqCst) > asked + 1).await;
    assert_eq!(memory.applied(), [1]);
    memory.depose();
    applies(&memory, &[1, 2]).await;
}
