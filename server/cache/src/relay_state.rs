//! How far the relay is with what it brings to copies.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use riposte_core::ports::{Clock, Outbox};
use riposte_core::{Millis, Partition, Result};

use crate::port::{Cache, RelayCursor};
use crate::read_limit::SourceRoute;

/// How long the relay is waited for: longer than it takes after any fault that it survives.
const PATIENCE: Duration = Duration::from_secs(15);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(200);

/// What waiting for the relay came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RelayProgress {
    /// Copies were told.
    All,
    /// They were not told in time.
    Late,
    /// They cannot be asked.
    Away,
}

/// See the module.
pub struct RelayState {
    cache: Arc<dyn Cache>,
    outbox: Arc<dyn Outbox>,
    route: SourceRoute,
    clock: Arc<dyn Clock>,
}

impl RelayState {
    /// What the relay brings of the events in `outbox` to `cache`; `clock` is the one by which commits were made.
    #[must_use]
    pub fn new(cache: Arc<dyn Cache>, outbox: Arc<dyn Outbox>, route: SourceRoute, clock: Arc<dyn Clock>) -> Self {
        Self { cache, outbox, route, clock }
    }

    /// The time, as commits have it.
    pub(crate) fn now(&self) -> Millis {
        self.clock.now()
    }

    /// Waits until the copies of a partition were told of all that was committed before `then`, for some seconds. A clock that is off
    /// makes it wait longer, or shorter by as much.
    ///
    /// # Errors
    /// Those of the outbox.
    pub(crate) async fn all_before(&self, then: Millis, at: Partition) -> Result<RelayProgress> {
        let (begun, source) = (Instant::now(), (self.route)(at));
        let mut head = None;
        while begun.elapsed() < PATIENCE {
            // What has no number yet is beyond every head.
            if head.is_none() && self.outbox.oldest_waiting(source).await?.is_none_or(|oldest| oldest > then) {
                head = Some(self.outbox.head(source).await?);
            }
            if let Some(head) = head {
                let Ok(cursors) = self.cache.cursors(&[at]).await else { return Ok(RelayProgress::Away) };
                // Where there is none, nothing is kept.
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
        f.debug_struct("Relayed").field("cache", &self.cache).field("outbox", &self.outbox).finish_non_exhaustive()
    }
}
