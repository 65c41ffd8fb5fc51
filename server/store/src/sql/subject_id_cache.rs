//! Which subject has which id, remembered. The row of a subject keeps both for as long as it exists, and is never removed,
//! so what is remembered is true of the database that was asked. One that was restored to an earlier time may have given a key
//! a new id since: whoever does not find the row looks again.

use std::sync::Arc;

use moka::sync::Cache;
use riposte_core::{SubjectId, SubjectKey};

/// What may be remembered each way, in bytes.
const ROOM: u64 = 16 << 20;
/// What an entry costs beside its texts.
const FRAME: usize = 192;

/// The memory of one process.
#[derive(Debug)]
pub(crate) struct SubjectIdCache {
    ids: Cache<Arc<SubjectKey>, SubjectId>,
    keys: Cache<SubjectId, Arc<SubjectKey>>,
}

impl SubjectIdCache {
    pub(crate) fn new() -> Self {
        let ids = Cache::builder().weigher(|key: &Arc<SubjectKey>, _: &SubjectId| weight(key));
        let keys = Cache::builder().weigher(|_: &SubjectId, key: &Arc<SubjectKey>| weight(key));
        Self { ids: ids.max_capacity(ROOM).build(), keys: keys.max_capacity(ROOM).build() }
    }

    /// The subject that has a key.
    pub(crate) fn id(&self, key: &SubjectKey) -> Option<SubjectId> {
        self.ids.get(key)
    }

    /// The key that a subject has.
    pub(crate) fn key(&self, id: SubjectId) -> Option<Arc<SubjectKey>> {
        self.keys.get(&id)
    }

    /// Keeps what a committed row says.
    pub(crate) fn remember(&self, id: SubjectId, key: &SubjectKey) {
        if self.ids.get(key) == Some(id) && self.keys.contains_key(&id) {
            return;
        }
        let key = Arc::new(key.clone());
        self.ids.insert(Arc::clone(&key), id);
        self.keys.insert(id, key);
    }

    /// Gives up what turned out to be untrue.
    pub(crate) fn forget(&self, key: &SubjectKey) {
        self.ids.invalidate(key);
    }
}

fn weight(key: &SubjectKey) -> u32 {
    u32::try_from(FRAME + key.object_type().as_str().len() + key.object_id().len()).unwrap_or(u32::MAX)
}
