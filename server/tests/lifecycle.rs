//! Signals. This test has a process of its own, because a signal reaches all tests of a process.

use nix::{
    sys::signal::{Signal as UnixSignal, kill},
    unistd::Pid,
};
use riposte::lifecycle::{StopOutcome, StopSignal, StopSignals};
use std::future::pending;
use std::io;
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::yield_now;

/// Starts listening with this interval of repeats, and receives a first SIGTERM.
async fn terminated(repeat_interval: Duration) -> io::Result<StopSignals> {
    let mut signals = StopSignals::listen(repeat_interval)?;
    kill(Pid::this(), UnixSignal::SIGTERM)?;
    assert_eq!(signals.next().await, StopSignal::Terminate);
    Ok(signals)
}

#[tokio::test]
async fn signals_are_distinguished_and_a_second_one_ends_the_graceful_stop() {
    let mut signals = StopSignals::listen(Duration::MAX).unwrap();
    kill(Pid::this(), UnixSignal::SIGINT).unwrap();
    assert_eq!(signals.next().await, StopSignal::Interrupt);

    let mut signals = terminated(Duration::MAX).await.unwrap();
    assert_eq!(signals.until_second_signal(async {}).await, StopOutcome::Graceful);
    let mut arrivals = signal(SignalKind::terminate()).unwrap();
    kill(Pid::this(), UnixSignal::SIGTERM).unwrap();
    // A signal reaches all listeners at once. The one of the stop is polled before the drain ends.
    let drain = async {
        arrivals.recv().await;
        yield_now().await;
    };
    let outcome = signals.until_second_signal(drain).await;
    assert_eq!(outcome, StopOutcome::Graceful, "a supervisor may send SIGTERM twice");
    kill(Pid::this(), UnixSignal::SIGINT).unwrap();
    assert_eq!(signals.until_second_signal(pending()).await, StopOutcome::Immediate);

    let mut signals = terminated(Duration::ZERO).await.unwrap();
    kill(Pid::this(), UnixSignal::SIGTERM).unwrap();
    assert_eq!(signals.until_second_signal(pending()).await, StopOutcome::Immediate, "the interval has passed");
}
