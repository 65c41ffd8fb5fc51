//! The progress of the relay in reporting commits to the cache.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use riposte_core::ports::{Clock, EventLog};
use riposte_core::{Millis, Partition, Result};

use crate::port::{Cache, RelayCursor};
use crate::read_limit::SourceRoute;

/// The maximum wait for the relay; it is longer than the relay takes after any fault that it
/// survives.
const PATIENCE: Duration = Duration::from_secs(15);
/// The pause between two checks.
const PAUSE: Duration = Duration::from_millis(200);

/// The outcome of waiting for the relay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RelayProgress {
    /// The cache has received all events.
    All,
    /// The cache did not receive them in time.
    Late,
    /// The cache is unavailable.
    Away,
}

/// Compares the relay's cursors with the outbox. See the module.
pub struct RelayState {
    cache: Arc<dyn Cache>,
    outbox: Arc<dyn EventLog>,
    route: SourceRoute,
    clock: Arc<dyn Clock>,
}

impl RelayState {
    /// Observes how far the relay has reported the events of `outbox` to `cache`. `clock` is the
    /// clock that gives commits their times.
    #[must_use]
    pub fn new(cache: Arc<dyn Cache>, outbox: Arc<dyn EventLog>, route: SourceRoute, clock: Arc<dyn Clock>) -> Self {
        Self { cache, outbox, route, clock }
    }

    /// Returns the current time on the clock of commits.
    pub(crate) fn now(&self) -> Millis {
        self.clock.now()
    }

    /// Waits some seconds until the cache has received everything in a partition that was committed
    /// before `then`. A clock that is wrong makes the wait longer, or shorter, by its error.
    ///
    /// # Errors
    /// Those of the outbox.
    pub(crate) async fn all_before(&self, then: Millis, at: Partition) -> Result<RelayProgress> {
        let (begun, source) = (Instant::now(), (self.route)(at));
        let mut head = None;
        while begun.elapsed() < PATIENCE {
            // An event without a sequence number is after every head.
            if head.is_none() && self.outbox.oldest_waiting(source).await?.is_none_or(|oldest| oldest > then) {
                head = Some(self.outbox.head(source).await?);
            }
            if let Some(head) = head {
                let Ok(cursors) = self.cache.cursors(&[at]).await else { return Ok(RelayProgress::Away) };
                // A partition without a cursor has no cached data.
                if cursors.iter().flatten().all(|RelayCursor(place)| *place >= head) {
                    return Ok(RelayProgress::All);
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
        Ok(RelayProgress::Late)
    }
}

impl fmt::Debug for RelayState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelayState").field("cache", &self.cache).field("outbox", &self.outbox).finish_non_exhaustive()
    }
}
