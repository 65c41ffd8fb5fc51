//! One admission pool: a limited number of running calls, and a queue in front of it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use riposte_core::Error;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use super::method::AdmissionClass;
use super::queue::{PoolWaiter, WaitQueue};

/// The part of a pool that every class but the highest may fill, in percent.
const SHARED_PERCENT: usize = 70;
/// The retry delay of a rejected caller in milliseconds: random within this range, so that callers
/// that were rejected together do not return together.
const RETRY_AFTER_MS: std::ops::Range<u64> = 100..300;
/// The weight of the last call in the average duration of calls is one in this number.
const AVERAGE_DIVISOR: u32 = 8;

/// The limits of a pool.
#[derive(Debug, Clone, Copy)]
pub(super) struct PoolLimits {
    /// The maximum number of running calls.
    pub(super) capacity: usize,
    /// The maximum number of waiting calls.
    pub(super) queue: usize,
    /// The maximum wait; zero if calls do not wait.
    pub(super) wait: Duration,
}

/// An admission pool; see the module. Clones share the pool.
#[derive(Debug, Clone)]
pub(super) struct AdmissionPool(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    limits: PoolLimits,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    running: usize,
    queue: WaitQueue<PoolPermit>,
    /// The average duration of calls, in which the last ones weigh most.
    average: Duration,
}

/// The capacity of one call, held until it is dropped.
#[derive(Debug)]
pub(super) struct PoolPermit {
    /// `None` for a permit whose capacity has already been returned.
    pool: Option<Arc<Inner>>,
    start: Instant,
}

impl AdmissionPool {
    pub(super) fn new(limits: PoolLimits) -> Self {
        let state = State { running: 0, queue: WaitQueue::new(limits.queue), average: Duration::ZERO };
        Self(Arc::new(Inner { limits, state: Mutex::new(state) }))
    }

    /// Enters at once or waits. The wait ends early enough that the average duration of a call
    /// still fits before `until`.
    ///
    /// # Errors
    /// [`Error::Overloaded`].
    pub(super) async fn enter(&self, class: AdmissionClass, until: Option<Instant>) -> Result<PoolPermit, Error> {
        let wait = {
            let now = Instant::now();
            let mut state = self.0.state();
            if state.running < self.0.capacity_of(class) && !state.queue.is_before(class, now) {
                return Ok(state.permit(&self.0, now));
            }
            let latest = now + self.0.limits.wait;
            let last_useful = until.and_then(|until| until.checked_sub(state.average)).unwrap_or(latest);
            let until = latest.min(last_useful);
            let (permit, receiver) = oneshot::channel();
            let is_queued = until > now && state.queue.push(class, PoolWaiter { until, permit }, now);
            is_queued.then_some((until, receiver))
        };
        let (until, receiver) = wait.ok_or_else(overloaded)?;
        timeout_at(until, receiver).await.ok().and_then(Result::ok).ok_or_else(overloaded)
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics between two parts of a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the capacity that calls of a class may fill.
    fn capacity_of(&self, class: AdmissionClass) -> usize {
        match class {
            AdmissionClass::Critical => self.limits.capacity,
            AdmissionClass::Sheddable | AdmissionClass::BestEffort => {
                (self.limits.capacity * SHARED_PERCENT / 100).max(1)
            }
        }
    }
}

impl State {
    fn permit(&mut self, pool: &Arc<Inner>, now: Instant) -> PoolPermit {
        self.running += 1;
        PoolPermit { pool: Some(Arc::clone(pool)), start: now }
    }

    /// Assigns free capacity to waiting calls.
    fn admit_waiters(&mut self, pool: &Arc<Inner>) {
        let now = Instant::now();
        for class in AdmissionClass::DOWNWARD {
            while self.running < pool.capacity_of(class)
                && let Some(waiter) = self.queue.pop(class, now)
            {
                // A cancelled waiter returns its permit here, while the lock is held. The `drop` of
                // the permit would take the lock again, so its capacity is returned directly.
                if let Err(mut returned) = waiter.send(self.permit(pool, now)) {
                    returned.pool = None;
                    self.running -= 1;
                }
            }
        }
    }
}

impl Drop for PoolPermit {
    fn drop(&mut self) {
        let Some(pool) = self.pool.take() else { return };
        let mut state = pool.state();
        state.running -= 1;
        state.average = (state.average * (AVERAGE_DIVISOR - 1) + self.start.elapsed()) / AVERAGE_DIVISOR;
        state.admit_waiters(&pool);
    }
}

pub(super) fn overloaded() -> Error {
    Error::Overloaded { after: Duration::from_millis(rand::random_range(RETRY_AFTER_MS)) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::FutureExt;
    use riposte_core::Reason;
    use tokio::time::Instant;

    use super::{AdmissionClass, AdmissionPool, PoolLimits, PoolPermit};

    /// Far longer than any test.
    const LONG: Duration = Duration::from_secs(600);

    fn pool(capacity: usize, wait: Duration) -> AdmissionPool {
        AdmissionPool::new(PoolLimits { capacity, queue: 4, wait })
    }

    /// Takes the permits that a class gets without waiting.
    fn fill(pool: &AdmissionPool, class: AdmissionClass) -> Vec<PoolPermit> {
        std::iter::from_fn(|| pool.enter(class, None).now_or_never()?.ok()).collect()
    }

    #[test]
    fn a_part_of_the_pool_is_reserved_for_the_highest_class() {
        let pool = pool(10, Duration::ZERO);
        let mut held = fill(&pool, AdmissionClass::BestEffort);
        assert_eq!(held.len(), 7);
        assert!(fill(&pool, AdmissionClass::Sheddable).is_empty());
        held.extend(fill(&pool, AdmissionClass::Critical));
        assert_eq!(held.len(), 10);
        drop(held);
        assert_eq!(fill(&pool, AdmissionClass::Sheddable).len(), 7, "all capacity was released");
    }

    #[tokio::test]
    async fn waiting_calls_get_released_capacity_and_the_highest_class_gets_it_first() {
        let pool = pool(1, LONG);
        let held = pool.enter(AdmissionClass::Critical, None).await.unwrap();
        let mut low = Box::pin(pool.enter(AdmissionClass::Sheddable, None));
        let mut high = Box::pin(pool.enter(AdmissionClass::Critical, None));
        assert!(low.as_mut().now_or_never().is_none() && high.as_mut().now_or_never().is_none());
        drop(held);
        assert!(low.as_mut().now_or_never().is_none());
        drop(high.await.unwrap());
        drop(low.await.unwrap());
        assert_eq!(fill(&pool, AdmissionClass::Critical).len(), 1);
    }

    #[tokio::test]
    async fn a_call_that_gets_no_capacity_in_time_is_rejected_and_leaves_the_queue() {
        let pool = pool(1, Duration::from_millis(5));
        let held = pool.enter(AdmissionClass::Critical, None).await.unwrap();
        let rejection = pool.enter(AdmissionClass::Critical, None).await.map(drop).unwrap_err();
        assert_eq!(rejection.reason(), Reason::Overloaded);
        assert!(rejection.retry_after().is_some_and(|after| !after.is_zero()));
        drop(held);
        assert_eq!(pool.0.state().running, 0);
    }

    #[tokio::test]
    async fn a_permit_of_a_cancelled_call_goes_to_the_next_waiter() {
        let pool = pool(1, LONG);
        let held = pool.enter(AdmissionClass::Critical, None).await.unwrap();
        let mut cancelled = Box::pin(pool.enter(AdmissionClass::Critical, None));
        let mut cancelled_later = Box::pin(pool.enter(AdmissionClass::Critical, None));
        let mut waits = Box::pin(pool.enter(AdmissionClass::Critical, None));
        for waiting in [&mut cancelled, &mut cancelled_later, &mut waits] {
            assert!(waiting.as_mut().now_or_never().is_none());
        }
        drop(cancelled);
        drop(held);
        // This waiter has received its permit, and is cancelled before it uses it.
        drop(cancelled_later);
        drop(waits.await.unwrap());
        assert_eq!(pool.0.state().running, 0);
    }

    #[tokio::test]
    async fn a_call_whose_deadline_would_pass_before_its_work_is_done_does_not_wait() {
        let pool = pool(1, LONG);
        let held = pool.enter(AdmissionClass::Critical, None).await.unwrap();
        pool.0.state().average = LONG / 2;
        let short = Instant::now() + LONG / 4;
        let rejection = pool.enter(AdmissionClass::Critical, Some(short)).now_or_never();
        assert!(rejection.is_some_and(|result| result.is_err()));
        assert!(pool.enter(AdmissionClass::Critical, Some(short + LONG)).now_or_never().is_none(), "it waits");
        drop(held);
        assert!(
            pool.enter(AdmissionClass::Critical, Some(Instant::now())).await.is_ok(),
            "a call may try while capacity is free"
        );
    }
}
