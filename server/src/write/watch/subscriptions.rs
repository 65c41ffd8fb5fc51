//! Which subjects are watched, and by how many.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use riposte_core::{Error, Result, SubjectId, SubjectKey};
use tokio::sync::Mutex as Door;

use super::live::SubjectStream;

/// Watchers that a process takes at most.
const MAX_WATCHERS: usize = 50_000;

/// All watched subjects of the process.
#[derive(Debug, Default)]
pub(super) struct WatchSubscriptions(Mutex<Rows>);

#[derive(Debug, Default)]
struct Rows {
    taken: usize,
    /// Each with the number of its seats.
    by_key: HashMap<SubjectKey, (Arc<WatchSubscription>, usize)>,
    by_id: HashMap<SubjectId, Arc<SubjectStream>>,
}

/// A subject that is watched, or about to be.
#[derive(Debug)]
pub(super) struct WatchSubscription {
    key: SubjectKey,
    /// Held by whoever asks the database about the subject: one at a time does, and the others find the answer.
    pub(super) door: Door<()>,
    /// The subject, once it was found.
    pub(super) live: OnceLock<Arc<SubjectStream>>,
}

/// One watcher's seat at a place: the place is there as long as somebody sits.
#[derive(Debug)]
pub(super) struct SubscriptionGuard {
    places: Arc<WatchSubscriptions>,
    /// The place.
    pub(super) place: Arc<WatchSubscription>,
}

impl WatchSubscriptions {
    fn rows(&self) -> MutexGuard<'_, Rows> {
        // Every change is made whole before anything can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A seat at the place of a subject, which is made for the first one.
    ///
    /// # Errors
    /// [`Error::Overloaded`] when the process has as many watchers as it takes.
    pub(super) fn seat(self: &Arc<Self>, key: &SubjectKey) -> Result<SubscriptionGuard> {
        let mut rows = self.rows();
        if rows.taken == MAX_WATCHERS {
            return Err(Error::Overloaded { after: Duration::from_secs(1) });
        }
        rows.taken += 1;
        let empty = || Arc::new(WatchSubscription { key: key.clone(), door: Door::default(), live: OnceLock::new() });
        let (place, seats) = rows.by_key.entry(key.clone()).or_insert_with(|| (empty(), 0));
        *seats += 1;
        Ok(SubscriptionGuard { places: Arc::clone(self), place: Arc::clone(place) })
    }

    /// The watched subjects among these.
    pub(super) fn live(&self, ids: impl IntoIterator<Item = SubjectId>) -> Vec<Option<Arc<SubjectStream>>> {
        let rows = self.rows();
        ids.into_iter().map(|id| rows.by_id.get(&id).map(Arc::clone)).collect()
    }

    /// All watched subjects.
    pub(super) fn all(&self) -> Vec<Arc<SubjectStream>> {
        self.rows().by_id.values().map(Arc::clone).collect()
    }
}

impl SubscriptionGuard {
    /// From now on events of this subject reach the place.
    pub(super) fn open(&self, live: SubjectStream) -> Arc<SubjectStream> {
        let live = Arc::clone(self.place.live.get_or_init(|| Arc::new(live)));
        self.places.rows().by_id.insert(live.id(), Arc::clone(&live));
        live
    }
}

impl Drop for SubscriptionGuard {
    fn drop(&mut self) {
        let mut rows = self.places.rows();
        rows.taken -= 1;
        let left = rows.by_key.get_mut(&self.place.key).map(|(_, seats)| {
            *seats -= 1;
            *seats
        });
        if left == Some(0) {
            rows.by_key.remove(&self.place.key);
            if let Some(live) = self.place.live.get() {
                rows.by_id.remove(&live.id());
            }
        }
    }
}
