//! The progress of the relay in reporting commits to the cache.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use riposte_core::ports::{Clock, EventLog};
use riposte_core::{Millis, Partition, Result};

use crate::port::{Cache, RelayCursor};
use crate::read_limit::SourceRoute;

/// The maximum wait for the relay. The relay needs less, also after a fault from which it recovers.
const MAX_WAIT: Duration = Duration::from_secs(15);
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
    Unavailable,
}

/// Compares the relay's cursors with the outbox. See the module.
pub struct RelayState {
    cache: Arc<dyn Cache>,
    outbox: Arc<dyn EventLog>,
    route: SourceRoute,
    clock: Arc<dyn Clock>,
}

impl RelayState {
    /// Compares the cursors in `cache` with the events of `outbox`. `clock` is the clock that gives
    /// commits their times.
    #[must_use]
    pub fn new(cache: Arc<dyn Cache>, outbox: Arc<dyn EventLog>, route: SourceRoute, clock: Arc<dyn Clock>) -> Self {
        Self { cache, outbox, route, clock }
    }

    /// Returns the current time on the clock of commits.
    pub(crate) fn now(&self) -> Millis {
        self.clock.now()
    }

    /// Waits until the cache has received all commits of a partition before `time`, but at most 15
    /// seconds. An error of the clock makes the wait longer or shorter by the same amount.
    ///
    /// # Errors
    /// Those of the outbox.
    pub(crate) async fn wait_for_commits_before(&self, time: Millis, partition: Partition) -> Result<RelayProgress> {
        let (begin, source) = (Instant::now(), (self.route)(partition));
        let mut head = None;
        while begin.elapsed() < MAX_WAIT {
            // The head is past a commit only once the commit has a sequence number.
            if head.is_none() {
                let state = self.outbox.state(source).await?;
                head = state.oldest_waiting.is_none_or(|oldest| oldest > time).then_some(state.head);
            }
            if let Some(head) = head {
                let Ok(cursors) = self.cache.cursors(&[partition]).await else { return Ok(RelayProgress::Unavailable) };
                // A partition without a cursor has no cached data.
                if cursors.iter().flatten().all(|RelayCursor(position)| *position >= head) {
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
