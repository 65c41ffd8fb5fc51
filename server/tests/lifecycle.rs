//! Signals, in a process of their own: they belong to all of it, and would reach the other tests.

use nix::{
    sys::signal::{Signal as Number, kill},
    unistd::Pid,
};
use riposte::lifecycle::{Stop, StopSignal, StopSignals};

#[tokio::test]
async fn signals_are_distinguished_and_a_second_one_ends_the_soft_stop() {
    let mut signals = StopSignals::listen().unwrap();
    kill(Pid::this(), Number::SIGINT).unwrap();
    assert_eq!(signals.next().await, StopSignal::Interrupt);
    kill(Pid::this(), Number::SIGTERM).unwrap();
    assert_eq!(signals.next().await, StopSignal::Terminate);

    assert_eq!(signals.or_at_once(async {}).await, Stop::Soft);
    kill(Pid::this(), Number::SIGTERM).unwrap();
    assert_eq!(signals.or_at_once(std::future::pending()).await, Stop::Hard);
}
