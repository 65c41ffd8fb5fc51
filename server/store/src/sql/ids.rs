//! Ids, minted in the process under a worker number that is leased in the data source whose rows they name.
//!
//! The lease row's `minted_until` is the promise: a holder mints only ticks below it, and moves it ahead before it
//! needs more; a successor mints only from it on. So two processes never mint the same id, whatever their clocks say.

mod lease;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::ids::{IdError, IdGenerator, IdTick};
use riposte_core::ports::{Clock, IdSource};
use riposte_core::{CommentId, Error, Partition, Result};
use tokio::sync::Notify;

use self::lease::LeaseRenewal;
use super::pool::DataSources;
use super::retry::RetryPolicy;
use super::task;
use crate::error::{ErrorClass, StoreError};

/// How often a lease in use is moved ahead; well within the time it lasts.
const RENEWAL: Duration = Duration::from_secs(2);
/// How long a call waits for a partition whose ids of the next second are all taken.
const WAIT: Duration = Duration::from_millis(4);
const WAITS: u32 = 125;

/// Mints ids for all data sources.
#[derive(Debug)]
pub(crate) struct SqlIds {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    sources: Arc<DataSources>,
    clock: Arc<dyn Clock>,
    seats: Vec<WorkerLease>,
    closed: Arc<Notify>,
}

/// The right to mint in one data source.
#[derive(Debug)]
struct WorkerLease {
    /// What the lease row knows this process by.
    owner: [u8; 16],
    minter: Mutex<Option<IdGenerator>>,
    /// Whether an id was minted since the lease was last moved: an idle process lets its leases run out.
    used: AtomicBool,
    /// Held while the lease row is worked on.
    renewing: tokio::sync::Mutex<()>,
}

impl SqlIds {
    /// Starts to mint; no lease is taken before it is needed.
    pub(crate) fn new(sources: Arc<DataSources>, clock: Arc<dyn Clock>) -> Self {
        let seats = sources.all().iter().map(|_| WorkerLease::new()).collect();
        let inner = Arc::new(Inner { sources, clock, seats, closed: Arc::new(Notify::new()) });
        inner.sources.desk().spawn(renew_while_used(Arc::downgrade(&inner)));
        Self { inner }
    }

    /// Gives the leases back, so that their worker numbers are free at once.
    pub(crate) async fn close(&self) {
        self.inner.closed.notify_one();
        for number in 0..self.inner.seats.len() {
            let inner = Arc::clone(&self.inner);
            let released =
                task::run(
                    self.inner.sources.desk(),
                    (number, "release worker"),
                    async move { inner.release(number).await },
                );
            if let Err(error) = released.await {
                tracing::debug!(%error, source = number + 1, "a worker lease is left to run out");
            }
        }
    }
}

#[async_trait]
impl IdSource for SqlIds {
    async fn comment(&self, partition: Partition) -> Result<CommentId> {
        let number = self.inner.sources.map().source(partition);
        for _ in 0..WAITS {
            match self.inner.seats[number].mint(partition, self.inner.now()) {
                Ok(id) => return Ok(id),
                Err(IdError::LeaseExpired) => {
                    let inner = Arc::clone(&self.inner);
                    let cover = async move { inner.cover(number).await };
                    task::run(self.inner.sources.desk(), (number, "lease worker"), cover).await?;
                }
                Err(IdError::Exhausted) => tokio::time::sleep(WAIT).await,
            }
        }
        Err(Error::Overloaded { after: Duration::from_secs(1) })
    }

    fn request(&self) -> [u8; 16] {
        let mut id: [u8; 16] = rand::random();
        // The marks of a UUIDv4, so that nobody reads a time out of it.
        id[6] = id[6] & 0x0f | 0x40;
        id[8] = id[8] & 0x3f | 0x80;
        id
    }
}

impl WorkerLease {
    fn new() -> Self {
        Self {
            owner: rand::random(),
            minter: Mutex::new(None),
            used: AtomicBool::new(false),
            renewing: tokio::sync::Mutex::new(()),
        }
    }

    fn mint(&self, partition: Partition, now: IdTick) -> std::result::Result<CommentId, IdError> {
        self.used.store(true, Ordering::Relaxed);
        let mut minter = self.minter.lock().unwrap_or_else(PoisonError::into_inner);
        minter.as_mut().ok_or(IdError::LeaseExpired)?.mint(partition, now)
    }

    fn with<T>(&self, f: impl FnOnce(&mut Option<IdGenerator>) -> T) -> T {
        f(&mut self.minter.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Inner {
    fn now(&self) -> IdTick {
        IdTick::at(self.clock.now())
    }

    /// Sees to it that the lease of a source covers the present.
    async fn cover(&self, number: usize) -> std::result::Result<(), StoreError> {
        let seat = &self.seats[number];
        let _alone = seat.renewing.lock().await;
        // Another call may have done it while this one waited.
        let now = self.now();
        if seat.with(|minter| minter.as_ref().is_some_and(|minter| lease::covers(&minter.lease(), minter.present(now))))
        {
            return Ok(());
        }
        // Processes that start together want the same rows; nothing else is locked for a lease.
        let mut patience = RetryPolicy::default();
        loop {
            match self.renew(number).await {
                Err(fault) if is_taken(&fault) && patience.again(ErrorClass::Conflict, false).await => {}
                renewed => return renewed,
            }
        }
    }

    /// Moves the lease of a source ahead, or takes a new one where there is none or it was lost.
    async fn renew(&self, number: usize) -> std::result::Result<(), StoreError> {
        let (sources, seat) = (&self.sources, &self.seats[number]);
        let now = self.clock.now();
        let held =
            |minter: &IdGenerator| (minter.lease(), LeaseRenewal { now, present: minter.present(IdTick::at(now)) });
        if let Some((lease, moment)) = seat.with(|minter| minter.as_ref().map(held)) {
            if let Some(until) = lease::extend(sources, number, &lease, &seat.owner, &moment).await? {
                seat.with(|minter| minter.iter_mut().for_each(|minter| minter.extend(until)));
                return Ok(());
            }
            tracing::warn!(source = number + 1, worker = lease.worker, "the worker lease was lost; another is taken");
            seat.with(|minter| *minter = None);
        }
        let lease = lease::take(sources, number, &seat.owner, self.clock.now()).await?;
        seat.with(|minter| *minter = Some(IdGenerator::new(lease)));
        tracing::debug!(source = number + 1, worker = lease.worker, "a worker number is leased");
        Ok(())
    }

    /// Moves the leases ahead that were used since the last time.
    async fn renew_used(&self) {
        for (number, seat) in self.seats.iter().enumerate() {
            if !seat.used.swap(false, Ordering::Relaxed) {
                continue;
            }
            let _alone = seat.renewing.lock().await;
            if seat.with(|minter| minter.is_none()) {
                continue; // given back meanwhile: nothing is taken again for a process that ends
            }
            if let Err(fault) = self.renew(number).await {
                // The next mint past the end of the lease asks again, and tells its caller.
                tracing::warn!(?fault, source = number + 1, "a worker lease was not renewed");
            }
        }
    }

    async fn release(&self, number: usize) -> std::result::Result<(), StoreError> {
        let seat = &self.seats[number];
        let _alone = seat.renewing.lock().await;
        match seat.with(Option::take) {
            Some(minter) => lease::release(&self.sources, number, &minter.lease(), &seat.owner).await,
            None => Ok(()),
        }
    }
}

/// Whether others held the rows for as long as one waits.
fn is_taken(fault: &StoreError) -> bool {
    match fault.meaning() {
        ErrorClass::Conflict | ErrorClass::Locked => true,
        ErrorClass::Duplicate | ErrorClass::Lost | ErrorClass::Unreachable | ErrorClass::Fatal => false,
    }
}

/// Renews until the ids are closed or dropped. Only the pause is ever given up, never work on the database.
async fn renew_while_used(ids: Weak<Inner>) {
    loop {
        let Some(inner) = ids.upgrade() else { return };
        inner.renew_used().await;
        let closed = Arc::clone(&inner.closed);
        drop(inner);
        tokio::select! {
            () = tokio::time::sleep(RENEWAL) => {}
            () = closed.notified() => return,
        }
    }
}
