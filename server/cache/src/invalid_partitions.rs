//! The partitions whose cached data is not read, for one of two reasons. This process failed to
//! update the cached data: as soon as the cache responds again, the partition is renewed, which
//! begins a new generation. Or no relay repairs the cached data: the partition is stale, see
//! [`StalenessMonitor`](crate::StalenessMonitor).

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use riposte_core::Partition;

use crate::port::{Cache, Unavailable};
use crate::stats::{CacheEvent, CacheStats};

/// The interval between attempts to renew partitions.
const RETRY_INTERVAL: Duration = Duration::from_millis(200);

/// The invalid partitions. Clones share them. See the module.
#[derive(Debug, Clone)]
pub struct InvalidPartitions(Arc<PartitionSets>);

#[derive(Debug)]
struct PartitionSets {
    cache: Arc<dyn Cache>,
    stats: CacheStats,
    /// Partitions to renew.
    to_renew: Mutex<BTreeSet<Partition>>,
    /// Partitions that no relay repairs.
    stale: Mutex<BTreeSet<Partition>>,
    /// The number of partitions in both sets; zero, the usual case, avoids both locks.
    count: AtomicUsize,
    /// The number of calls of [`InvalidPartitions::renew`].
    requests: AtomicUsize,
    /// True while a task renews partitions.
    renewing: AtomicBool,
}

impl InvalidPartitions {
    /// Creates empty sets for `cache`.
    #[must_use]
    pub fn new(cache: Arc<dyn Cache>, stats: CacheStats) -> Self {
        let (count, requests, renewing) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
        let (to_renew, stale) = (Mutex::default(), Mutex::default());
        Self(Arc::new(PartitionSets { cache, stats, to_renew, stale, count, requests, renewing }))
    }

    /// Returns an error if the cached data of a partition must not be read.
    pub(crate) fn check(&self, partition: Partition) -> Result<(), Unavailable> {
        let contains = |set| locked(set).contains(&partition);
        let is_any = self.0.count.load(Ordering::Acquire) > 0;
        if is_any && (contains(&self.0.to_renew) || contains(&self.0.stale)) { Err(Unavailable) } else { Ok(()) }
    }

    /// Marks partitions as stale: from now on their cached data is not read.
    pub(crate) fn mark_stale(&self, partitions: &[Partition]) {
        self.0.change(&self.0.stale, |stale| stale.extend(partitions));
    }

    /// Removes the mark of [`InvalidPartitions::mark_stale`].
    pub(crate) fn unmark_stale(&self, partitions: &[Partition]) {
        self.0.change(&self.0.stale, |stale| {
            for partition in partitions {
                stale.remove(partition);
            }
        });
    }

    /// Records partitions whose update failed, and starts a task in this runtime that renews them.
    pub(crate) fn renew(&self, partitions: impl Iterator<Item = Partition>) {
        self.0.requests.fetch_add(1, Ordering::SeqCst);
        self.0.change(&self.0.to_renew, |to_renew| to_renew.extend(partitions));
        if !self.0.renewing.swap(true, Ordering::SeqCst) {
            let sets = Arc::clone(&self.0);
            tokio::spawn(async move { sets.renew_all().await });
        }
    }
}

fn locked(set: &Mutex<BTreeSet<Partition>>) -> MutexGuard<'_, BTreeSet<Partition>> {
    set.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PartitionSets {
    /// Changes one of the two sets.
    fn change(&self, set: &Mutex<BTreeSet<Partition>>, change: impl FnOnce(&mut BTreeSet<Partition>)) {
        let mut set = locked(set);
        let before = set.len();
        change(&mut set);
        // The counter changes by the difference, because the other set may change at the same time.
        match set.len() {
            after if after >= before => self.count.fetch_add(after - before, Ordering::AcqRel),
            after => self.count.fetch_sub(before - after, Ordering::AcqRel),
        };
    }

    /// Renews partitions until none is left.
    async fn renew_all(&self) {
        loop {
            let all: Vec<Partition> = locked(&self.to_renew).iter().copied().collect();
            for partition in all {
                let requests = self.requests.load(Ordering::SeqCst);
                // If the relay advances the cursor between these two calls, the renewal sets the
                // cursor back. The relay then finds it at another position, and renews the
                // partition itself.
                let renewed = match self.cache.cursors(&[partition]).await.as_deref() {
                    Ok([Some(cursor)]) => self.cache.renew(partition, *cursor, rand::random()).await,
                    // Without a cursor the cache stores nothing for the partition.
                    Ok(_) => Ok(()),
                    Err(Unavailable) => Err(Unavailable),
                };
                match renewed {
                    // After a request that came meanwhile the partition is renewed again, because
                    // the renewal may have preceded the failed update.
                    Ok(()) if self.requests.load(Ordering::SeqCst) == requests => {
                        self.change(&self.to_renew, |to_renew| {
                            to_renew.remove(&partition);
                        });
                        self.stats.increment(CacheEvent::GenerationStarted);
                    }
                    Ok(()) | Err(Unavailable) => {}
                }
            }
            if locked(&self.to_renew).is_empty() {
                self.renewing.store(false, Ordering::SeqCst);
                // A caller that recorded a partition just before the store started no task, because
                // it found this one running.
                if locked(&self.to_renew).is_empty() || self.renewing.swap(true, Ordering::SeqCst) {
                    return;
                }
            }
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    }
}
