//! One cached page: its maximum age, its refresh, and the readers that wait for the refresh.
//!
//! At most one refresh runs at a time, and every reader that needs its page waits for it. The
//! requirement is fixed when a reader arrives: the read of the page must have begun at most
//! [`SERVED`] before the arrival, and after every invalidation that had been recorded by then. A
//! reader therefore waits at most for the remainder of one refresh and for one more.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::body::Bytes;
use riposte_core::{Error, Result, SubjectId, SubjectKey};
use riposte_sync::ByteBudget;
use tokio::sync::watch;
use tokio::time::Instant;

use super::pages::PageBytes;

/// The maximum age of a page when it is read, counted from the start of the read that produced it.
pub const MAX_AGE: Duration = Duration::from_secs(1);
/// The time for which a page is served: the remainder of [`MAX_AGE`] covers the transfer from this
/// process to the reader.
pub(super) const SERVED: Duration = Duration::from_millis(750);
/// The age at which a page that is still read is refreshed in the background, so that no reader has
/// to wait.
const REFRESH_AGE: Duration = Duration::from_millis(450);
/// The minimum interval between the start of one refresh and the next of a changed page, however
/// often it changes.
const MIN_REFRESH_INTERVAL: Duration = Duration::from_millis(100);

/// The cache entry of one page.
#[derive(Debug)]
pub(super) struct CachedPageEntry {
    pub(super) subject: SubjectKey,
    /// The number of reads since the last call of `take_reads`.
    reads: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    page: Option<Page>,
    /// The result of the running refresh.
    refresh: Option<watch::Receiver<Option<Result<Page>>>>,
    invalidations: InvalidationCounts,
    /// The subject's id, which identifies it in events; known after the first read.
    id: Option<SubjectId>,
    /// True if the entry was removed: the result of a later refresh is not cached.
    is_removed: bool,
}

/// A page and its freshness.
#[derive(Debug, Clone)]
struct Page {
    bytes: Bytes,
    /// The start of the read.
    read_start: Instant,
    /// The invalidations that had been recorded by then.
    invalidations: InvalidationCounts,
}

/// The number of invalidations of each kind.
#[derive(Debug, Clone, Copy, Default)]
struct InvalidationCounts {
    changed: u64,
    withdrawn: u64,
}

/// The effect of an event on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Invalidation {
    /// New content or other counts: the page is refreshed soon, and served until then.
    Changed,
    /// Content on the page, or its subject, was hidden, deleted or edited: the page is not served
    /// any more.
    Withdrawn,
}

/// The freshness that a reader requires.
#[derive(Debug, Clone, Copy)]
pub(super) struct Freshness {
    arrival: Instant,
    withdrawn: u64,
}

/// The result of a read request.
#[derive(Debug)]
pub(super) enum RefreshRequest {
    /// The page, and the refresh that this reader starts on behalf of later ones, if one is due.
    Page(Bytes, Option<Refresh>),
    /// A waiter for the running refresh, or for the one that this reader starts.
    Wait(RefreshWaiter, Option<Refresh>),
}

/// A refresh to execute. If it is dropped, its waiters receive an error.
#[derive(Debug)]
pub(super) struct Refresh {
    entry: Arc<CachedPageEntry>,
    start: Instant,
    invalidations: InvalidationCounts,
    result: watch::Sender<Option<Result<Page>>>,
}

/// Waits for a refresh.
#[derive(Debug)]
pub(super) struct RefreshWaiter {
    result: watch::Receiver<Option<Result<Page>>>,
    freshness: Freshness,
}

impl Freshness {
    fn is_met_by(self, page: &Page) -> bool {
        page.read_start + SERVED >= self.arrival && page.invalidations.withdrawn >= self.withdrawn
    }
}

impl CachedPageEntry {
    /// Creates an empty entry.
    pub(super) fn new(subject: SubjectKey) -> Arc<Self> {
        Arc::new(Self { subject, reads: AtomicU64::new(0), state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A poisoned lock is safe to use: every change is complete before anything can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a reader and returns the page or a waiter.
    pub(super) fn request(self: &Arc<Self>, now: Instant) -> RefreshRequest {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let mut state = self.state();
        let freshness = Freshness { arrival: now, withdrawn: state.invalidations.withdrawn };
        self.serve(&mut state, freshness, now)
    }

    /// Repeats the request of a reader that has waited.
    fn request_again(self: &Arc<Self>, freshness: Freshness, now: Instant) -> RefreshRequest {
        self.serve(&mut self.state(), freshness, now)
    }

    fn serve(self: &Arc<Self>, state: &mut State, freshness: Freshness, now: Instant) -> RefreshRequest {
        if let Some(page) = state.page.as_ref().filter(|page| freshness.is_met_by(page)) {
            let (bytes, age) = (page.bytes.clone(), now.saturating_duration_since(page.read_start));
            let is_changed = page.invalidations.changed < state.invalidations.changed && age >= MIN_REFRESH_INTERVAL;
            let is_due = (is_changed || age >= REFRESH_AGE) && state.refresh.is_none();
            return RefreshRequest::Page(bytes, is_due.then(|| self.start_refresh(state, now).0));
        }
        let (result, refresh) = match &state.refresh {
            Some(result) => (result.clone(), None),
            None => {
                let (refresh, result) = self.start_refresh(state, now);
                (result, Some(refresh))
            }
        };
        RefreshRequest::Wait(RefreshWaiter { result, freshness }, refresh)
    }

    fn start_refresh(
        self: &Arc<Self>,
        state: &mut State,
        now: Instant,
    ) -> (Refresh, watch::Receiver<Option<Result<Page>>>) {
        let (sender, result) = watch::channel(None);
        state.refresh = Some(result.clone());
        (Refresh { entry: Arc::clone(self), start: now, invalidations: state.invalidations, result: sender }, result)
    }

    /// Records the events of a subject. The subject's id is known only after the first refresh;
    /// until then, events are ignored and only the age of the page limits it.
    pub(super) fn update(&self, invalidation_of: impl FnOnce(SubjectId) -> Option<Invalidation>) {
        let mut state = self.state();
        match state.id.and_then(invalidation_of) {
            Some(Invalidation::Withdrawn) => state.invalidations.withdrawn += 1,
            Some(Invalidation::Changed) => state.invalidations.changed += 1,
            None => {}
        }
    }

    /// Invalidates the page, because events may have been missed.
    pub(super) fn invalidate(&self) {
        self.state().invalidations.withdrawn += 1;
    }

    /// Returns the number of reads since the previous call.
    pub(super) fn take_reads(&self) -> u64 {
        self.reads.swap(0, Ordering::Relaxed)
    }

    /// Returns true if the entry has no page that may still be served and no refresh is running.
    pub(super) fn is_idle(&self, now: Instant) -> bool {
        let state = self.state();
        let is_expired = state.page.as_ref().is_none_or(|page| page.read_start + SERVED < now);
        is_expired && state.refresh.is_none()
    }

    /// Removes the page and marks the entry as removed.
    pub(super) fn remove(&self, budget: &ByteBudget) {
        let mut state = self.state();
        state.is_removed = true;
        budget.release(state.page.take().map_or(0, |page| page.bytes.len()));
    }
}

impl Refresh {
    /// Ends the refresh. The page is cached if the budget allows it, and sent to the waiters in any
    /// case.
    pub(super) fn finish(self, outcome: Result<PageBytes>, budget: &ByteBudget) {
        let mut state = self.entry.state();
        state.refresh = None;
        let page = outcome.map(|read| {
            state.id = Some(read.subject);
            Page { bytes: read.bytes, read_start: self.start, invalidations: self.invalidations }
        });
        budget.release(state.page.take().map_or(0, |page| page.bytes.len()));
        state.page = page.as_ref().ok().filter(|page| !state.is_removed && budget.reserve(page.bytes.len())).cloned();
        drop(state);
        self.result.send_replace(Some(page));
    }
}

impl Drop for Refresh {
    fn drop(&mut self) {
        let mut state = self.entry.state();
        // This is skipped if the refresh has ended and the next one is running.
        if state.refresh.as_ref().is_some_and(|result| result.same_channel(&self.result.subscribe())) {
            state.refresh = None;
        }
    }
}

impl RefreshWaiter {
    /// Waits for the refresh. Returns `None` if its read began too early for this reader, which
    /// then repeats its request.
    ///
    /// # Errors
    /// Those of the read.
    pub(super) async fn bytes(&mut self) -> Result<Option<Bytes>> {
        let interrupted = |_| Error::internal("the read of a page for the response cache was interrupted");
        let finished = self.result.wait_for(Option::is_some).await.map_err(interrupted)?;
        let Some(outcome) = &*finished else { return Ok(None) };
        let page = outcome.as_ref().map_err(Clone::clone)?;
        Ok(self.freshness.is_met_by(page).then(|| page.bytes.clone()))
    }

    /// Repeats the request.
    pub(super) fn request_again(&self, entry: &Arc<CachedPageEntry>, now: Instant) -> RefreshRequest {
        entry.request_again(self.freshness, now)
    }
}

#[cfg(test)]
mod tests;
