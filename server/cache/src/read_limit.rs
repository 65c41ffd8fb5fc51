//! Limits the concurrent database reads that follow cache misses, for each data source.

use std::collections::BTreeSet;
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

    /// Acquires one permit for each data source of these partitions. The sources are taken in one
    /// order, so that two reads of the same sources never wait for each other.
    ///
    /// # Errors
    /// [`Error::Overloaded`] if a permit of some source did not become free in time.
    pub(crate) async fn acquire(
        &self,
        partitions: impl IntoIterator<Item = Partition>,
    ) -> Result<Vec<SemaphorePermit<'_>>> {
        let overloaded = || Error::Overloaded { after: RETRY_DELAY };
        let sources: BTreeSet<usize> = partitions.into_iter().map(|partition| (self.route)(partition)).collect();
        let acquire_all = async {
            let mut permits = Vec::with_capacity(sources.len());
            for source in sources {
                let source = self.sources.get(source).ok_or_else(|| Error::internal("no such data source"))?;
                permits.push(source.acquire().await.map_err(|_| overloaded())?);
            }
            Ok(permits)
        };
        timeout(self.wait, acquire_all).await.map_err(|_| overloaded())?
    }
}

impl fmt::Debug for DbReadLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DbReadLimit").field("sources", &self.sources).field("wait", &self.wait).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::FutureExt;

    use super::{DbReadLimit, Duration, Error, Partition, RETRY_DELAY};

    #[tokio::test]
    async fn a_read_waits_for_every_source_that_it_reads_and_for_no_other() {
        let limit = limit_of_one_read(Duration::from_millis(1));
        let [even, odd] = [4, 7].map(Partition::number);
        let held = limit.acquire([odd]).await.expect("free");
        let overloaded = Some(Error::Overloaded { after: RETRY_DELAY });
        assert_eq!(limit.acquire([even, odd]).await.err(), overloaded);
        assert_eq!(limit.acquire([odd, even]).await.err(), overloaded);
        drop(limit.acquire([even]).await.expect("a read that failed to start holds no permit"));
        drop(held);
        let both = limit.acquire([odd, even, odd]).await.expect("free");
        assert_eq!(both.len(), 2, "one permit for each source");
        assert_eq!(limit.acquire([even]).await.err(), overloaded);
    }

    #[tokio::test]
    async fn a_read_that_waits_begins_when_the_source_is_free() {
        let limit = limit_of_one_read(Duration::from_secs(3_600));
        let odd = Partition::number(7);
        let held = limit.acquire([odd]).await.expect("free");
        let mut waiting = pin!(limit.acquire([odd]));
        assert!(waiting.as_mut().now_or_never().is_none(), "the source is busy");
        drop(held);
        assert_eq!(waiting.await.map(|permits| permits.len()), Ok(1));
    }

    /// Returns the limit of two sources, by the parity of the partition, with one read on each.
    fn limit_of_one_read(wait: Duration) -> DbReadLimit {
        let by_parity = Box::new(|partition: Partition| usize::from(partition.get() % 2));
        DbReadLimit::new(2, by_parity, 1, wait)
    }
}
