//! Where comments stand, remembered. These facts never change, so whatever is remembered is true; what is absent is never
//! remembered. Every write that names a comment asks for them.

use moka::sync::Cache;
use riposte_core::page::LocatedComment;
use riposte_core::{CommentId, ObjectTypeScope};

/// What may be remembered, in bytes.
const ROOM: u64 = 32 << 20;
/// What an entry costs beside its texts, its path and its lineage.
const FRAME: usize = 256;

/// The memory of one process.
#[derive(Debug, Clone)]
pub(super) struct CommentLocationCache {
    location: Cache<CommentId, LocatedComment>,
}

impl CommentLocationCache {
    pub(super) fn new() -> Self {
        let weigh = |_: &CommentId, at: &LocatedComment| u32::try_from(weight(at)).unwrap_or(u32::MAX);
        Self { location: Cache::builder().max_capacity(ROOM).weigher(weigh).build() }
    }

    /// What is remembered of `ids` for somebody who may use these types, and the ids of which nothing is. What is of another type
    /// has to be looked for like what is absent, or its answer would come sooner.
    pub(super) fn recall(&self, ids: &[CommentId], types: &ObjectTypeScope) -> (Vec<LocatedComment>, Vec<CommentId>) {
        let (mut known, mut unknown) = (Vec::with_capacity(ids.len()), Vec::new());
        for id in ids {
            match self.location.get(id).filter(|at| types.hold(at.subject.object_type())) {
                Some(location) => known.push(location),
                None => unknown.push(*id),
            }
        }
        (known, unknown)
    }

    pub(super) fn remember(&self, location: &LocatedComment) {
        self.location.insert(location.id, location.clone());
    }
}

fn weight(at: &LocatedComment) -> usize {
    let texts = at.subject.object_type().as_str().len() + at.subject.object_id().len() + at.member.as_str().len();
    FRAME + texts + at.path.as_bytes().len() + at.ancestor_ids.len() * size_of::<CommentId>()
}
