//! One page that is kept: how old it may be, who reads it again, and who waits for that.
//!
//! One reading is under way at a time, and whoever needs its page waits for it. What is needed is decided when a reader
//! comes: a page whose reading began at most [`SHOWN`] before, and not before anything was told to be gone. So nobody
//! waits for more than what is left of one reading and one more.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::body::Bytes;
use riposte_core::{Error, Result, SubjectId, SubjectKey};
use tokio::sync::watch;
use tokio::time::Instant;

use super::pages::{PageBudget, PageBytes};

/// The age of a page at most when it is read, counted from the start of the reading that made it.
pub const MAX_AGE: Duration = Duration::from_secs(1);
/// A page is handed out for so long: the rest of [`MAX_AGE`] is for the way from here to the reader.
pub(super) const SHOWN: Duration = Duration::from_millis(750);
/// A page that is still read at this age is read again beside its readers, so that none of them has to wait.
const AHEAD: Duration = Duration::from_millis(450);
/// A page that has changed is read again no sooner than this after the last reading, however often it changes.
const PACE: Duration = Duration::from_millis(100);

/// The place of one page.
#[derive(Debug)]
pub(super) struct CachedPageEntry {
    pub(super) subject: SubjectKey,
    /// Readers since they were last taken.
    reads: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    page: Option<Page>,
    flight: Option<watch::Receiver<Option<Result<Page>>>>,
    heard: Heard,
    /// The subject as events name it, once it was read.
    id: Option<SubjectId>,
    /// Whether the place was given up: what lands later is not kept.
    retired: bool,
}

/// A page, and how young it is.
#[derive(Debug, Clone)]
struct Page {
    bytes: Bytes,
    /// When its reading began.
    begun: Instant,
    /// What had been told by then.
    heard: Heard,
}

/// How often events told that the page has changed, and how often that something on it may have to go.
#[derive(Debug, Clone, Copy, Default)]
struct Heard {
    changed: u64,
    gone: u64,
}

/// What an event means to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Invalidation {
    /// There is something new, or other counts: the page is read again soon, and shown until then.
    Changed,
    /// Something on it was hidden, deleted or put in other words, or the subject was: it is not shown any more.
    Gone,
}

/// What a reader needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Freshness {
    came: Instant,
    gone: u64,
}

/// What a reader gets.
#[derive(Debug)]
pub(super) enum RefreshRequest {
    /// The page; and the next reading, which this reader starts for others.
    Page(Bytes, Option<Refresh>),
    /// The landing of the reading under way, or of the one that this reader starts.
    Wait(RefreshWaiter, Option<Refresh>),
}

/// A reading that is to be made. Dropped, it tells those who wait that it broke off.
#[derive(Debug)]
pub(super) struct Refresh {
    slot: Arc<CachedPageEntry>,
    begun: Instant,
    heard: Heard,
    landing: watch::Sender<Option<Result<Page>>>,
}

/// Waits for a reading.
#[derive(Debug)]
pub(super) struct RefreshWaiter {
    landing: watch::Receiver<Option<Result<Page>>>,
    need: Freshness,
}

impl Freshness {
    fn is_met_by(self, page: &Page) -> bool {
        page.begun + SHOWN >= self.came && page.heard.gone >= self.gone
    }
}

impl CachedPageEntry {
    /// An empty place.
    pub(super) fn new(subject: SubjectKey) -> Arc<Self> {
        Arc::new(Self { subject, reads: AtomicU64::new(0), state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change is made whole before anything can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A reader comes.
    pub(super) fn ask(self: &Arc<Self>, now: Instant) -> RefreshRequest {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let mut state = self.state();
        let need = Freshness { came: now, gone: state.heard.gone };
        self.serve(&mut state, need, now)
    }

    /// A reader that waited asks again.
    fn ask_again(self: &Arc<Self>, need: Freshness, now: Instant) -> RefreshRequest {
        self.serve(&mut self.state(), need, now)
    }

    fn serve(self: &Arc<Self>, state: &mut State, need: Freshness, now: Instant) -> RefreshRequest {
        if let Some(page) = state.page.as_ref().filter(|page| need.is_met_by(page)) {
            let (bytes, age) = (page.bytes.clone(), now.saturating_duration_since(page.begun));
            let changed = page.heard.changed < state.heard.changed && age >= PACE;
            let due = (changed || age >= AHEAD) && state.flight.is_none();
            return RefreshRequest::Page(bytes, due.then(|| self.take_off(state, now).0));
        }
        let (landing, flight) = match &state.flight {
            Some(landing) => (landing.clone(), None),
            None => {
                let (flight, landing) = self.take_off(state, now);
                (landing, Some(flight))
            }
        };
        RefreshRequest::Wait(RefreshWaiter { landing, need }, flight)
    }

    fn take_off(self: &Arc<Self>, state: &mut State, now: Instant) -> (Refresh, watch::Receiver<Option<Result<Page>>>) {
        let (tell, landing) = watch::channel(None);
        state.flight = Some(landing.clone());
        (Refresh { slot: Arc::clone(self), begun: now, heard: state.heard, landing: tell }, landing)
    }

    /// Hears what events tell of a subject. How they name it is known from the first landing on; what comes before that
    /// leaves the page to its age.
    pub(super) fn hear(&self, news_of: impl FnOnce(SubjectId) -> Option<Invalidation>) {
        let mut state = self.state();
        match state.id.and_then(news_of) {
            Some(Invalidation::Gone) => state.heard.gone += 1,
            Some(Invalidation::Changed) => state.heard.changed += 1,
            None => {}
        }
    }

    /// Events may have passed unheard.
    pub(super) fn doubt(&self) {
        self.state().heard.gone += 1;
    }

    /// Readers since this was last asked.
    pub(super) fn take_reads(&self) -> u64 {
        self.reads.swap(0, Ordering::Relaxed)
    }

    /// Whether it holds nothing that may still be shown, and nobody waits for it.
    pub(super) fn is_idle(&self, now: Instant) -> bool {
        let state = self.state();
        let old = state.page.as_ref().is_none_or(|page| page.begun + SHOWN < now);
        old && state.flight.is_none()
    }

    /// Gives the place up.
    pub(super) fn retire(&self, room: &PageBudget) {
        let mut state = self.state();
        state.retired = true;
        room.leave(state.page.take().map_or(0, |page| page.bytes.len()));
    }
}

impl Refresh {
    /// The reading is over: the page is kept where there is room for it, and told to those who wait in any case.
    pub(super) fn land(self, outcome: Result<PageBytes>, room: &PageBudget) {
        let mut state = self.slot.state();
        state.flight = None;
        let page = outcome.map(|filled| {
            state.id = Some(filled.subject);
            Page { bytes: filled.bytes, begun: self.begun, heard: self.heard }
        });
        room.leave(state.page.take().map_or(0, |page| page.bytes.len()));
        state.page = page.as_ref().ok().filter(|page| !state.retired && room.enter(page.bytes.len())).cloned();
        drop(state);
        self.landing.send_replace(Some(page));
    }
}

impl Drop for Refresh {
    fn drop(&mut self) {
        let mut state = self.slot.state();
        // Unless it has landed, and the next one is under way.
        if state.flight.as_ref().is_some_and(|landing| landing.same_channel(&self.landing.subscribe())) {
            state.flight = None;
        }
    }
}

impl RefreshWaiter {
    /// Waits for the reading. `None` where its page began too early for this reader, who then asks again.
    ///
    /// # Errors
    /// Those of the reading.
    pub(super) async fn bytes(&mut self) -> Result<Option<Bytes>> {
        let broken = |_| Error::internal("the reading of a hot page broke off");
        let landed = self.landing.wait_for(Option::is_some).await.map_err(broken)?;
        let Some(outcome) = &*landed else { return Ok(None) };
        let page = outcome.as_ref().map_err(Clone::clone)?;
        Ok(self.need.is_met_by(page).then(|| page.bytes.clone()))
    }

    /// Asks again.
    pub(super) fn again(&self, slot: &Arc<CachedPageEntry>, now: Instant) -> RefreshRequest {
        slot.ask_again(self.need, now)
    }
}

#[cfg(test)]
mod tests;
