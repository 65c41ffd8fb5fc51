//! Commits that change what members like: it is forgotten before, and may be kept again afterwards.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::ports::Writer;
use riposte_core::{Command, Partition, Receipt, Result};

use crate::port::{Cache, Member};
use crate::tally::{Tally, Told};

/// How often it is tried to begin a new generation where a doubt got lost.
const AGAIN: Duration = Duration::from_millis(200);

/// A [`Writer`] beside copies. What it cannot doubt before a commit, because the cache is away, it makes good when the
/// cache is back: the partition begins a new generation.
#[derive(Debug)]
pub struct CachedWriter {
    inner: Arc<dyn Writer>,
    owed: Arc<Owed>,
}

/// Partitions in which a doubt got lost.
#[derive(Debug)]
struct Owed {
    cache: Arc<dyn Cache>,
    tally: Tally,
    partitions: Mutex<BTreeSet<Partition>>,
    paying: AtomicBool,
}

impl CachedWriter {
    /// Commits by `inner`, beside the copies of `cache`.
    #[must_use]
    pub fn new(inner: Arc<dyn Writer>, cache: Arc<dyn Cache>, tally: Tally) -> Self {
        let owed = Owed { cache, tally, partitions: Mutex::default(), paying: AtomicBool::new(false) };
        Self { inner, owed: Arc::new(owed) }
    }
}

#[async_trait]
impl Writer for CachedWriter {
    async fn commit(&self, batch: &[Command]) -> Result<Vec<Result<Receipt>>> {
        let liking = |command: &Command| {
            let (_, member) = command.verb.needs().like?;
            Some(Member { key: command.subject.clone(), member })
        };
        let mut members: Vec<Member> = batch.iter().filter_map(liking).collect();
        if members.is_empty() {
            return self.inner.commit(batch).await;
        }
        members.sort_unstable_by(|a, b| (&a.key, &a.member).cmp(&(&b.key, &b.member)));
        members.dedup();
        let token = rand::random();
        let doubted = self.owed.cache.doubt(&members, token).await.is_ok();
        let outcome = self.inner.commit(batch).await;
        if doubted {
            let _ = self.owed.cache.settle(&members, token).await;
        } else {
            self.owed.owe(members.iter().map(|who| who.key.partition()));
        }
        outcome
    }
}

impl Owed {
    /// Notes partitions, and sees to it that they are paid for.
    fn owe(self: &Arc<Self>, partitions: impl Iterator<Item = Partition>) {
        self.owing().extend(partitions);
        if !self.paying.swap(true, Ordering::SeqCst) {
            let this = Arc::clone(self);
            tokio::spawn(async move { this.pay().await });
        }
    }

    fn owing(&self) -> std::sync::MutexGuard<'_, BTreeSet<Partition>> {
        self.partitions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn pay(&self) {
        loop {
            let all: Vec<Partition> = self.owing().iter().copied().collect();
            for at in all {
                // A relay that moved on meanwhile finds its cursor set back, and begins the partition anew itself.
                let renewed = match self.cache.cursors(&[at]).await.as_deref() {
                    Ok([Some(cursor)]) => self.cache.renew(at, *cursor, rand::random()).await.is_ok(),
                    Ok(_) => true, // nothing is kept there
                    Err(_) => false,
                };
                if renewed {
                    self.owing().remove(&at);
                    self.tally.one(Told::Renewed);
                }
            }
            if self.owing().is_empty() {
                self.paying.store(false, Ordering::SeqCst);
                // Whoever noted one between the two steps found somebody paying.
                if self.owing().is_empty() || self.paying.swap(true, Ordering::SeqCst) {
                    return;
                }
            }
            tokio::time::sleep(AGAIN).await;
        }
    }
}
