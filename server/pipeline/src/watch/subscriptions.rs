//! The watched subjects and the number of watchers of each.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use riposte_core::{Error, Result, Subject, SubjectId, SubjectKey};
use tokio::sync::Mutex as AsyncMutex;

use super::stream::SubjectStream;

/// The maximum number of watchers in a process.
const MAX_WATCHERS: usize = 50_000;

/// All watched subjects of the process.
#[derive(Debug, Default)]
pub(super) struct WatchSubscriptions(Mutex<SubscriptionTable>);

#[derive(Debug, Default)]
struct SubscriptionTable {
    watchers: usize,
    /// Each subscription with the number of its guards.
    by_key: HashMap<SubjectKey, (Arc<WatchSubscription>, usize)>,
    by_id: HashMap<SubjectId, Arc<SubjectStream>>,
    /// The streams of subjects that do not exist, by the number of their partition.
    absent: HashMap<u16, HashMap<SubjectKey, Arc<SubjectStream>>>,
}

impl SubscriptionTable {
    fn remove_absent(&mut self, key: &SubjectKey) {
        let partition = key.partition().get();
        if let Some(absent) = self.absent.get_mut(&partition) {
            absent.remove(key);
            if absent.is_empty() {
                self.absent.remove(&partition);
            }
        }
    }

    /// Lets a stream receive the events of a subject.
    fn identify(&mut self, stream: &Arc<SubjectStream>, id: SubjectId) {
        stream.identify(Some(id));
        self.remove_absent(stream.key());
        self.by_id.insert(id, Arc::clone(stream));
    }

    /// Lets a stream receive the first event of its subject, which does not exist.
    fn await_first(&mut self, stream: &Arc<SubjectStream>) {
        let absent = self.absent.entry(stream.key().partition().get()).or_default();
        absent.insert(stream.key().clone(), Arc::clone(stream));
    }
}

/// A subject that is watched, or about to be.
#[derive(Debug)]
pub(super) struct WatchSubscription {
    key: SubjectKey,
    /// Locked while the database is queried about the subject: one caller at a time queries it,
    /// and the others find the result.
    pub(super) load: AsyncMutex<()>,
    /// The stream of the subject, once it was found.
    pub(super) stream: OnceLock<Arc<SubjectStream>>,
}

/// One watcher's share of a subscription. The subscription exists as long as it has a guard.
#[derive(Debug)]
pub(super) struct SubscriptionGuard {
    subscriptions: Arc<WatchSubscriptions>,
    /// The subscription.
    pub(super) subscription: Arc<WatchSubscription>,
}

impl WatchSubscriptions {
    fn table(&self) -> MutexGuard<'_, SubscriptionTable> {
        // No code panics between two parts of a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a guard of the subscription of a subject. The first guard creates the subscription.
    ///
    /// # Errors
    /// [`Error::Overloaded`] when the process has the maximum number of watchers.
    pub(super) fn guard(self: &Arc<Self>, key: &SubjectKey) -> Result<SubscriptionGuard> {
        let mut table = self.table();
        if table.watchers == MAX_WATCHERS {
            return Err(Error::Overloaded { after: Duration::from_secs(1) });
        }
        table.watchers += 1;
        let new_subscription =
            || Arc::new(WatchSubscription { key: key.clone(), load: AsyncMutex::default(), stream: OnceLock::new() });
        let (subscription, guards) = table.by_key.entry(key.clone()).or_insert_with(|| (new_subscription(), 0));
        *guards += 1;
        Ok(SubscriptionGuard { subscriptions: Arc::clone(self), subscription: Arc::clone(subscription) })
    }

    /// Returns the streams of those of the subjects that are watched.
    pub(super) fn streams(&self, ids: impl IntoIterator<Item = SubjectId>) -> Vec<Option<Arc<SubjectStream>>> {
        let table = self.table();
        ids.into_iter().map(|id| table.by_id.get(&id).map(Arc::clone)).collect()
    }

    /// Returns the streams of the subjects in these partitions that do not exist.
    pub(super) fn absent(&self, partitions: impl IntoIterator<Item = u16>) -> Vec<Arc<SubjectStream>> {
        let table = self.table();
        if table.absent.is_empty() {
            return Vec::new();
        }
        let absent = partitions.into_iter().filter_map(|partition| table.absent.get(&partition));
        absent.flat_map(|streams| streams.values().map(Arc::clone)).collect()
    }

    /// Lets the stream of a subject that now exists receive its events, if it still has watchers.
    pub(super) fn identify(&self, stream: &Arc<SubjectStream>, id: SubjectId) {
        let mut table = self.table();
        if table.by_key.contains_key(stream.key()) {
            table.identify(stream, id);
        }
    }

    /// Lets the stream of a subject that a restore removed receive the first event of its key, if
    /// it still has watchers.
    pub(super) fn remove(&self, stream: &Arc<SubjectStream>) {
        let mut table = self.table();
        if let Some(id) = stream.id().filter(|_| table.by_key.contains_key(stream.key())) {
            table.by_id.remove(&id);
            stream.identify(None);
            table.await_first(stream);
        }
    }

    /// Returns the streams of all watched subjects that exist.
    pub(super) fn all(&self) -> Vec<Arc<SubjectStream>> {
        self.table().by_id.values().map(Arc::clone).collect()
    }
}

impl SubscriptionGuard {
    /// Publishes the stream of the subject, which receives events from now on: those of the
    /// subject, or its first one if it does not exist.
    pub(super) fn publish(&self, stream: SubjectStream, subject: &Subject) -> Arc<SubjectStream> {
        let stream = Arc::clone(self.subscription.stream.get_or_init(|| Arc::new(stream)));
        let mut table = self.subscriptions.table();
        if subject.version > 0 {
            table.identify(&stream, subject.id);
        } else if stream.id().is_none() {
            table.await_first(&stream);
        }
        stream
    }
}

impl Drop for SubscriptionGuard {
    fn drop(&mut self) {
        let mut table = self.subscriptions.table();
        table.watchers -= 1;
        let remaining = table.by_key.get_mut(&self.subscription.key).map(|(_, guards)| {
            *guards -= 1;
            *guards
        });
        if remaining == Some(0) {
            table.by_key.remove(&self.subscription.key);
            table.remove_absent(&self.subscription.key);
            if let Some(id) = self.subscription.stream.get().and_then(|stream| stream.id()) {
                table.by_id.remove(&id);
            }
        }
    }
}
