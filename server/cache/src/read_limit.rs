//! How many reads of the rows that the cache could not answer may be under way on each data source.

use std::fmt;
use std::time::Duration;

use riposte_core::{Error, Partition, Result};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;

/// Which data source a partition lies on, from 0 on.
pub type SourceRoute = Box<dyn Fn(Partition) -> usize + Send + Sync>;

/// When a caller who found no room should come again.
const AGAIN: Duration = Duration::from_millis(100);

/// See the module.
pub struct DbReadLimit {
    sources: Vec<Semaphore>,
    route: SourceRoute,
    wait: Duration,
}

impl DbReadLimit {
    /// Room for `reads` on each of `sources`; who finds none waits for so long.
    #[must_use]
    pub fn new(sources: usize, route: SourceRoute, reads: usize, wait: Duration) -> Self {
        Self { sources: (0..sources.max(1)).map(|_| Semaphore::new(reads)).collect(), route, wait }
    }

    /// Enters the source of a partition.
    ///
    /// # Errors
    /// [`Error::Overloaded`] where no room came free in time.
    pub(crate) async fn enter(&self, at: Partition) -> Result<SemaphorePermit<'_>> {
        let overloaded = || Error::Overloaded { after: AGAIN };
        let source = self.sources.get((self.route)(at)).ok_or_else(|| Error::internal("no such data source"))?;
        let entered = timeout(self.wait, source.acquire()).await.map_err(|_| overloaded())?;
        entered.map_err(|_| overloaded())
    }
}

impl fmt::Debug for DbReadLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Room").field("sources", &self.sources).field("wait", &self.wait).finish_non_exhaustive()
    }
}
