//! The limit on open connections of a listener, in total and per identity.

use riposte_telemetry::Metrics;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use riposte_grpc::admission::{Quota, Quotas};

/// The open connections of one listener. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct ConnectionLimit(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    total: usize,
    open: AtomicUsize,
    identities: Quotas,
    metrics: Metrics,
}

/// The permit of one connection, held until it is dropped.
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    slots: ConnectionLimit,
    identity: Option<Quota>,
}

impl ConnectionLimit {
    /// Creates a limit of `total` connections and `per_identity` of one identity.
    pub(super) fn new(total: usize, per_identity: usize, metrics: Metrics) -> Self {
        let (open, identities) = (AtomicUsize::new(0), Quotas::new(per_identity));
        Self(Arc::new(Inner { total, open, identities, metrics }))
    }

    /// Returns a permit; `None` if all are taken. A connection without a permit is closed at once
    /// instead of left in the listener's queue, so that its load balancer notices and uses another
    /// server.
    pub(super) fn take(&self) -> Option<ConnectionPermit> {
        let Inner { total, open, metrics, .. } = &*self.0;
        let more = |taken| (taken < *total).then_some(taken + 1);
        if open.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_err() {
            metrics.connection_refused("total");
            return None;
        }
        Some(ConnectionPermit { slots: self.clone(), identity: None })
    }
}

impl ConnectionPermit {
    /// Returns the number of open connections of its listener.
    pub(super) fn open(&self) -> usize {
        self.slots.0.open.load(Ordering::Relaxed)
    }

    /// Counts the connection towards an identity; returns `false` if the identity has reached its
    /// limit.
    pub(super) fn belongs_to(&mut self, identity: &Arc<str>) -> bool {
        let Inner { identities, metrics, .. } = &*self.slots.0;
        self.identity = identities.take(identity);
        if self.identity.is_none() {
            metrics.connection_refused("identity");
        }
        self.identity.is_some()
    }

    /// Counts a connection that is closed because its client sent no preface.
    pub(super) fn sent_no_preface(&self) {
        self.slots.0.metrics.connection_refused("first_bytes");
    }

    /// Counts a connection that is closed because its client reads too slowly.
    pub(super) fn drained_too_slowly(&self) {
        self.slots.0.metrics.connection_refused("send_buffer");
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.slots.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{ConnectionLimit, Metrics, Ordering};

    #[test]
    fn closed_connections_free_their_places_and_an_identity_has_a_limit_of_its_own() {
        let slots = ConnectionLimit::new(3, 2, Metrics::new().expect("sound"));
        let (a, b) = (Arc::<str>::from("spiffe://x/a"), Arc::<str>::from("spiffe://x/b"));
        let mut held: Vec<_> = (0..3).filter_map(|_| slots.take()).collect();
        assert!(held.len() == 3 && slots.take().is_none());
        assert!(held[0].belongs_to(&a) && held[1].belongs_to(&a) && !held[2].belongs_to(&a));
        assert!(held[2].belongs_to(&b), "what was refused to one is not counted against another");
        held.remove(0);
        let mut again = slots.take().expect("a place came back");
        assert!(again.belongs_to(&a));
        drop((held, again));
        assert_eq!(slots.0.open.load(Ordering::Relaxed), 0);
    }
}
