//! The id generator. It generates ids in the process under a worker number that is leased in the
//! data source of the rows that the ids name.
//!
//! The column `minted_until` of the lease row is the limit: a holder generates ids only for ticks
//! below it, and raises it before it uses later ticks. The next holder starts at it. So two
//! processes never generate the same id, whatever their clocks show.
//!
//! A generator never goes back, so after a clock that was ahead it has ids only for the second that
//! a partition may borrow. It then takes another worker number that begins earlier, if one is free.

mod holders;
mod lease;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;
use riposte_core::ids::{IdError, IdGenerator, IdLease, IdTick};
use riposte_core::ports::{Clock, IdSource};
use riposte_core::{CommentId, Error, Partition, Result};
use tokio::sync::Notify;

use self::lease::LeaseRenewal;
use super::pool::DataSources;
use super::retry::RetryPolicy;
use super::task;
use crate::error::{ErrorClass, StoreError, StoreResult};
pub(crate) use holders::holders;

/// The interval at which a lease in use is extended; well below its duration.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(2);
/// The wait between attempts when a partition has used all ids of the next second.
const EXHAUSTED_WAIT: Duration = Duration::from_millis(4);
const ATTEMPTS_MAX: u32 = 125;

/// Generates an id of a partition at a time.
type Generate = fn(&mut IdGenerator, Partition, IdTick) -> std::result::Result<CommentId, IdError>;

/// Generates ids for all data sources.
#[derive(Debug)]
pub(crate) struct SqlIds {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    sources: Arc<DataSources>,
    clock: Arc<dyn Clock>,
    workers: Vec<WorkerLease>,
    closed: Arc<Notify>,
}

/// The right to generate ids in one data source.
#[derive(Debug)]
struct WorkerLease {
    /// The name of this process in the lease row.
    owner: [u8; 16],
    generator: Mutex<Option<IdGenerator>>,
    /// True if an id was generated since the lease was last extended: an idle process lets its
    /// leases expire.
    used: AtomicBool,
    /// Held while the lease row is changed.
    renewing: tokio::sync::Mutex<()>,
}

impl SqlIds {
    /// Starts the generator; a lease is taken when it is first used.
    pub(crate) fn new(sources: Arc<DataSources>, clock: Arc<dyn Clock>) -> Self {
        let workers = sources.all().iter().map(|_| WorkerLease::new()).collect();
        let inner = Arc::new(Inner { sources, clock, workers, closed: Arc::new(Notify::new()) });
        inner.sources.runner().spawn(renew_while_used(Arc::downgrade(&inner)));
        Self { inner }
    }

    /// Returns an id for a commit whose first change is in `partition`. No other commit of the data
    /// source has it; a comment may. It is not taken from the ids of the partition.
    pub(crate) fn commit(&self, partition: Partition) -> BoxFuture<'_, Result<CommentId>> {
        // Boxed: the compiler limits the depth of a future's type, and a commit is deep already.
        Box::pin(self.generate(partition, IdGenerator::generate_commit))
    }

    async fn generate(&self, partition: Partition, generate: Generate) -> Result<CommentId> {
        let source = self.inner.sources.map().source(partition);
        let (worker, runner) = (&self.inner.workers[source], self.inner.sources.runner());
        let mut replaced = false;
        for _ in 0..ATTEMPTS_MAX {
            match worker.generate(|generator| generate(generator, partition, self.inner.now())) {
                Ok(id) => return Ok(id),
                Err(IdError::LeaseExpired) => {
                    let inner = Arc::clone(&self.inner);
                    let ensure_lease = async move { inner.ensure_lease(source).await };
                    task::run(runner, (source, "lease worker"), ensure_lease).await?;
                }
                Err(IdError::Exhausted) if !replaced && worker.millis_ahead(self.inner.now()) > 0 => {
                    replaced = true;
                    let inner = Arc::clone(&self.inner);
                    let replace = async move { inner.replace_lease_ahead(source).await };
                    task::run(runner, (source, "replace worker"), replace).await?;
                }
                Err(IdError::Exhausted) => tokio::time::sleep(EXHAUSTED_WAIT).await,
            }
        }
        Err(Error::Overloaded { after: Duration::from_secs(1) })
    }

    /// Releases the leases, so that their worker numbers are free at once.
    pub(crate) async fn close(&self) {
        self.inner.closed.notify_one();
        for source in 0..self.inner.workers.len() {
            let inner = Arc::clone(&self.inner);
            let released = task::run(self.inner.sources.runner(), (source, "release worker"), async move {
                inner.release(source).await
            });
            if let Err(error) = released.await {
                tracing::debug!(%error, source = source + 1, "a worker lease could not be released; it will expire");
            }
        }
    }
}

#[async_trait]
impl IdSource for SqlIds {
    async fn comment(&self, partition: Partition) -> Result<CommentId> {
        self.generate(partition, IdGenerator::generate).await
    }

    fn request(&self) -> [u8; 16] {
        let mut id: [u8; 16] = rand::random();
        // The marker bits of a UUIDv4, so that readers do not search for a time in it.
        id[6] = id[6] & 0x0f | 0x40;
        id[8] = id[8] & 0x3f | 0x80;
        id
    }
}

impl WorkerLease {
    fn new() -> Self {
        Self {
            owner: rand::random(),
            generator: Mutex::new(None),
            used: AtomicBool::new(false),
            renewing: tokio::sync::Mutex::new(()),
        }
    }

    fn generate(
        &self,
        generate: impl FnOnce(&mut IdGenerator) -> std::result::Result<CommentId, IdError>,
    ) -> std::result::Result<CommentId, IdError> {
        self.used.store(true, Ordering::Relaxed);
        self.with_generator(|generator| generator.as_mut().ok_or(IdError::LeaseExpired).and_then(generate))
    }

    /// Returns by how many milliseconds the generator is ahead of `now`, beyond the borrowed
    /// second.
    fn millis_ahead(&self, now: IdTick) -> i64 {
        self.with_generator(|generator| generator.as_ref().map_or(0, |generator| generator.millis_ahead(now)))
    }

    fn with_generator<T>(&self, f: impl FnOnce(&mut Option<IdGenerator>) -> T) -> T {
        f(&mut self.generator.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Inner {
    fn now(&self) -> IdTick {
        IdTick::at(self.clock.now())
    }

    /// Ensures that the lease of a source covers the present.
    async fn ensure_lease(&self, source: usize) -> std::result::Result<(), StoreError> {
        let worker = &self.workers[source];
        let _guard = worker.renewing.lock().await;
        // Another call may have extended it while this one waited.
        let now = self.now();
        if worker.with_generator(|generator| {
            generator.as_ref().is_some_and(|generator| lease::covers(&generator.lease(), generator.current_tick(now)))
        }) {
            return Ok(());
        }
        self.renew(source).await
    }

    /// Extends the lease of a source, or takes a new one if none is held or it was lost.
    async fn renew(&self, source: usize) -> std::result::Result<(), StoreError> {
        if self.leave_ahead(source).await? {
            return Ok(());
        }
        let (sources, worker) = (&self.sources, &self.workers[source]);
        if let Some((lease, renewal)) = self.held(source) {
            let extend = || lease::extend(sources, source, &lease, &worker.owner, &renewal);
            if let Some(until) = with_retries(extend).await? {
                worker.with_generator(|generator| generator.iter_mut().for_each(|generator| generator.extend(until)));
                return Ok(());
            }
            tracing::warn!(
                source = source + 1,
                worker = lease.worker,
                "the worker lease was lost; another one is acquired"
            );
            worker.with_generator(|generator| *generator = None);
        }
        let lease = with_retries(|| lease::take(sources, source, &worker.owner, self.clock.now())).await?;
        worker.with_generator(|generator| *generator = Some(IdGenerator::new(lease)));
        tracing::debug!(source = source + 1, worker = lease.worker, "a worker number was leased");
        Ok(())
    }

    /// Returns the lease of a source, if one is held, and the time of its renewal.
    fn held(&self, source: usize) -> Option<(IdLease, LeaseRenewal)> {
        let now = self.clock.now();
        let renewal = |generator: &IdGenerator| LeaseRenewal { now, present: generator.current_tick(IdTick::at(now)) };
        self.workers[source]
            .with_generator(|generator| generator.as_ref().map(|generator| (generator.lease(), renewal(generator))))
    }

    /// Takes another worker number for a source whose generator is ahead of the clock.
    async fn replace_lease_ahead(&self, source: usize) -> std::result::Result<(), StoreError> {
        let _guard = self.workers[source].renewing.lock().await;
        self.leave_ahead(source).await.map(|_| ())
    }

    /// Takes another worker number if the generator is ahead of the clock and a number that begins
    /// earlier is free; returns whether it did. The caller holds `renewing`.
    async fn leave_ahead(&self, source: usize) -> std::result::Result<bool, StoreError> {
        let worker = &self.workers[source];
        let ahead_ms = worker.millis_ahead(self.now());
        let Some((held, renewal)) = self.held(source).filter(|_| ahead_ms > 0) else { return Ok(false) };
        self.sources.runner().clock_was_ahead(source);
        let replace = || lease::replace(&self.sources, source, &held, &worker.owner, &renewal);
        let replacement = with_retries(replace).await?;
        match replacement {
            Some(lease) => {
                worker.with_generator(|generator| *generator = Some(IdGenerator::new(lease)));
                tracing::warn!(
                    source = source + 1,
                    worker = held.worker,
                    ahead_ms,
                    replacement = lease.worker,
                    "the ids of a worker number are ahead of the clock, which was ahead before; another number is used"
                );
            }
            None => tracing::warn!(
                source = source + 1,
                worker = held.worker,
                ahead_ms,
                "the ids of a worker number are ahead of the clock, and no number that begins earlier is free; each \
                 partition has 64,000 ids until the clock has caught up"
            ),
        }
        Ok(replacement.is_some())
    }

    /// Extends the leases that were used since the last call.
    async fn renew_used_leases(&self) {
        for (source, worker) in self.workers.iter().enumerate() {
            if !worker.used.swap(false, Ordering::Relaxed) {
                continue;
            }
            let _guard = worker.renewing.lock().await;
            if worker.with_generator(|generator| generator.is_none()) {
                continue; // released meanwhile: a process that ends acquires no further lease
            }
            if let Err(fault) = self.renew(source).await {
                // The next call after the end of the lease tries again and returns the error to its
                // caller.
                tracing::warn!(error = %fault, source = source + 1, "a worker lease was not renewed");
            }
        }
    }

    async fn release(&self, source: usize) -> std::result::Result<(), StoreError> {
        let worker = &self.workers[source];
        let _guard = worker.renewing.lock().await;
        match worker.with_generator(Option::take) {
            Some(generator) => {
                let lease = generator.lease();
                with_retries(|| lease::release(&self.sources, source, &lease, &worker.owner)).await
            }
            None => Ok(()),
        }
    }
}

/// Runs the transaction of a lease, again after a conflict: processes that start together lock the
/// same rows.
async fn with_retries<T, F: Future<Output = StoreResult<T>>>(mut run: impl FnMut() -> F) -> StoreResult<T> {
    let mut retry = RetryPolicy::default();
    loop {
        let outcome = run().await;
        let class = outcome.as_ref().err().and_then(retried_as);
        match class {
            Some(class) if retry.wait_before_retry(class, false).await => {}
            Some(_) | None => return outcome,
        }
    }
}

/// Returns the class by which the transaction of a lease is retried. It locks no rows but those of
/// leases, so a lock is a conflict.
fn retried_as(fault: &StoreError) -> Option<ErrorClass> {
    match fault.class() {
        ErrorClass::Conflict | ErrorClass::Locked => Some(ErrorClass::Conflict),
        ErrorClass::SecondShard => Some(ErrorClass::SecondShard),
        ErrorClass::Duplicate | ErrorClass::Lost | ErrorClass::Unreachable | ErrorClass::Fatal => None,
    }
}

/// Renews the leases until the generator is closed or dropped. Only the pause is ever cancelled,
/// never work on the database.
async fn renew_while_used(ids: Weak<Inner>) {
    loop {
        let Some(inner) = ids.upgrade() else { return };
        inner.renew_used_leases().await;
        let closed = Arc::clone(&inner.closed);
        drop(inner);
        tokio::select! {
            () = tokio::time::sleep(RENEWAL_INTERVAL) => {}
            () = closed.notified() => return,
        }
    }
}
