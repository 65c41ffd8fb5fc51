//! Limits the concurrent database reads that follow cache misses, for each data source.

use std::fmt;
use std::time::Duration;

use riposte_core::{Error, Partition, Result};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

/// Maps a partition to its data source (from 0).
pub type SourceRoute = Box<dyn Fn(Partition) -> usize + Send + Sync>;

/// The delay after which a rejected call may be repeated.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// The limit on concurrent reads, for each data source.
pub struct DbReadLimit {
    sources: Vec<Semaphore>,
    route: SourceRoute,
    wait: Duration,
}

impl DbReadLimit {
    /// Allows `reads` concurrent reads on each of `sources` data sources. A further read waits for
    /// a permit, at most for `wait`.
    #[must_use]
    pub fn new(sources: usize, route: SourceRoute, reads: usize, wait: Duration) -> Self {
        Self { sources: (0..sources.max(1)).map(|_| Semaphore::new(reads)).collect(), route, wait }
    }

    /// Acquires a permit for the data source of a partition.
    ///
    /// # Errors
    /// [`Error::Overloaded`] if no permit became free in time.
    pub(crate) async fn acquire(&self, partition: Partition) -> Result<SemaphorePermit<'_>> {
        let overloaded = || Error::Overloaded { after: RETRY_DELAY };
        let source = self.sources.get((self.route)(partition)).ok_or_else(|| Error::internal("no such data source"))?;
        let permit = timeout(self.wait, source.acquire()).await.map_err(|_| overloaded())?;
        permit.map_err(|_| overloaded())
    }
}

impl fmt::Debug for DbReadLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DbReadLimit").field("sources", &self.sources).field("wait", &self.wait).finish_non_exhaustive()
    }
}
