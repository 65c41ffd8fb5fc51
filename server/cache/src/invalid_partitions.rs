//! What this process could not tell the copies: while it owes that for a partition it reads none of its copies, and it pays by
//! beginning a new generation of the partition as soon as the cache answers again. And what nobody tells them: see
//! [`Vigil`](crate::StalenessMonitor).

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use riposte_core::Partition;

use crate::port::{Cache, Unavailable};
use crate::stats::{CacheEvent, CacheStats};

/// How often it is tried to pay.
const AGAIN: Duration = Duration::from_millis(200);

/// See the module. Clones are one.
#[derive(Debug, Clone)]
pub struct InvalidPartitions(Arc<Debts>);

#[derive(Debug)]
struct Debts {
    cache: Arc<dyn Cache>,
    tally: CacheStats,
    partitions: Mutex<BTreeSet<Partition>>,
    /// Those that nobody mends.
    left: Mutex<BTreeSet<Partition>>,
    /// How many there are of both: most of the time nobody has to look closer.
    count: AtomicUsize,
    /// How often something was noted.
    noted: AtomicUsize,
    paying: AtomicBool,
}

impl InvalidPartitions {
    /// Nothing is owed to `cache`.
    #[must_use]
    pub fn new(cache: Arc<dyn Cache>, tally: CacheStats) -> Self {
        let (count, noted, paying) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
        let (partitions, left) = (Mutex::default(), Mutex::default());
        Self(Arc::new(Debts { cache, tally, partitions, left, count, noted, paying }))
    }

    /// Refuses copies of a partition for which something is.
    pub(crate) fn clear(&self, at: Partition) -> Result<(), Unavailable> {
        let is_owed = || locked(&self.0.partitions).contains(&at) || locked(&self.0.left).contains(&at);
        let is_any = self.0.count.load(Ordering::Acquire) > 0;
        if is_any && is_owed() { Err(Unavailable) } else { Ok(()) }
    }

    /// From now on copies of these are refused: nobody mends them.
    pub(crate) fn leave(&self, partitions: &[Partition]) {
        self.0.change(&self.0.left, |left| left.extend(partitions));
    }

    /// Ends that.
    pub(crate) fn come_back(&self, partitions: &[Partition]) {
        self.0.change(&self.0.left, |left| {
            for at in partitions {
                left.remove(at);
            }
        });
    }

    /// Notes partitions, and sees to it that they are paid for, in this runtime.
    pub(crate) fn owe(&self, partitions: impl Iterator<Item = Partition>) {
        self.0.noted.fetch_add(1, Ordering::SeqCst);
        self.0.change(&self.0.partitions, |owed| owed.extend(partitions));
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
    /// Changes one of the two.
    fn change(&self, which: &Mutex<BTreeSet<Partition>>, change: impl FnOnce(&mut BTreeSet<Partition>)) {
        let mut of = locked(which);
        let before = of.len();
        change(&mut of);
        // By the difference: the other one may change at the same time.
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
                // A relay that moved on meanwhile finds its cursor set back, and begins the partition anew itself.
                let paid = match self.cache.cursors(&[at]).await.as_deref() {
                    Ok([Some(cursor)]) => self.cache.renew(at, *cursor, rand::random()).await,
                    Ok(_) => Ok(()), // nothing is kept there
                    Err(Unavailable) => Err(Unavailable),
                };
                match paid {
                    // What was noted meanwhile may not be covered: it is paid once more.
                    Ok(()) if self.noted.load(Ordering::SeqCst) == noted => {
                        self.change(&self.partitions, |owed| {
                            owed.remove(&at);
                        });
                        self.tally.one(CacheEvent::Renewed);
                    }
                    Ok(()) | Err(Unavailable) => {}
                }
            }
            if locked(&self.partitions).is_empty() {
                self.paying.store(false, Ordering::SeqCst);
                // Whoever noted one between the two steps found somebody paying.
                if locked(&self.partitions).is_empty() || self.paying.swap(true, Ordering::SeqCst) {
                    return;
                }
            }
            tokio::time::sleep(AGAIN).await;
        }
    }
}
