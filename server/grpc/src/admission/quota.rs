//! Quotas of concurrent use per name: connections of an identity, streams of a caller.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The counts of all names. Clones share them.
#[derive(Debug, Clone)]
pub struct Quotas(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    most: usize,
    held: Mutex<HashMap<Arc<str>, usize>>,
}

/// One unit of a name's quota, held until it is dropped.
#[derive(Debug)]
pub struct Quota {
    shares: Quotas,
    name: Arc<str>,
}

impl Quotas {
    /// Creates quotas of at most `most` units for each name.
    pub fn new(most: usize) -> Self {
        Self(Arc::new(Inner { most, held: Mutex::default() }))
    }

    /// Takes one more unit of a name; returns `None` when its quota is used up.
    pub fn take(&self, name: &Arc<str>) -> Option<Quota> {
        let mut held = self.held();
        let count = held.entry(Arc::clone(name)).or_default();
        if *count >= self.0.most {
            return None;
        }
        *count += 1;
        Some(Quota { shares: self.clone(), name: Arc::clone(name) })
    }

    fn held(&self) -> MutexGuard<'_, HashMap<Arc<str>, usize>> {
        // Every change is complete before anything could panic.
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Quota {
    fn drop(&mut self) {
        let mut held = self.shares.held();
        let Some(count) = held.get_mut(&self.name) else { return };
        *count -= 1;
        if *count == 0 {
            held.remove(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Quotas;

    #[test]
    fn a_caller_has_no_more_than_its_quota_and_released_permits_leave_no_entry() {
        let shares = Quotas::new(2);
        let (a, b) = (Arc::<str>::from("a"), Arc::<str>::from("b"));
        let held = [shares.take(&a), shares.take(&a), shares.take(&b)];
        assert!(held.iter().all(Option::is_some) && shares.take(&a).is_none() && shares.take(&b).is_some());
        drop(held);
        assert!(shares.held().is_empty());
    }
}
