//! The watched subjects and the number of watchers of each.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use riposte_core::{Error, Result, SubjectId, SubjectKey};
use tokio::sync::Mutex as AsyncMutex;

use super::stream::SubjectStream;

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
    pub(super) load: AsyncMutex<()>,
    /// The stream of the subject, once it was found.
    pub(super) stream: OnceLock<Arc<SubjectStream>>,
}

/// One watcher's share of a subscription. The subscription exists as long as it has a guard.
#[derive(Debug)]
pub(super) struct SubscriptionGuard {
    all: Arc<WatchSubscriptions>,
    /// The subscription.
    pub(super) subscription: Arc<WatchSubscription>,
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
    pub(super) fn guard(self: &Arc<Self>, key: &SubjectKey) -> Result<SubscriptionGuard> {
        let mut rows = self.rows();
        if rows.taken == MAX_WATCHERS {
            return Err(Error::Overloaded { after: Duration::from_secs(1) });
        }
        rows.taken += 1;
        let empty =
            || Arc::new(WatchSubscription { key: key.clone(), load: AsyncMutex::default(), stream: OnceLock::new() });
        let (subscription, guards) = rows.by_key.entry(key.clone()).or_insert_with(|| (empty(), 0));
        *guards += 1;
        Ok(SubscriptionGuard { all: Arc::clone(self), subscription: Arc::clone(subscription) })
    }

    /// Returns the streams of those of the subjects that are watched.
    pub(super) fn streams(&self, ids: impl IntoIterator<Item = SubjectId>) -> Vec<Option<Arc<SubjectStream>>> {
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
    pub(super) fn open(&self, stream: SubjectStream) -> Arc<SubjectStream> {
        let stream = Arc::clone(self.subscription.stream.get_or_init(|| Arc::new(stream)));
        self.all.rows().by_id.insert(stream.id(), Arc::clone(&stream));
        stream
    }
}

impl Drop for SubscriptionGuard {
    fn drop(&mut self) {
        let mut rows = self.all.rows();
        rows.taken -= 1;
        let left = rows.by_key.get_mut(&self.subscription.key).map(|(_, guards)| {
            *guards -= 1;
            *guards
        });
        if left == Some(0) {
            rows.by_key.remove(&self.subscription.key);
            if let Some(stream) = self.subscription.stream.get() {
                rows.by_id.remove(&stream.id());
            }
        }
    }
}
