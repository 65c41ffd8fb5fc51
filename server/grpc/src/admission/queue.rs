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

/// The wait queue; see the module. Its length is bounded. An evicted call is notified when its
/// sender is dropped.
#[derive(Debug)]
pub(super) struct WaitQueue<T> {
    length: usize,
    best_effort: VecDeque<PoolWaiter<T>>,
    sheddable: VecDeque<PoolWaiter<T>>,
    critical: VecDeque<PoolWaiter<T>>,
}

impl<T> WaitQueue<T> {
    pub(super) fn new(length: usize) -> Self {
        Self { length, best_effort: VecDeque::new(), sheddable: VecDeque::new(), critical: VecDeque::new() }
    }

    /// Adds a waiter; returns `false` if the queue is full. A full queue first removes waiters
    /// whose time is over, then the last arrival of the lowest class below that of the new waiter.
    pub(super) fn push(&mut self, class: AdmissionClass, waiter: PoolWaiter<T>, now: Instant) -> bool {
        if self.waiting() >= self.length {
            for class in AdmissionClass::DOWNWARD {
                self.of_class(class).retain(|waiter| waiter.until > now && !waiter.permit.is_closed());
            }
        }
        if self.waiting() >= self.length {
            let mut lower = AdmissionClass::DOWNWARD.into_iter().rev().take_while(|lower| *lower < class);
            let evicted = lower.find_map(|lower| self.of_class(lower).pop_back());
            if evicted.is_none() {
                return false;
            }
        }
        self.of_class(class).push_back(waiter);
        true
    }

    /// Removes and returns the first waiter of a class that has time left.
    pub(super) fn pop(&mut self, class: AdmissionClass, now: Instant) -> Option<Sender<T>> {
        let waiters = self.of_class(class);
        while let Some(waiter) = waiters.pop_front() {
            if waiter.until > now && !waiter.permit.is_closed() {
                return Some(waiter.permit);
            }
        }
        None
    }

    /// Returns true if the queue contains a waiter that precedes a new call of this class.
    pub(super) fn is_before(&mut self, class: AdmissionClass, now: Instant) -> bool {
        let is_waiting = |waiter: &PoolWaiter<T>| waiter.until > now && !waiter.permit.is_closed();
        AdmissionClass::DOWNWARD
            .into_iter()
            .filter(|other| *other >= class)
            .any(|other| self.of_class(other).iter().any(is_waiting))
    }

    fn waiting(&self) -> usize {
        self.best_effort.len() + self.sheddable.len() + self.critical.len()
    }

    fn of_class(&mut self, class: AdmissionClass) -> &mut VecDeque<PoolWaiter<T>> {
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
        receivers: Vec<Receiver<()>>,
    }

    impl Fixture {
        fn new(length: usize) -> Self {
            Self { queue: WaitQueue::new(length), now: Instant::now(), receivers: Vec::new() }
        }

        /// Adds a waiter with a wait of `wait_ms`; returns true if it was accepted.
        fn push(&mut self, class: AdmissionClass, wait_ms: u64) -> bool {
            let (permit, receiver) = oneshot::channel();
            let until = self.now + Duration::from_millis(wait_ms);
            self.receivers.push(receiver);
            self.queue.push(class, PoolWaiter { until, permit }, self.now)
        }

        /// Returns true if the waiter with this number, in order of arrival, was evicted.
        fn is_evicted(&mut self, number: usize) -> bool {
            self.receivers[number].try_recv() == Err(oneshot::error::TryRecvError::Closed)
        }
    }

    #[test]
    fn the_lowest_class_is_evicted_first_and_never_for_a_call_of_the_same_class() {
        let mut fixture = Fixture::new(2);
        assert!(fixture.push(AdmissionClass::BestEffort, 9) && fixture.push(AdmissionClass::Sheddable, 9));
        assert!(!fixture.push(AdmissionClass::BestEffort, 9));
        assert!(fixture.push(AdmissionClass::Sheddable, 9));
        assert!(fixture.is_evicted(0) && !fixture.is_evicted(1));
        assert!(!fixture.push(AdmissionClass::Sheddable, 9));
        assert!(fixture.push(AdmissionClass::Critical, 9));
        assert!(!fixture.is_evicted(1) && fixture.is_evicted(3), "the latest call is evicted first");
    }

    #[test]
    fn expired_waiters_leave_the_queue_before_another_one_is_evicted() {
        let mut fixture = Fixture::new(2);
        assert!(fixture.push(AdmissionClass::BestEffort, 9) && fixture.push(AdmissionClass::Critical, 1));
        fixture.now += Duration::from_millis(2);
        assert!(fixture.push(AdmissionClass::Critical, 9));
        assert!(!fixture.is_evicted(0) && fixture.is_evicted(1));
    }

    #[test]
    fn a_cancelled_or_late_call_is_not_admitted() {
        let mut fixture = Fixture::new(9);
        for wait in [1, 9, 9] {
            assert!(fixture.push(AdmissionClass::Sheddable, wait));
        }
        fixture.now += Duration::from_millis(2);
        fixture.receivers[1].close();
        assert!(
            fixture.queue.is_before(AdmissionClass::BestEffort, fixture.now)
                && !fixture.queue.is_before(AdmissionClass::Critical, fixture.now)
        );
        assert!(
            fixture.queue.pop(AdmissionClass::Sheddable, fixture.now).is_some_and(|waiter| waiter.send(()).is_ok())
        );
        assert!(fixture.receivers[2].try_recv().is_ok());
        assert!(fixture.queue.pop(AdmissionClass::Sheddable, fixture.now).is_none());
        assert!(!fixture.queue.is_before(AdmissionClass::Sheddable, fixture.now));
    }
}
