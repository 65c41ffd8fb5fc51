//! A lock per key: tasks of this process that work on the same key take turns, and tasks that work
//! on different keys do not wait for each other.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The lock of one key. It is waited for in the order of arrival, and may be held across an await.
pub type KeyLock = Arc<tokio::sync::Mutex<()>>;

/// The locks that tasks hold or wait for. A lock exists as long as a [`KeyLock`] of it does, so
/// the memory is bounded by the number of keys in use since the last call for a new key.
#[derive(Debug)]
pub struct KeyedLock<K>(Mutex<HashMap<K, Weak<tokio::sync::Mutex<()>>>>);

impl<K> Default for KeyedLock<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash + Clone> KeyedLock<K> {
    /// Returns the lock of a key, without waiting for it. A call for a key without a lock takes
    /// time in proportion to the number of locks, so the guarded work should cost far more.
    #[must_use]
    pub fn of(&self, key: &K) -> KeyLock {
        let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = locks.get(key).and_then(Weak::upgrade) {
            return lock;
        }
        // A scan of the locks in use is far cheaper than the work that they guard.
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
    fn one_key_has_one_lock_and_unused_locks_go() {
        let locks = KeyedLock::default();
        let first = locks.of(&1);
        let held = first.try_lock().expect("free");
        assert!(locks.of(&1).try_lock().is_err(), "the same lock");
        assert!(locks.of(&2).try_lock().is_ok(), "another lock");
        drop(held);
        assert!(locks.of(&1).try_lock().is_ok());
        drop(first);
        let third = locks.of(&3);
        assert_eq!(locks.0.lock().expect("whole").keys().collect::<Vec<_>>(), [&3]);
        drop(third);
    }
}
