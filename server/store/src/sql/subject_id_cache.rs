//! A cache of subject ids. The row of a subject keeps its key and its id as long as it exists and
//! is never removed, so a cached id is valid for the database that was read. After a database was
//! restored to an earlier time, the key can have a new id. Therefore a reader that does not find
//! the row of a cached id reads the id again.

use std::sync::Arc;

use moka::sync::Cache;
use riposte_core::{SubjectId, SubjectKey};

/// The size of each direction of the cache, in bytes.
const CAPACITY: u64 = 16 << 20;
/// The size of an entry without its texts.
const ENTRY_OVERHEAD: usize = 192;

/// The cache of one process.
#[derive(Debug)]
pub(crate) struct SubjectIdCache {
    ids: Cache<Arc<SubjectKey>, SubjectId>,
    keys: Cache<SubjectId, Arc<SubjectKey>>,
}

impl SubjectIdCache {
    pub(crate) fn new() -> Self {
        let ids = Cache::builder().weigher(|key: &Arc<SubjectKey>, _: &SubjectId| weight(key));
        let keys = Cache::builder().weigher(|_: &SubjectId, key: &Arc<SubjectKey>| weight(key));
        Self { ids: ids.max_capacity(CAPACITY).build(), keys: keys.max_capacity(CAPACITY).build() }
    }

    /// Returns the cached id of a key.
    pub(crate) fn id(&self, key: &SubjectKey) -> Option<SubjectId> {
        self.ids.get(key)
    }

    /// Returns the cached key of a subject.
    pub(crate) fn key(&self, id: SubjectId) -> Option<Arc<SubjectKey>> {
        self.keys.get(&id)
    }

    /// Adds the key and the id of a committed row.
    pub(crate) fn insert(&self, id: SubjectId, key: &SubjectKey) {
        if self.ids.get(key) == Some(id) && self.keys.contains_key(&id) {
            return;
        }
        let key = Arc::new(key.clone());
        self.ids.insert(Arc::clone(&key), id);
        self.keys.insert(id, key);
    }

    /// Drops a cached id that is no longer valid.
    pub(crate) fn remove(&self, key: &SubjectKey) {
        self.ids.invalidate(key);
    }
}

fn weight(key: &SubjectKey) -> u32 {
    u32::try_from(ENTRY_OVERHEAD + key.object_type().as_str().len() + key.object_id().len()).unwrap_or(u32::MAX)
}
