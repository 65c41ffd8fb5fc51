//! How many connections a listener has open: all together, and of one identity.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::telemetry::Metrics;

/// The connections of one listener. Clones are the same.
#[derive(Debug, Clone)]
pub(super) struct Slots(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    total: usize,
    per_identity: usize,
    metrics: Metrics,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    total: usize,
    of: HashMap<Arc<str>, usize>,
}

/// The place of one connection, until it is dropped.
#[derive(Debug)]
pub(super) struct Slot {
    slots: Slots,
    identity: Option<Arc<str>>,
}

impl Slots {
    /// Room for so many connections, and so many of one identity.
    pub(super) fn new(total: usize, per_identity: usize, metrics: Metrics) -> Self {
        Self(Arc::new(Inner { total, per_identity, metrics, open: Mutex::default() }))
    }

    /// A place; `None` where all are taken. Whoever finds none is closed at once rather than left in the listener's queue: its
    /// balancer then knows, and takes another server.
    pub(super) fn take(&self) -> Option<Slot> {
        let mut open = self.open();
        if open.total >= self.0.total {
            self.0.metrics.connection_refused("total");
            return None;
        }
        open.total += 1;
        Some(Slot { slots: self.clone(), identity: None })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    /// Counts the connection as one of an identity; `false` if that has enough.
    pub(super) fn belongs_to(&mut self, identity: &Arc<str>) -> bool {
        let Inner { per_identity, metrics, .. } = &*self.slots.0;
        let mut open = self.slots.open();
        let count = open.of.entry(Arc::clone(identity)).or_default();
        if *count >= *per_identity {
            metrics.connection_refused("identity");
            return false;
        }
        *count += 1;
        self.identity = Some(Arc::clone(identity));
        true
    }

    /// Counts a connection that is closed because its client said nothing.
    pub(super) fn was_silent(&self) {
        self.slots.0.metrics.connection_refused("silence");
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut open = self.slots.open();
        open.total -= 1;
        let Some(identity) = &self.identity else { return };
        if let Some(count) = open.of.get_mut(identity) {
            *count -= 1;
            if *count == 0 {
                open.of.remove(identity);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Metrics, Slots};

    #[test]
    fn places_come_back_and_an_identity_has_no_more_than_its_own() {
        let slots = Slots::new(3, 2, Metrics::new().expect("sound"));
        let (a, b) = (Arc::<str>::from("spiffe://x/a"), Arc::<str>::from("spiffe://x/b"));
        let mut held: Vec<_> = (0..3).filter_map(|_| slots.take()).collect();
        assert!(held.len() == 3 && slots.take().is_none());
        assert!(held[0].belongs_to(&a) && held[1].belongs_to(&a) && !held[2].belongs_to(&a));
        assert!(held[2].belongs_to(&b), "what was refused to one is not counted against another");
        held.remove(0);
        let mut again = slots.take().expect("a place came back");
        assert!(again.belongs_to(&a));
        drop((held, again));
        assert!(slots.open().of.is_empty() && slots.open().total == 0);
    }
}
