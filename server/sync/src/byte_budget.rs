//! A number of bytes in memory, and its limit.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The bytes that one kind of data occupies.
#[derive(Debug)]
pub struct ByteBudget {
    limit: usize,
    used: AtomicUsize,
}

impl ByteBudget {
    /// Creates an empty budget of `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self { limit, used: AtomicUsize::new(0) }
    }

    /// Returns the limit in bytes.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the number of bytes in use.
    #[must_use]
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Returns true if the bytes in use have reached the limit.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.used() >= self.limit
    }

    /// Adds bytes. Returns false, and adds none, if the sum exceeds the limit.
    #[must_use]
    pub fn reserve(&self, bytes: usize) -> bool {
        let fits = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= self.limit);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }

    /// Adds bytes that are in memory already, even beyond the limit.
    pub fn add(&self, bytes: usize) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Subtracts bytes that were added or reserved before.
    pub fn release(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::ByteBudget;

    #[test]
    fn a_budget_is_full_from_its_limit_on_and_may_be_exceeded_only_by_add() {
        let budget = ByteBudget::new(10);
        assert!(budget.reserve(9) && !budget.reserve(2) && !budget.reserve(usize::MAX) && budget.used() == 9);
        assert!(!budget.is_full());
        budget.add(4);
        assert!(budget.is_full() && budget.used() == 13 && budget.limit() == 10);
        budget.release(4);
        assert!(!budget.is_full());
    }
}
