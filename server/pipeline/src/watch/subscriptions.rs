//! The watched subjects and the number of watchers of each.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use riposte_core::{Error, Result, SubjectId, SubjectKey};
use tokio::sync::Mutex as Door;

use super::live::SubjectStream;

/// The maximum number of watchers in a process.
const MAX_WATCHERS: usize = 50_000;

/// All watched subjects of the process.
#[derive(Debug, Default)]
pub(super) struct WatchSubscriptions(Mutex<Rows>);

#[derive(Debug, Default)]
struct Rows {
    taken: usize,
    /// Each subscription with the number of its guards.
    by_key: HashMap<SubjectKey, (Arc<WatchSubscription>, usize)>,
    by_id: HashMap<SubjectId, Arc<SubjectStream>>,
}

/// A subject that is watched, or about to be.
#[derive(Debug)]
pub(super) struct WatchSubscription {
    key: SubjectKey,
    /// Held while the database is queried about the subject: one caller at a time queries it, and
    /// the others find the result.
    pub(super) door: Door<()>,
    /// The stream of the subject, once it was found.
    pub(super) live: OnceLock<Arc<SubjectStream>>,
}

/// One watcher's share of a subscription. The subscription exists as long as it has a guard.
#[derive(Debug)]
pub(super) struct SubscriptionGuard {
    places: Arc<WatchSubscriptions>,
    /// The subscription.
    pub(super) place: Arc<WatchSubscription>,
}

impl WatchSubscriptions {
    fn rows(&self) -> MutexGuard<'_, Rows> {
        // Every change is complete before anything can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a guard of the subscription of a subject. The first guard creates the subscription.
    ///
    /// # Errors
    /// [`Error::Overloaded`] when the process has the maximum number of watchers.
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

    /// Returns the streams of those of the subjects that are watched.
    pub(super) fn live(&self, ids: impl IntoIterator<Item = SubjectId>) -> Vec<Option<Arc<SubjectStream>>> {
        let rows = self.rows();
        ids.into_iter().map(|id| rows.by_id.get(&id).map(Arc::clone)).collect()
    }

    /// Returns the streams of all watched subjects.
    pub(super) fn all(&self) -> Vec<Arc<SubjectStream>> {
        self.rows().by_id.values().map(Arc::clone).collect()
    }
}

impl SubscriptionGuard {
    /// Publishes the stream of the subject, which receives events from now on.
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
