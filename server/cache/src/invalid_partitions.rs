//! The partitions whose cached data is not read. A partition is listed because this process failed
//! to update its cached data; it is then renewed, which begins a new generation, as soon as the
//! cache responds again. A partition is also listed while no relay repairs its cached data: see
//! [`StalenessMonitor`](crate::StalenessMonitor).

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use riposte_core::Partition;

use crate::port::{Cache, Unavailable};
use crate::stats::{CacheEvent, CacheStats};

/// The interval between attempts to renew partitions.
const AGAIN: Duration = Duration::from_millis(200);

/// The set of invalid partitions. Clones share the set. See the module.
#[derive(Debug, Clone)]
pub struct InvalidPartitions(Arc<Debts>);

#[derive(Debug)]
struct Debts {
    cache: Arc<dyn Cache>,
    stats: CacheStats,
    partitions: Mutex<BTreeSet<Partition>>,
    /// Partitions that no relay repairs.
    left: Mutex<BTreeSet<Partition>>,
    /// The number of partitions in both sets; zero, the usual case, avoids both locks.
    count: AtomicUsize,
    /// The number of calls that recorded partitions.
    noted: AtomicUsize,
    paying: AtomicBool,
}

impl InvalidPartitions {
    /// Creates an empty set for `cache`.
    #[must_use]
    pub fn new(cache: Arc<dyn Cache>, stats: CacheStats) -> Self {
        let (count, noted, paying) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
        let (partitions, left) = (Mutex::default(), Mutex::default());
        Self(Arc::new(Debts { cache, stats, partitions, left, count, noted, paying }))
    }

    /// Returns an error if the cached data of a partition must not be read.
    pub(crate) fn clear(&self, at: Partition) -> Result<(), Unavailable> {
        let is_owed = || locked(&self.0.partitions).contains(&at) || locked(&self.0.left).contains(&at);
        let is_any = self.0.count.load(Ordering::Acquire) > 0;
        if is_any && is_owed() { Err(Unavailable) } else { Ok(()) }
    }

    /// Marks partitions as not repaired: from now on their cached data is not read.
    pub(crate) fn leave(&self, partitions: &[Partition]) {
        self.0.change(&self.0.left, |left| left.extend(partitions));
    }

    /// Removes that mark.
    pub(crate) fn come_back(&self, partitions: &[Partition]) {
        self.0.change(&self.0.left, |left| {
            for at in partitions {
                left.remove(at);
            }
        });
    }

    /// Records partitions, and starts a task in this runtime that renews them.
    pub(crate) fn owe(&self, partitions: impl Iterator<Item = Partition>) {
        self.0.noted.fetch_add(1, Ordering::SeqCst);
        self.0.change(&self.0.partitions, |invalid| invalid.extend(partitions));
        if !self.0.paying.swap(true, Ordering::SeqCst) {
            let debts = Arc::clone(&self.0);
            tokio::spawn(async move { debts.pay().await });
        }
    }
}

fn locked(of: &Mutex<BTreeSet<Partition>>) -> MutexGuard<'_, BTreeSet<Partition>> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Debts {
    /// Changes one of the two sets.
    fn change(&self, which: &Mutex<BTreeSet<Partition>>, change: impl FnOnce(&mut BTreeSet<Partition>)) {
        let mut of = locked(which);
        let before = of.len();
        change(&mut of);
        // The counter changes by the difference, because the other set may change at the same time.
        match of.len() {
            now if now >= before => self.count.fetch_add(now - before, Ordering::AcqRel),
            now => self.count.fetch_sub(before - now, Ordering::AcqRel),
        };
    }

    async fn pay(&self) {
        loop {
            let all: Vec<Partition> = locked(&self.partitions).iter().copied().collect();
            for at in all {
                let noted = self.noted.load(Ordering::SeqCst);
                // A relay that has advanced meanwhile finds its cursor set back, and renews the
                // partition itself.
                let paid = match self.cache.cursors(&[at]).await.as_deref() {
                    Ok([Some(cursor)]) => self.cache.renew(at, *cursor, rand::random()).await,
                    Ok(_) => Ok(()), // the cache stores nothing there
                    Err(Unavailable) => Err(Unavailable),
                };
                match paid {
                    // The renewal may not cover what was recorded meanwhile, so the partition is
                    // renewed again.
                    Ok(()) if self.noted.load(Ordering::SeqCst) == noted => {
                        self.change(&self.partitions, |invalid| {
                            invalid.remove(&at);
                        });
                        self.stats.one(CacheEvent::GenerationStarted);
                    }
                    Ok(()) | Err(Unavailable) => {}
                }
            }
            if locked(&self.partitions).is_empty() {
                self.paying.store(false, Ordering::SeqCst);
                // A caller that recorded a partition between the two steps found this task running.
                if locked(&self.partitions).is_empty() || self.paying.swap(true, Ordering::SeqCst) {
                    return;
                }
            }
            tokio::time::sleep(AGAIN).await;
        }
    }
}
