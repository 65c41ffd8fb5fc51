//! A breaker by the rate of failures.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The seconds of calls that are counted.
const WINDOW: u64 = 10;
/// The least number of calls in the window that opens the breaker.
const CALLS: u32 = 20;
/// The pause before the probes.
const PAUSE: Duration = Duration::from_secs(5);
/// The number of probes that close the breaker, if all succeed.
const PROBES: u32 = 5;

/// Opens if half of the calls of the last seconds failed. After a pause some probes decide whether
/// it closes.
#[derive(Debug)]
pub(crate) struct Breaker(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    started: Instant,
    state: State,
    /// Counts the states, so that a call does not count in a later one.
    epoch: u64,
}

#[derive(Debug)]
enum State {
    Closed(Vec<Second>),
    Open { until: Instant },
    Probing { under_way: u32, succeeded: u32 },
}

/// The calls that ended in one second.
#[derive(Debug)]
struct Second {
    number: u64,
    calls: u32,
    failures: u32,
}

/// A call that the breaker admitted. A call that is given up counts neither as a success nor as a
/// failure.
#[derive(Debug)]
pub(crate) struct Admitted<'b> {
    breaker: &'b Breaker,
    epoch: u64,
    is_counted: bool,
}

impl Breaker {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Inner { started: Instant::now(), state: State::Closed(Vec::new()), epoch: 0 }))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Every change is complete before anything can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns `true` if a call would be admitted now.
    pub(crate) fn admits(&self) -> bool {
        match &self.inner().state {
            State::Closed(_) => true,
            State::Open { until } => *until <= Instant::now(),
            State::Probing { under_way, succeeded } => under_way + succeeded < PROBES,
        }
    }

    /// Admits a call; `None` while the breaker is open.
    pub(crate) fn admit(&self) -> Option<Admitted<'_>> {
        let mut inner = self.inner();
        match &mut inner.state {
            State::Closed(_) => {}
            State::Open { until } if *until <= Instant::now() => {
                inner.enter(State::Probing { under_way: 1, succeeded: 0 });
            }
            State::Probing { under_way, succeeded } if *under_way + *succeeded < PROBES => *under_way += 1,
            State::Open { .. } | State::Probing { .. } => return None,
        }
        Some(Admitted { breaker: self, epoch: inner.epoch, is_counted: false })
    }
}

impl Inner {
    fn enter(&mut self, state: State) {
        self.state = state;
        self.epoch += 1;
    }

    /// Counts the end of a call of this state: a success, a failure, or given up.
    fn end(&mut self, succeeded: Option<bool>) {
        let second = self.started.elapsed().as_secs();
        let opens = match (&mut self.state, succeeded) {
            (State::Closed(seconds), Some(succeeded)) => fails(seconds, second, succeeded),
            (State::Closed(_) | State::Open { .. }, _) => false,
            (State::Probing { under_way, .. }, None) => {
                *under_way -= 1;
                false
            }
            (State::Probing { under_way, succeeded }, Some(true)) => {
                (*under_way, *succeeded) = (*under_way - 1, *succeeded + 1);
                if *succeeded == PROBES {
                    self.enter(State::Closed(Vec::new()));
                }
                false
            }
            (State::Probing { .. }, Some(false)) => true,
        };
        if opens {
            self.enter(State::Open { until: Instant::now() + PAUSE });
        }
    }
}

/// Counts a call that ended in a second. Returns `true` if too many of the window have failed.
fn fails(seconds: &mut Vec<Second>, second: u64, succeeded: bool) -> bool {
    seconds.retain(|counted| counted.number + WINDOW > second);
    if seconds.last().is_none_or(|last| last.number != second) {
        seconds.push(Second { number: second, calls: 0, failures: 0 });
    }
    if let Some(last) = seconds.last_mut() {
        last.calls += 1;
        last.failures += u32::from(!succeeded);
    }
    let (calls, failures) =
        seconds.iter().fold((0, 0), |(calls, failures), second| (calls + second.calls, failures + second.failures));
    calls >= CALLS && failures * 2 >= calls
}

impl Admitted<'_> {
    /// Counts the call.
    pub(crate) fn ended(mut self, succeeded: bool) {
        self.is_counted = true;
        self.end(Some(succeeded));
    }

    fn end(&self, succeeded: Option<bool>) {
        let mut inner = self.breaker.inner();
        if inner.epoch == self.epoch {
            inner.end(succeeded);
        }
    }
}

impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        if !self.is_counted {
            self.end(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Breaker, CALLS, PAUSE, PROBES};
    use std::time::Duration;

    fn call(breaker: &Breaker, succeeded: bool) {
        breaker.admit().unwrap().ended(succeeded);
    }

    fn opened() -> Breaker {
        let breaker = Breaker::new();
        (0..CALLS).for_each(|_| call(&breaker, false));
        assert!(!breaker.admits() && breaker.admit().is_none());
        breaker
    }

    #[tokio::test(start_paused = true)]
    async fn it_opens_when_half_of_enough_calls_fail() {
        let breaker = Breaker::new();
        for _ in 0..CALLS / 2 - 1 {
            call(&breaker, false);
            call(&breaker, true);
        }
        call(&breaker, true);
        assert!(breaker.admits());
        call(&breaker, true);
        call(&breaker, false);
        assert!(breaker.admits(), "10 of 21");
        call(&breaker, false);
        assert!(!breaker.admits(), "11 of 22");
    }

    #[tokio::test(start_paused = true)]
    async fn failures_of_more_than_ten_seconds_ago_do_not_count() {
        let breaker = Breaker::new();
        (0..CALLS - 1).for_each(|_| call(&breaker, false));
        tokio::time::advance(Duration::from_secs(10)).await;
        call(&breaker, false);
        assert!(breaker.admits());
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_pause_some_probes_close_it() {
        let breaker = opened();
        tokio::time::advance(PAUSE - Duration::from_millis(1)).await;
        assert!(!breaker.admits());
        tokio::time::advance(Duration::from_millis(1)).await;
        let probes: Vec<_> = (0..PROBES).map(|_| breaker.admit().unwrap()).collect();
        assert!(!breaker.admits() && breaker.admit().is_none(), "no more than the probes");
        probes.into_iter().for_each(|probe| probe.ended(true));
        (0..CALLS - 1).for_each(|_| call(&breaker, false));
        assert!(breaker.admits(), "it counts anew");
    }

    #[tokio::test(start_paused = true)]
    async fn a_probe_that_fails_opens_it_again_and_one_that_is_given_up_leaves_its_place() {
        let breaker = opened();
        tokio::time::advance(PAUSE).await;
        let probes: Vec<_> = (0..PROBES).map(|_| breaker.admit().unwrap()).collect();
        drop(probes);
        let late = breaker.admit().unwrap();
        call(&breaker, false);
        assert!(!breaker.admits());
        late.ended(true);
        tokio::time::advance(PAUSE - Duration::from_millis(1)).await;
        assert!(!breaker.admits(), "a call of an earlier state counts no more");
        tokio::time::advance(Duration::from_millis(1)).await;
        assert!(breaker.admits());
    }
}
