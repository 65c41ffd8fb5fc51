//! A cache of comment locations. Locations never change, so a cached one is always valid; an absent
//! comment is never cached. Every write that names a comment reads its location.

use moka::sync::Cache;
use riposte_core::location::CommentLocation;
use riposte_core::{CommentId, ObjectTypeScope};

/// The size of the cache, in bytes.
const CAPACITY: u64 = 32 << 20;
/// The size of an entry without its texts, its path and its ancestor ids.
const ENTRY_OVERHEAD: usize = 256;

/// The cache of one process.
#[derive(Debug, Clone)]
pub(super) struct CommentLocationCache {
    locations: Cache<CommentId, CommentLocation>,
}

impl CommentLocationCache {
    pub(super) fn new() -> Self {
        let weigher = |_: &CommentId, location: &CommentLocation| u32::try_from(weight(location)).unwrap_or(u32::MAX);
        Self { locations: Cache::builder().max_capacity(CAPACITY).weigher(weigher).build() }
    }

    /// Returns the cached locations of `ids` for a caller that may use these types, and the ids
    /// without one. A comment of another type is queried like an absent one, because a faster
    /// response would reveal that it exists.
    pub(super) fn get(&self, ids: &[CommentId], types: &ObjectTypeScope) -> (Vec<CommentLocation>, Vec<CommentId>) {
        let (mut cached, mut misses) = (Vec::with_capacity(ids.len()), Vec::new());
        for id in ids {
            match self.locations.get(id).filter(|location| types.contains(location.subject.object_type())) {
                Some(location) => cached.push(location),
                None => misses.push(*id),
            }
        }
        (cached, misses)
    }

    pub(super) fn insert(&self, location: &CommentLocation) {
        self.locations.insert(location.id, location.clone());
    }
}

fn weight(location: &CommentLocation) -> usize {
    let texts = location.subject.object_type().as_str().len()
        + location.subject.object_id().len()
        + location.member.as_str().len();
    ENTRY_OVERHEAD + texts + location.path.as_bytes().len() + location.ancestor_ids.len() * size_of::<CommentId>()
}
