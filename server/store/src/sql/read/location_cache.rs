//! A cache of comment locations. Locations never change, so a cached one is always valid; an absent
//! comment is never cached. Every write that names a comment reads its location.

use moka::sync::Cache;
use riposte_core::location::CommentLocation;
use riposte_core::{CommentId, ObjectTypeScope};

/// The size of the cache, in bytes.
const CAPACITY: u64 = 32 << 20;
/// The size of an entry without its texts, its path and its ancestor ids.
const FRAME: usize = 256;

/// The cache of one process.
#[derive(Debug, Clone)]
pub(super) struct CommentLocationCache {
    location: Cache<CommentId, CommentLocation>,
}

impl CommentLocationCache {
    pub(super) fn new() -> Self {
        let weigh = |_: &CommentId, at: &CommentLocation| u32::try_from(weight(at)).unwrap_or(u32::MAX);
        Self { location: Cache::builder().max_capacity(CAPACITY).weigher(weigh).build() }
    }

    /// Returns the cached locations of `ids` for a caller that may use these types, and the ids
    /// without one. A comment of another type is queried like an absent one, because a faster
    /// response would reveal that it exists.
    pub(super) fn get(&self, ids: &[CommentId], types: &ObjectTypeScope) -> (Vec<CommentLocation>, Vec<CommentId>) {
        let (mut known, mut unknown) = (Vec::with_capacity(ids.len()), Vec::new());
        for id in ids {
            match self.location.get(id).filter(|at| types.hold(at.subject.object_type())) {
                Some(location) => known.push(location),
                None => unknown.push(*id),
            }
        }
        (known, unknown)
    }

    pub(super) fn insert(&self, location: &CommentLocation) {
        self.location.insert(location.id, location.clone());
    }
}

fn weight(at: &CommentLocation) -> usize {
    let texts = at.subject.object_type().as_str().len() + at.subject.object_id().len() + at.member.as_str().len();
    FRAME + texts + at.path.as_bytes().len() + at.ancestor_ids.len() * size_of::<CommentId>()
}
