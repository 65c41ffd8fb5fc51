//! The members that set likes: each like has a new member. The ids have no order.

use std::sync::atomic::{AtomicU64, Ordering};

/// A source of member ids that returns each id once. The ids are not sorted, so that the rows are
/// spread over the keys as with real people.
#[derive(Debug)]
pub(crate) struct Members {
    next: AtomicU64,
}

impl Default for Members {
    /// Begins at a random number, so that a later run on the same comment uses other members.
    fn default() -> Self {
        Self { next: AtomicU64::new(rand::random()) }
    }
}

impl Members {
    /// Returns a new member.
    pub(crate) fn next(&self) -> String {
        format!("m{:016x}", mix(self.next.fetch_add(1, Ordering::Relaxed)))
    }
}

/// The finaliser of splitmix64, a bijection: distinct inputs give distinct outputs without an
/// order.
fn mix(mut n: u64) -> u64 {
    n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn members_are_distinct_and_unsorted() {
        let members = Members::default();
        let given: Vec<String> = (0..10_000).map(|_| members.next()).collect();
        assert_eq!(given.iter().collect::<BTreeSet<_>>().len(), given.len());
        assert!(!given.is_sorted());
    }
}
