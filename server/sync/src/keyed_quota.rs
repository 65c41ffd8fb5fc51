//! A limit on concurrent use for each key: connections of an identity, streams of a caller.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The uses of all keys. Clones share them.
#[derive(Debug)]
pub struct KeyedQuota<K: Eq + Hash>(Arc<Uses<K>>);

#[derive(Debug)]
struct Uses<K: Eq + Hash> {
    limit: usize,
    /// The number of uses of each key that has any.
    by_key: Mutex<HashMap<K, usize>>,
}

/// One use of a key. It counts until it is dropped.
#[derive(Debug)]
pub struct QuotaPermit<K: Eq + Hash> {
    quota: KeyedQuota<K>,
    key: K,
}

impl<K: Eq + Hash> Clone for KeyedQuota<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<K: Eq + Hash> KeyedQuota<K> {
    /// Creates a quota of at most `limit` uses at a time for each key.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self(Arc::new(Uses { limit, by_key: Mutex::default() }))
    }

    fn by_key(&self) -> MutexGuard<'_, HashMap<K, usize>> {
        // Every change is complete before anything can panic.
        self.0.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash + Clone> KeyedQuota<K> {
    /// Returns a permit for one more use of `key`, or `None` if the key has reached its limit.
    #[must_use]
    pub fn try_acquire(&self, key: &K) -> Option<QuotaPermit<K>> {
        let mut by_key = self.by_key();
        if by_key.get(key).copied().unwrap_or(0) >= self.0.limit {
            return None;
        }
        *by_key.entry(key.clone()).or_default() += 1;
        Some(QuotaPermit { quota: self.clone(), key: key.clone() })
    }
}

impl<K: Eq + Hash> Drop for QuotaPermit<K> {
    fn drop(&mut self) {
        let mut by_key = self.quota.by_key();
        let Some(uses) = by_key.get_mut(&self.key) else { return };
        *uses -= 1;
        if *uses == 0 {
            by_key.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::KeyedQuota;

    #[test]
    fn a_key_has_no_more_than_its_limit_and_an_unused_key_has_no_entry() {
        let quota = KeyedQuota::new(2);
        let permits = [quota.try_acquire(&"a"), quota.try_acquire(&"a"), quota.try_acquire(&"b")];
        assert!(permits.iter().all(Option::is_some) && quota.try_acquire(&"a").is_none());
        assert!(quota.try_acquire(&"b").is_some(), "another key has a limit of its own");
        drop(permits);
        assert!(quota.by_key().is_empty());
    }

    #[test]
    fn a_limit_of_none_leaves_no_entry() {
        let quota = KeyedQuota::new(0);
        assert!(quota.try_acquire(&"a").is_none());
        assert!(quota.by_key().is_empty());
    }
}
