//! A lock per ranked list: one task at a time makes the next ranking of a list in this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use riposte_core::rank::RankedList;

/// The lock of one list.
pub(super) type ListGuard = Arc<tokio::sync::Mutex<()>>;

/// The locks that tasks hold or wait for.
#[derive(Debug, Default)]
pub(super) struct KeyedLock(Mutex<HashMap<RankedList, Weak<tokio::sync::Mutex<()>>>>);

impl KeyedLock {
    /// Returns the lock of a list.
    pub(super) fn of(&self, list: &RankedList) -> ListGuard {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turn) = turns.get(list).and_then(Weak::upgrade) {
            return turn;
        }
        // A scan of the locks in use is far cheaper than making a ranking.
        turns.retain(|_, turn| turn.strong_count() > 0);
        let turn = ListGuard::default();
        turns.insert(list.clone(), Arc::downgrade(&turn));
        turn
    }
}
