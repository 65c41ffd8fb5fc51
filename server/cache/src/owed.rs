//! What this process could not tell the copies: while it owes that for a partition it reads none of its copies, and it pays by
//! beginning a new generation of the partition as soon as the cache answers again.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use riposte_core::Partition;

use crate::port::{Away, Cache};
use crate::tally::{Tally, Told};

/// How often it is tried to pay.
const AGAIN: Duration = Duration::from_millis(200);

/// See the module. Clones are one.
#[derive(Debug, Clone)]
pub struct Owed(Arc<Debts>);

#[derive(Debug)]
struct Debts {
    cache: Arc<dyn Cache>,
    tally: Tally,
    partitions: Mutex<BTreeSet<Partition>>,
    /// How many there are: most of the time nobody has to look closer.
    count: AtomicUsize,
    /// How often something was noted.
    noted: AtomicUsize,
    paying: AtomicBool,
}

impl Owed {
    /// Nothing is owed to `cache`.
    #[must_use]
    pub fn new(cache: Arc<dyn Cache>, tally: Tally) -> Self {
        let (count, noted, paying) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
        Self(Arc::new(Debts { cache, tally, partitions: Mutex::default(), count, noted, paying }))
    }

    /// Whether anything is.
    pub(crate) fn is_any(&self) -> bool {
        self.0.count.load(Ordering::Acquire) > 0
    }

    /// Refuses copies of a partition for which something is.
    pub(crate) fn clear(&self, at: Partition) -> Result<(), Away> {
        if self.is_any() && self.0.locked().contains(&at) { Err(Away) } else { Ok(()) }
    }

    /// Notes partitions, and sees to it that they are paid for, in this runtime.
    pub(crate) fn owe(&self, partitions: impl Iterator<Item = Partition>) {
        self.0.noted.fetch_add(1, Ordering::SeqCst);
        self.0.change(|owed| owed.extend(partitions));
        if !self.0.paying.swap(true, Ordering::SeqCst) {
            let debts = Arc::clone(&self.0);
            tokio::spawn(async move { debts.pay().await });
        }
    }
}

impl Debts {
    fn locked(&self) -> MutexGuard<'_, BTreeSet<Partition>> {
        self.partitions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut BTreeSet<Partition>)) {
        let mut owed = self.locked();
        change(&mut owed);
        self.count.store(owed.len(), Ordering::Release);
    }

    async fn pay(&self) {
        loop {
            let all: Vec<Partition> = self.locked().iter().copied().collect();
            for at in all {
                let noted = self.noted.load(Ordering::SeqCst);
                // A relay that moved on meanwhile finds its cursor set back, and begins the partition anew itself.
                let paid = match self.cache.cursors(&[at]).await.as_deref() {
                    Ok([Some(cursor)]) => self.cache.renew(at, *cursor, rand::random()).await,
                    Ok(_) => Ok(()), // nothing is kept there
                    Err(Away) => Err(Away),
                };
                match paid {
                    // What was noted meanwhile may not be covered: it is paid once more.
                    Ok(()) if self.noted.load(Ordering::SeqCst) == noted => {
                        self.change(|owed| {
                            owed.remove(&at);
                        });
                        self.tally.one(Told::Renewed);
                    }
                    Ok(()) | Err(Away) => {}
                }
            }
            if self.locked().is_empty() {
                self.paying.store(false, Ordering::SeqCst);
                // Whoever noted one between the two steps found somebody paying.
                if self.locked().is_empty() || self.paying.swap(true, Ordering::SeqCst) {
                    return;
                }
            }
            tokio::time::sleep(AGAIN).await;
        }
    }
}
