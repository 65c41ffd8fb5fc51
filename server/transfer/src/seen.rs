//! The subjects of which a record was passed on, for formats that describe a page with each of its
//! comments.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use super::record::Key;

/// A set of keys in eight bytes each. Two keys with one hash are so unlikely that a subject without
/// its title is the price of them.
#[derive(Debug, Default)]
pub(crate) struct SeenKeys {
    hasher: RandomState,
    hashes: HashSet<u64>,
}

impl SeenKeys {
    /// Adds a key and returns true if it is new and names a subject.
    pub(crate) fn add(&mut self, key: &Key) -> bool {
        !key.object_id.is_empty() && self.hashes.insert(self.hasher.hash_one(key))
    }
}
