//! One lock for each key. Tasks of this process that work on the same key run one after the other;
//! tasks that work on different keys do not wait for each other.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The lock of one key. Tasks acquire it in the order of their arrival, and may hold it across an
/// await.
pub type KeyLock = Arc<tokio::sync::Mutex<()>>;

/// The locks of all keys in use. A lock exists as long as a [`KeyLock`] of its key does. The locks
/// that no task uses any more are removed when a task requests the lock of a new key.
#[derive(Debug)]
pub struct KeyedLock<K>(Mutex<HashMap<K, Weak<tokio::sync::Mutex<()>>>>);

impl<K> Default for KeyedLock<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash + Clone> KeyedLock<K> {
    /// Returns the lock of a key, without acquiring it. A call for a key that has no lock scans all
    /// locks; this is cheap only if the work that the locks guard costs far more.
    #[must_use]
    pub fn of(&self, key: &K) -> KeyLock {
        let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = locks.get(key).and_then(Weak::upgrade) {
            return lock;
        }
        locks.retain(|_, lock| lock.strong_count() > 0);
        let lock = KeyLock::default();
        locks.insert(key.clone(), Arc::downgrade(&lock));
        lock
    }
}

#[cfg(test)]
mod tests {
    use super::KeyedLock;

    #[test]
    fn one_key_has_one_lock_and_unused_locks_are_removed() {
        let locks = KeyedLock::default();
        let first = locks.of(&1);
        let held = first.try_lock().expect("free");
        assert!(locks.of(&1).try_lock().is_err(), "the same lock");
        assert!(locks.of(&2).try_lock().is_ok(), "another lock");
        drop(held);
        assert!(locks.of(&1).try_lock().is_ok());
        drop(first);
        let third = locks.of(&3);
        assert_eq!(locks.0.lock().expect("not poisoned").keys().collect::<Vec<_>>(), [&3]);
        drop(third);
    }
}
