//! The limit on open connections of a listener, in total and per identity.

use riposte_telemetry::Metrics;
use std::sync::Arc;

use riposte_sync::{KeyedQuota, QuotaPermit};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The open connections of one listener. Clones share them.
#[derive(Debug, Clone)]
pub(super) struct ConnectionLimit(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    total: usize,
    free: Arc<Semaphore>,
    identities: KeyedQuota<Arc<str>>,
    metrics: Metrics,
}

/// The permit of one connection, held until it is dropped.
#[derive(Debug)]
pub(super) struct ConnectionPermit {
    limit: ConnectionLimit,
    identity: Option<QuotaPermit<Arc<str>>>,
    _slot: OwnedSemaphorePermit,
}

impl ConnectionLimit {
    /// Creates a limit of `total` connections and `per_identity` of one identity.
    pub(super) fn new(total: usize, per_identity: usize, metrics: Metrics) -> Self {
        let total = total.min(Semaphore::MAX_PERMITS);
        let (free, identities) = (Arc::new(Semaphore::new(total)), KeyedQuota::new(per_identity));
        Self(Arc::new(Inner { total, free, identities, metrics }))
    }

    /// Returns a permit; `None` if all are taken. A connection without a permit is closed at once
    /// instead of left in the listener's queue, so that its load balancer notices and uses another
    /// server.
    pub(super) fn acquire(&self) -> Option<ConnectionPermit> {
        let Ok(slot) = Arc::clone(&self.0.free).try_acquire_owned() else {
            self.0.metrics.connection_refused("total");
            return None;
        };
        Some(ConnectionPermit { limit: self.clone(), identity: None, _slot: slot })
    }
}

impl ConnectionPermit {
    /// Returns the number of open connections of its listener.
    pub(super) fn open(&self) -> usize {
        self.limit.0.total - self.limit.0.free.available_permits()
    }

    /// Counts the connection towards an identity; returns `false` if the identity has reached its
    /// limit.
    pub(super) fn belongs_to(&mut self, identity: &Arc<str>) -> bool {
        let Inner { identities, metrics, .. } = &*self.limit.0;
        self.identity = identities.try_acquire(identity);
        if self.identity.is_none() {
            metrics.connection_refused("identity");
        }
        self.identity.is_some()
    }

    /// Counts a connection that is closed because its client sent no preface.
    pub(super) fn sent_no_preface(&self) {
        self.limit.0.metrics.connection_refused("first_bytes");
    }

    /// Counts a connection that is closed because its client sends too many control frames.
    pub(super) fn sent_too_many_control_frames(&self) {
        self.limit.0.metrics.connection_refused("control_frames");
    }

    /// Counts a connection that is closed because its client reads too slowly.
    pub(super) fn drained_too_slowly(&self) {
        self.limit.0.metrics.connection_refused("send_buffer");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{ConnectionLimit, Metrics};

    #[test]
    fn closed_connections_free_their_slots_and_an_identity_has_a_limit_of_its_own() {
        let limit = ConnectionLimit::new(3, 2, Metrics::new().expect("sound"));
        let (a, b) = (Arc::<str>::from("spiffe://x/a"), Arc::<str>::from("spiffe://x/b"));
        let mut permits: Vec<_> = (0..3).filter_map(|_| limit.acquire()).collect();
        assert!(permits.len() == 3 && limit.acquire().is_none());
        assert!(permits[0].belongs_to(&a) && permits[1].belongs_to(&a) && !permits[2].belongs_to(&a));
        assert!(permits[2].belongs_to(&b), "what was refused to one is not counted against another");
        permits.remove(0);
        let mut next = limit.acquire().expect("a slot is free again");
        assert!(next.belongs_to(&a));
        drop((permits, next));
        assert_eq!(limit.0.free.available_permits(), 3);
    }
}
