//! A limit on items per second, which rises over the first seconds, so that a cold server does not
//! get the full rate at once.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::MissedTickBehavior;

const TICK: Duration = Duration::from_millis(10);
const TICKS_PER_SECOND: u32 = 100;
/// Seconds until the full rate is reached, from a tenth of it.
const RAMP_SECONDS: u32 = 10;

/// Admits items at a bounded rate; without a bound, immediately.
#[derive(Debug)]
pub(crate) struct Throttle {
    permits: Option<Arc<Semaphore>>,
    filler: Option<JoinHandle<()>>,
}

impl Throttle {
    /// Creates a throttle of `items_per_second`, or without a bound. Must be called within a tokio
    /// runtime.
    pub(crate) fn new(items_per_second: Option<u32>) -> Self {
        let Some(rate) = items_per_second else { return Self { permits: None, filler: None } };
        let permits = Arc::new(Semaphore::new(0));
        let filler = tokio::spawn(fill(Arc::clone(&permits), rate));
        Self { permits: Some(permits), filler: Some(filler) }
    }

    /// Waits until one more item may be sent.
    pub(crate) async fn wait(&self) {
        let Some(permits) = &self.permits else { return };
        // The semaphore is never closed; if it were, the rate would be unlimited.
        if let Ok(permit) = permits.acquire().await {
            permit.forget();
        }
    }
}

impl Drop for Throttle {
    fn drop(&mut self) {
        if let Some(filler) = &self.filler {
            filler.abort();
        }
    }
}

async fn fill(permits: Arc<Semaphore>, rate: u32) {
    let mut tick = tokio::time::interval(TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut ramp = Ramp { rate, ticks: 0, sent: 0 };
    loop {
        tick.tick().await;
        let admitted = ramp.next();
        // Permits that are unused for a tenth of a second are dropped, so a pause does not allow a
        // burst.
        if permits.available_permits() < (rate as usize / 10).max(1) {
            permits.add_permits(admitted);
        }
    }
}

/// The number of items that each tick admits: a tenth of the rate at first, all of it after the
/// ramp.
#[derive(Debug)]
struct Ramp {
    rate: u32,
    ticks: u64,
    sent: u64,
}

impl Ramp {
    fn next(&mut self) -> usize {
        self.ticks += 1;
        let ramp = u64::from(RAMP_SECONDS * TICKS_PER_SECOND);
        let rising = self.ticks.min(ramp);
        // The share of the rate grows evenly from 1/10 to 1, so the sum over the ramp is a line
        // plus a square.
        let tenths_of_ticks = rising + 9 * rising * rising / (2 * ramp) + 10 * (self.ticks - rising);
        let due = u64::from(self.rate) * tenths_of_ticks / (10 * u64::from(TICKS_PER_SECOND));
        let admitted = due - self.sent.min(due);
        self.sent = self.sent.max(due);
        usize::try_from(admitted).unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_reached_by_a_ramp_and_kept() {
        for rate in [1, 7, 1000, 1_000_000] {
            let mut ramp = Ramp { rate, ticks: 0, sent: 0 };
            let mut second = || (0..TICKS_PER_SECOND).map(|_| ramp.next()).sum::<usize>();
            let seconds: Vec<usize> = (0..20).map(|_| second()).collect();
            let rate = rate as usize;
            assert!(seconds[0] <= rate / 6 + 1, "{seconds:?}");
            assert!(seconds.windows(2).all(|pair| pair[0] <= pair[1] + 1), "{seconds:?}");
            assert!(seconds[11..].iter().all(|second| second.abs_diff(rate) <= 1), "{seconds:?}");
        }
    }

    #[tokio::test]
    async fn without_a_bound_no_item_waits() {
        let throttle = Throttle::new(None);
        for _ in 0..1_000_000 {
            throttle.wait().await;
        }
    }
}
