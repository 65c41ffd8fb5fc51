//! The queue of calls that wait for capacity: the highest class first, within a class the one that
//! has waited longest.

use std::collections::VecDeque;

use tokio::sync::oneshot::Sender;
use tokio::time::Instant;

use super::method::AdmissionClass;

/// A waiting call and the end of its wait.
#[derive(Debug)]
pub(super) struct PoolWaiter<T> {
    pub(super) until: Instant,
    pub(super) permit: Sender<T>,
}

/// The wait queue; see the module. Its length is bounded. A call that is evicted is notified by the
/// loss of the sender.
#[derive(Debug)]
pub(super) struct WaitQueue<T> {
    length: usize,
    best_effort: VecDeque<PoolWaiter<T>>,
    sheddable: VecDeque<PoolWaiter<T>>,
    critical: VecDeque<PoolWaiter<T>>,
}

impl<T> WaitQueue<T> {
    pub(super) fn new(length: usize) -> Self {
        let line = VecDeque::new;
        Self { length, best_effort: line(), sheddable: line(), critical: line() }
    }

    /// Adds a waiter; returns `false` if the queue is full. A full queue first removes waiters
    /// whose time is over, then the last arrival of the lowest class below that of the new waiter.
    pub(super) fn push(&mut self, class: AdmissionClass, waiter: PoolWaiter<T>, now: Instant) -> bool {
        if self.waiting() >= self.length {
            for class in AdmissionClass::DOWNWARD {
                self.line(class).retain(|waiter| waiter.until > now && !waiter.permit.is_closed());
            }
        }
        if self.waiting() >= self.length {
            let mut lower = AdmissionClass::DOWNWARD.into_iter().rev().take_while(|lower| *lower < class);
            let dropped = lower.find_map(|lower| self.line(lower).pop_back());
            if dropped.is_none() {
                return false;
            }
        }
        self.line(class).push_back(waiter);
        true
    }

    /// Removes and returns the first waiter of a class that has time left.
    pub(super) fn pop(&mut self, class: AdmissionClass, now: Instant) -> Option<Sender<T>> {
        let line = self.line(class);
        while let Some(waiter) = line.pop_front() {
            if waiter.until > now && !waiter.permit.is_closed() {
                return Some(waiter.permit);
            }
        }
        None
    }

    /// Returns true if the queue holds a waiter that precedes a new call of this class.
    pub(super) fn is_before(&mut self, class: AdmissionClass, now: Instant) -> bool {
        let waits = |waiter: &PoolWaiter<T>| waiter.until > now && !waiter.permit.is_closed();
        AdmissionClass::DOWNWARD
            .into_iter()
            .filter(|other| *other >= class)
            .any(|other| self.line(other).iter().any(waits))
    }

    fn waiting(&self) -> usize {
        self.best_effort.len() + self.sheddable.len() + self.critical.len()
    }

    fn line(&mut self, class: AdmissionClass) -> &mut VecDeque<PoolWaiter<T>> {
        match class {
            AdmissionClass::BestEffort => &mut self.best_effort,
            AdmissionClass::Sheddable => &mut self.sheddable,
            AdmissionClass::Critical => &mut self.critical,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::sync::oneshot::{self, Receiver};
    use tokio::time::Instant;

    use super::{AdmissionClass, PoolWaiter, WaitQueue};

    struct Fixture {
        queue: WaitQueue<()>,
        now: Instant,
        alive: Vec<Receiver<()>>,
    }

    impl Fixture {
        fn new(length: usize) -> Self {
            Self { queue: WaitQueue::new(length), now: Instant::now(), alive: Vec::new() }
        }

        /// Adds a waiter with a wait of `wait_ms`; returns true if it was accepted.
        fn comes(&mut self, class: AdmissionClass, wait_ms: u64) -> bool {
            let (permit, receiver) = oneshot::channel();
            let until = self.now + Duration::from_millis(wait_ms);
            self.alive.push(receiver);
            self.queue.push(class, PoolWaiter { until, permit }, self.now)
        }

        /// Returns true if the waiter with this number, in order of arrival, was evicted.
        fn dropped(&mut self, number: usize) -> bool {
            self.alive[number].try_recv() == Err(oneshot::error::TryRecvError::Closed)
        }
    }

    #[test]
    fn the_lowest_class_is_dropped_first_and_never_for_its_equal() {
        let mut fixture = Fixture::new(2);
        assert!(fixture.comes(AdmissionClass::BestEffort, 9) && fixture.comes(AdmissionClass::Sheddable, 9));
        assert!(!fixture.comes(AdmissionClass::BestEffort, 9));
        assert!(fixture.comes(AdmissionClass::Sheddable, 9));
        assert!(fixture.dropped(0) && !fixture.dropped(1));
        assert!(!fixture.comes(AdmissionClass::Sheddable, 9));
        assert!(fixture.comes(AdmissionClass::Critical, 9));
        assert!(!fixture.dropped(1) && fixture.dropped(3), "the latest call is dropped first");
    }

    #[test]
    fn expired_waiters_leave_the_queue_before_a_live_one_is_dropped() {
        let mut fixture = Fixture::new(2);
        assert!(fixture.comes(AdmissionClass::BestEffort, 9) && fixture.comes(AdmissionClass::Critical, 1));
        fixture.now += Duration::from_millis(2);
        assert!(fixture.comes(AdmissionClass::Critical, 9));
        assert!(!fixture.dropped(0) && fixture.dropped(1));
    }

    #[test]
    fn a_cancelled_or_late_call_is_not_admitted() {
        let mut fixture = Fixture::new(9);
        for wait in [1, 9, 9] {
            assert!(fixture.comes(AdmissionClass::Sheddable, wait));
        }
        fixture.now += Duration::from_millis(2);
        fixture.alive[1].close();
        assert!(
            fixture.queue.is_before(AdmissionClass::BestEffort, fixture.now)
                && !fixture.queue.is_before(AdmissionClass::Critical, fixture.now)
        );
        assert!(
            fixture.queue.pop(AdmissionClass::Sheddable, fixture.now).is_some_and(|waiter| waiter.send(()).is_ok())
        );
        assert!(fixture.alive[2].try_recv().is_ok());
        assert!(fixture.queue.pop(AdmissionClass::Sheddable, fixture.now).is_none());
        assert!(!fixture.queue.is_before(AdmissionClass::Sheddable, fixture.now));
    }
}
