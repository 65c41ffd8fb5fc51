//! The response cache: encoded pages by caller and request. It also coalesces concurrent reads of
//! pages that are not cached.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use hyper::body::Bytes;
use riposte_core::event::{ChangeKind, Changes, SequencedEvent};
use riposte_core::{Caller, Error, Result, SubjectId, SubjectKey};
use riposte_sync::{ByteBudget, SingleFlight};
use riposte_telemetry::Metrics;
use tokio::time::Instant;

use super::SubjectRates;
use super::entry::{CachedPageEntry, Invalidation, Refresh, RefreshRequest};

/// The interval of the sweep that removes pages without readers.
const SWEEP: Duration = Duration::from_secs(1);

/// The limits of the response cache.
#[derive(Debug, Clone, Copy)]
pub struct ResponseCacheLimits {
    /// True if pages are cached and reads are coalesced.
    pub enabled: bool,
    /// The read rate, per second, from which a subject is hot.
    pub threshold: f64,
    /// The maximum number of pages.
    pub pages: usize,
    /// The maximum number of bytes of all pages.
    pub bytes: usize,
    /// The time limit for reading a page.
    pub read_timeout: Duration,
}

/// The cached pages of this process. Clones are cheap and share the pages.
///
/// A page is keyed by its caller and the bytes of the request: another sort or size is another
/// page, and so is another caller, because the page tokens are bound to the caller. A caller that
/// loses its access to a page is rejected at its next read.
#[derive(Debug, Clone)]
pub struct ResponseCache(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    entries: RwLock<PageEntries>,
    budget: ByteBudget,
    /// The coalesced reads of pages that are not cached.
    single_flight: SingleFlight<(Caller, Bytes), Result<Bytes>>,
    rates: SubjectRates,
    limits: ResponseCacheLimits,
    misses: AtomicU64,
    reads: AtomicU64,
    shared_loads: SharedLoads,
    metrics: Metrics,
}

/// The numbers of requests for pages outside the cache and of the reads that they share, since the
/// last report to the metrics.
#[derive(Debug, Default)]
struct SharedLoads {
    pages: AtomicU64,
    reads: Arc<AtomicU64>,
}

type PageEntries = HashMap<Caller, HashMap<Bytes, Arc<CachedPageEntry>>>;

/// A page as it was read.
#[derive(Debug)]
pub struct PageBytes {
    /// The complete encoded message.
    pub bytes: Bytes,
    /// The subject's id, which identifies it in events.
    pub subject: SubjectId,
}

/// The cache entry of one caller and request.
#[derive(Debug, Clone)]
pub struct CachedResponse(Arc<CachedPageEntry>);

impl ResponseCache {
    /// Creates an empty cache; reads are counted in `rates`.
    #[must_use]
    pub fn new(limits: ResponseCacheLimits, rates: SubjectRates, metrics: Metrics) -> Self {
        let budget = ByteBudget::new(limits.bytes);
        let (misses, reads) = (AtomicU64::new(0), AtomicU64::new(0));
        let (entries, single_flight) = (RwLock::default(), SingleFlight::default());
        Self(Arc::new(Inner {
            entries,
            budget,
            single_flight,
            rates,
            limits,
            misses,
            reads,
            shared_loads: SharedLoads::default(),
            metrics,
        }))
    }

    /// Returns the rates that decide which subjects are hot.
    #[must_use]
    pub fn rates(&self) -> &SubjectRates {
        &self.0.rates
    }

    fn entries(&self) -> RwLockReadGuard<'_, PageEntries> {
        self.0.entries.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn entries_mut(&self) -> RwLockWriteGuard<'_, PageEntries> {
        self.0.entries.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if pages are cached and reads are coalesced.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.0.limits.enabled
    }

    /// Returns the entry for this request of this caller, if one exists.
    #[must_use]
    pub fn find(&self, caller: &Caller, request: &[u8]) -> Option<CachedResponse> {
        self.entries().get(caller)?.get(request).map(|entry| CachedResponse(Arc::clone(entry)))
    }

    /// Counts a read of a subject that no cached page serves.
    pub fn count(&self, subject: &SubjectKey) {
        self.0.rates.add_reads(subject, 1);
    }

    /// Returns an entry for this request, created if necessary; `None` unless the subject is hot
    /// and the limits allow another page.
    #[must_use]
    pub fn admit(&self, caller: &Caller, request: &[u8], subject: &SubjectKey) -> Option<CachedResponse> {
        let limits = &self.0.limits;
        if !limits.enabled || self.0.rates.reads(subject) < limits.threshold {
            return None;
        }
        let mut entries = self.entries_mut();
        let pages: usize = entries.values().map(HashMap::len).sum();
        if pages >= limits.pages || self.0.budget.is_full() {
            return None;
        }
        // The bytes are copied, because the request shares the larger buffer of its connection.
        let of_caller = entries.entry(caller.clone()).or_default();
        let entry =
            of_caller.entry(Bytes::copy_from_slice(request)).or_insert_with(|| CachedPageEntry::new(subject.clone()));
        Some(CachedResponse(Arc::clone(entry)))
    }

    /// Returns the page of an entry: the cached one, or a new one from `primary`. At most one read
    /// of an entry runs at a time, for all readers.
    ///
    /// # Errors
    /// Those of `primary`; [`Error::DeadlineExceeded`] when it takes too long.
    pub async fn read<F>(&self, CachedResponse(entry): &CachedResponse, primary: impl Fn() -> F) -> Result<Bytes>
    where
        F: Future<Output = Result<PageBytes>> + Send + 'static,
    {
        let mut result = entry.request(Instant::now());
        loop {
            match result {
                RefreshRequest::Page(bytes, refresh) => {
                    if let Some(refresh) = refresh {
                        self.run_refresh(refresh, primary());
                    }
                    return Ok(bytes);
                }
                RefreshRequest::Wait(mut waiter, refresh) => {
                    self.0.misses.fetch_add(1, Ordering::Relaxed);
                    if let Some(refresh) = refresh {
                        self.run_refresh(refresh, primary());
                    }
                    if let Some(bytes) = waiter.bytes().await? {
                        return Ok(bytes);
                    }
                    result = waiter.request_again(entry, Instant::now());
                }
            }
        }
    }

    /// Returns a page that is not cached. Concurrent callers with the same request share a read
    /// that begins after each of them has arrived, so no caller receives an older page than it
    /// would alone. Without this, the first thousand readers of a subject would each read it,
    /// because the subject is not hot yet.
    ///
    /// # Errors
    /// Those of `primary`; [`Error::DeadlineExceeded`] when it takes too long.
    pub async fn share<F>(
        &self,
        caller: Caller,
        request: Bytes,
        primary: impl FnOnce() -> F + Send + 'static,
    ) -> Result<Bytes>
    where
        F: Future<Output = Result<PageBytes>> + Send + 'static,
    {
        let (read_timeout, SharedLoads { pages, reads }) = (self.0.limits.read_timeout, &self.0.shared_loads);
        pages.fetch_add(1, Ordering::Relaxed);
        let reads = Arc::clone(reads);
        let counted_read = move || async move {
            reads.fetch_add(1, Ordering::Relaxed);
            let read = tokio::time::timeout(read_timeout, primary()).await.unwrap_or(Err(Error::DeadlineExceeded));
            read.map(|page| page.bytes)
        };
        self.0.single_flight.join((caller, request), counted_read).await.map_err(Error::internal)?
    }

    /// Executes the refresh in a task of its own, so that a reader that disconnects does not stop
    /// it.
    fn run_refresh(&self, refresh: Refresh, primary: impl Future<Output = Result<PageBytes>> + Send + 'static) {
        self.0.reads.fetch_add(1, Ordering::Relaxed);
        let pages = self.clone();
        tokio::spawn(async move {
            let read = tokio::time::timeout(pages.0.limits.read_timeout, primary).await;
            refresh.finish(read.unwrap_or(Err(Error::DeadlineExceeded)), &pages.0.budget);
        });
    }

    /// Applies the sequenced events of a data source.
    pub fn update(&self, events: &[SequencedEvent]) {
        let entries = self.entries();
        if entries.is_empty() {
            return;
        }
        let mut invalidations: HashMap<SubjectId, Invalidation> = HashMap::new();
        let shown = events.iter().filter(|sequenced| !sequenced.event.is_unseen());
        for SequencedEvent { event, .. } in shown {
            let invalidation = invalidations.entry(event.subject).or_insert(Invalidation::Changed);
            *invalidation = (*invalidation).max(invalidation_of(&event.changes));
        }
        for entry in entries.values().flat_map(HashMap::values) {
            entry.update(|subject| invalidations.get(&subject).copied());
        }
    }

    /// Invalidates every page, because events may have been missed: each is read again before it is
    /// served.
    pub fn invalidate(&self) {
        self.entries().values().flat_map(HashMap::values).for_each(|entry| entry.invalidate());
    }

    /// Counts reads, and removes the pages that are idle or no longer hot, once per second. It
    /// never returns.
    pub async fn run_sweeps(self) {
        loop {
            tokio::time::sleep(SWEEP).await;
            self.sweep(Instant::now());
        }
    }

    fn sweep(&self, now: Instant) {
        let Inner { budget, rates, limits, misses, reads, shared_loads, metrics, .. } = &*self.0;
        let mut page_reads = 0;
        for entry in self.entries().values().flat_map(HashMap::values) {
            let new_reads = entry.take_reads();
            page_reads += new_reads;
            rates.add_reads(&entry.subject, new_reads);
        }
        let mut entries = self.entries_mut();
        for of_caller in entries.values_mut() {
            of_caller.retain(|_, entry| {
                let is_retained = !entry.is_idle(now) && rates.reads(&entry.subject) >= limits.threshold;
                if !is_retained {
                    entry.remove(budget);
                }
                is_retained
            });
        }
        entries.retain(|_, of_caller| !of_caller.is_empty());
        let pages = entries.values().map(HashMap::len).sum();
        drop(entries);
        let misses = misses.swap(0, Ordering::Relaxed);
        metrics.response_cache_reads(page_reads.saturating_sub(misses), misses, reads.swap(0, Ordering::Relaxed));
        metrics.response_cache_size(pages, budget.used());
        metrics.coalesced_pages(
            shared_loads.pages.swap(0, Ordering::Relaxed),
            shared_loads.reads.swap(0, Ordering::Relaxed),
        );
    }
}

/// Returns the effect of an event on the first pages of its subject.
fn invalidation_of(changes: &Changes) -> Invalidation {
    let is_withdrawn = changes.comments.iter().any(|comment| match comment.kind {
        ChangeKind::Edited | ChangeKind::StateChanged => true,
        ChangeKind::Created
        | ChangeKind::PinChanged
        | ChangeKind::Liked
        | ChangeKind::Recounted
        | ChangeKind::Noted => false,
    });
    if changes.subject || is_withdrawn { Invalidation::Withdrawn } else { Invalidation::Changed }
}

#[cfg(test)]
mod tests;
