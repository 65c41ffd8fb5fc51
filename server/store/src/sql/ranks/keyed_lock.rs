//! Who makes the next ranking of a list in this process: one at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use riposte_core::rank::RankedList;

/// A turn at one list.
pub(super) type ListGuard = Arc<tokio::sync::Mutex<()>>;

/// Turns that somebody has or waits for.
#[derive(Debug, Default)]
pub(super) struct KeyedLock(Mutex<HashMap<RankedList, Weak<tokio::sync::Mutex<()>>>>);

impl KeyedLock {
    /// The turn at a list.
    pub(super) fn of(&self, list: &RankedList) -> ListGuard {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turn) = turns.get(list).and_then(Weak::upgrade) {
            return turn;
        }
        // Making a ranking costs far more than a look at those that are being made.
        turns.retain(|_, turn| turn.strong_count() > 0);
        let turn = ListGuard::default();
        turns.insert(list.clone(), Arc::downgrade(&turn));
        turn
    }
}
