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
    /// The number of times that it opened.
    openings: u64,
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
    pub(crate) fn new(started: Instant) -> Self {
        Self(Mutex::new(Inner { started, state: State::Closed(Vec::new()), epoch: 0, openings: 0 }))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Every change is complete before anything can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns `true` if a call would be admitted now.
    pub(crate) fn admits(&self, now: Instant) -> bool {
        match &self.inner().state {
            State::Closed(_) => true,
            State::Open { until } => *until <= now,
            State::Probing { under_way, succeeded } => under_way + succeeded < PROBES,
        }
    }

    /// Returns the number of times that it opened.
    pub(crate) fn openings(&self) -> u64 {
        self.inner().openings
    }

    /// Admits a call; `None` while the breaker is open.
    pub(crate) fn admit(&self, now: Instant) -> Option<Admitted<'_>> {
        let mut inner = self.inner();
        match &mut inner.state {
            State::Closed(_) => {}
            State::Open { until } if *until <= now => {
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

    /// Counts the end of a call of this state.
    fn end(&mut self, succeeded: bool, now: Instant) {
        let second = now.saturating_duration_since(self.started).as_secs();
        let opens = match (&mut self.state, succeeded) {
            (State::Closed(seconds), succeeded) => fails(seconds, second, succeeded),
            (State::Open { .. }, _) => false,
            (State::Probing { under_way, succeeded }, true) => {
                (*under_way, *succeeded) = (*under_way - 1, *succeeded + 1);
                if *succeeded == PROBES {
                    self.enter(State::Closed(Vec::new()));
                }
                false
            }
            (State::Probing { .. }, false) => true,
        };
        if opens {
            self.openings += 1;
            self.enter(State::Open { until: now + PAUSE });
        }
    }

    /// Leaves the place of a call that was given up.
    fn give_up(&mut self) {
        if let State::Probing { under_way, .. } = &mut self.state {
            *under_way -= 1;
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
    pub(crate) fn ended(mut self, succeeded: bool, now: Instant) {
        self.is_counted = true;
        let mut inner = self.breaker.inner();
        if inner.epoch == self.epoch {
            inner.end(succeeded, now);
        }
    }
}

impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        let mut inner = self.breaker.inner();
        if !self.is_counted && inner.epoch == self.epoch {
            inner.give_up();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Breaker, CALLS, PAUSE, PROBES};
    use std::time::Duration;
    use tokio::time::Instant;

    const TICK: Duration = Duration::from_millis(1);

    fn call(breaker: &Breaker, succeeded: bool, now: Instant) {
        breaker.admit(now).unwrap().ended(succeeded, now);
    }

    fn opened(now: Instant) -> Breaker {
        let breaker = Breaker::new(now);
        (0..CALLS).for_each(|_| call(&breaker, false, now));
        assert!(!breaker.admits(now) && breaker.admit(now).is_none() && breaker.openings() == 1);
        breaker
    }

    #[test]
    fn it_opens_when_half_of_enough_calls_fail() {
        let now = Instant::now();
        let breaker = Breaker::new(now);
        for _ in 0..CALLS / 2 - 1 {
            call(&breaker, false, now);
            call(&breaker, true, now);
        }
        call(&breaker, true, now);
        assert!(breaker.admits(now));
        call(&breaker, true, now);
        call(&breaker, false, now);
        assert!(breaker.admits(now), "10 of 21");
        call(&breaker, false, now);
        assert!(!breaker.admits(now), "11 of 22");
    }

    #[test]
    fn failures_of_more_than_ten_seconds_ago_do_not_count() {
        let now = Instant::now();
        let breaker = Breaker::new(now);
        (0..CALLS - 1).for_each(|_| call(&breaker, false, now));
        let later = now + Duration::from_secs(10);
        call(&breaker, false, later);
        assert!(breaker.admits(later));
    }

    #[test]
    fn after_a_pause_some_probes_close_it() {
        let now = Instant::now();
        let breaker = opened(now);
        assert!(!breaker.admits(now + PAUSE - TICK));
        let now = now + PAUSE;
        let probes: Vec<_> = (0..PROBES).map(|_| breaker.admit(now).unwrap()).collect();
        assert!(!breaker.admits(now) && breaker.admit(now).is_none(), "no more than the probes");
        probes.into_iter().for_each(|probe| probe.ended(true, now));
        (0..CALLS - 1).for_each(|_| call(&breaker, false, now));
        assert!(breaker.admits(now), "it counts anew");
    }

    #[test]
    fn a_probe_that_fails_opens_it_again_and_one_that_is_given_up_leaves_its_place() {
        let opening = Instant::now();
        let breaker = opened(opening);
        let now = opening + PAUSE;
        let probes: Vec<_> = (0..PROBES).map(|_| breaker.admit(now).unwrap()).collect();
        drop(probes);
        let late = breaker.admit(now).unwrap();
        call(&breaker, false, now);
        assert!(!breaker.admits(now));
        late.ended(true, now);
        assert!(!breaker.admits(now + PAUSE - TICK), "a call of an earlier state counts no more");
        assert!(breaker.admits(now + PAUSE));
    }
}
