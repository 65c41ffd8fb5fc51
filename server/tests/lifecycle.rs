//! Signals. This test has a process of its own, because a signal reaches all tests of a process.

use nix::{
    sys::signal::{Signal as UnixSignal, kill},
    unistd::Pid,
};
use riposte::lifecycle::{StopOutcome, StopSignal, StopSignals};
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn signals_are_distinguished_and_a_second_one_ends_the_graceful_stop() {
    let mut signals = StopSignals::listen().unwrap();
    kill(Pid::this(), UnixSignal::SIGINT).unwrap();
    assert_eq!(signals.next().await, StopSignal::Interrupt);
    kill(Pid::this(), UnixSignal::SIGTERM).unwrap();
    assert_eq!(signals.next().await, StopSignal::Terminate);

    assert_eq!(signals.until_second_signal(async {}).await, StopOutcome::Graceful);
    let drain = tokio::time::sleep(Duration::from_millis(999));
    kill(Pid::this(), UnixSignal::SIGTERM).unwrap();
    let outcome = signals.until_second_signal(drain).await;
    assert_eq!(outcome, StopOutcome::Graceful, "a supervisor may send SIGTERM twice");
    tokio::time::advance(Duration::from_millis(1)).await;
    kill(Pid::this(), UnixSignal::SIGTERM).unwrap();
    assert_eq!(signals.until_second_signal(std::future::pending()).await, StopOutcome::Immediate);
    kill(Pid::this(), UnixSignal::SIGINT).unwrap();
    assert_eq!(signals.until_second_signal(std::future::pending()).await, StopOutcome::Immediate);
}
