use super::options::{FIRST_WAIT_MS, JITTER_PERCENT, LONGEST_WAIT_MS, ServerTarget};
use super::retry::between;
use std::fmt::Display;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;
use tonic::Status;
use tonic::transport::{Channel, Endpoint, Uri};

/// The age at which a name is resolved again; it bounds the time until a new server receives
/// traffic.
const REFRESH: Duration = Duration::from_secs(20);
/// The shortest interval between two resolutions of a name when addresses die.
const SHORTEST_REFRESH: Duration = Duration::from_secs(1);
/// The addresses of a target, used in turn. Unavailable ones are skipped while others work.
#[derive(Debug)]
pub(super) struct Balancer {
    place: ServerTarget,
    known: Mutex<KnownPeers>,
    /// Locked while the name is resolved, so that only one resolution runs at a time.
    resolving: tokio::sync::Mutex<()>,
    next: AtomicUsize,
}

#[derive(Debug, Default)]
struct KnownPeers {
    peers: Arc<[Arc<Peer>]>,
    /// The time of the last resolution.
    resolved: Option<Instant>,
    /// The time of the next resolution; `None` before the first one, and for an address, which
    /// never changes.
    stale: Option<Instant>,
}

/// One address.
#[derive(Debug)]
pub(super) struct Peer {
    address: SocketAddr,
    pub(super) endpoint: Endpoint,
    /// Connects at the first call, and again at the first call after a break.
    pub(super) channel: Channel,
    ejected: Mutex<Ejected>,
}

#[derive(Debug, Default)]
struct Ejected {
    since: Option<Instant>,
    until: Option<Instant>,
    failures: u32,
}

impl Balancer {
    pub(super) fn new(place: ServerTarget) -> Self {
        let (known, resolving) = (Mutex::default(), tokio::sync::Mutex::default());
        Self { place, known, resolving, next: AtomicUsize::new(0) }
    }

    /// Returns the next address in turn. Waits for the resolution of the name only if no address is
    /// known.
    pub(super) async fn pick(self: &Arc<Self>) -> Result<Arc<Peer>, Status> {
        let mut peers = Arc::clone(&locked(&self.known).peers);
        if peers.is_empty() {
            self.resolve().await?;
            peers = Arc::clone(&locked(&self.known).peers);
        } else if locked(&self.known).stale.is_some_and(|stale| stale <= Instant::now()) {
            let balancer = Arc::clone(self);
            // If this fails, the known addresses stay in use; a later call tries again.
            tokio::spawn(async move { balancer.resolve().await });
        }
        let (next, now) = (self.next.fetch_add(1, Ordering::Relaxed), Instant::now());
        let alive = || peers.iter().filter(|peer| peer.is_alive(now));
        let chosen = match alive().count() {
            0 => peers.get(next % peers.len().max(1)),
            count => alive().nth(next % count),
        };
        chosen.or(peers.first()).cloned().ok_or_else(|| Status::unavailable("no address"))
    }

    /// Skips an address for a while, and resolves the name again soon, because it may have other
    /// addresses.
    pub(super) fn eject(&self, peer: &Peer) {
        let now = Instant::now();
        peer.eject(now);
        let mut known = locked(&self.known);
        known.stale = known.stale.map(|stale| stale.min(now + SHORTEST_REFRESH));
    }

    async fn resolve(&self) -> Result<(), Status> {
        let begin = Instant::now();
        let _alone = self.resolving.lock().await;
        // Another task resolved the name while this one waited for the lock.
        if locked(&self.known).resolved.is_some_and(|resolved| resolved > begin) {
            return Ok(());
        }
        let ServerTarget { host, port, resolver, .. } = &self.place;
        let literal = host.parse::<IpAddr>().ok();
        let mut found = match literal {
            Some(address) => Ok(vec![SocketAddr::new(address, *port)]),
            None => resolver.resolve(host, *port).await,
        };
        if let Ok(addresses) = &mut found {
            addresses.sort();
            addresses.dedup();
        }
        let mut known = locked(&self.known);
        known.stale = literal.is_none().then(|| Instant::now() + REFRESH);
        match found {
            Ok(addresses) if !addresses.is_empty() => known.peers = self.peers(&known.peers, &addresses)?,
            // The name has no addresses for the moment; the known ones may still work.
            Ok(_) | Err(_) if !known.peers.is_empty() => {}
            Ok(_) => return Err(Status::unavailable(format!("{host} has no address"))),
            Err(error) => return Err(Status::unavailable(format!("{host} cannot be resolved: {error}"))),
        }
        known.resolved = Some(Instant::now());
        Ok(())
    }

    /// Returns a peer for each address; peers of known addresses are reused.
    fn peers(&self, known: &[Arc<Peer>], addresses: &[SocketAddr]) -> Result<Arc<[Arc<Peer>]>, Status> {
        let peer = |address: &SocketAddr| match known.iter().find(|peer| peer.address == *address) {
            Some(peer) => Ok(Arc::clone(peer)),
            None => Peer::new(&self.place, *address).map(Arc::new),
        };
        addresses.iter().map(peer).collect()
    }
}

impl Peer {
    fn new(place: &ServerTarget, address: SocketAddr) -> Result<Self, Status> {
        let scheme = if place.tls.is_some() { "https" } else { "http" };
        let unusable = |error: &dyn Display| Status::internal(format!("{address}: {error}"));
        let uri: Uri = format!("{scheme}://{address}").parse().map_err(|error| unusable(&error))?;
        let endpoint = place.endpoint(uri).map_err(|error| unusable(&error))?;
        Ok(Self { address, channel: endpoint.connect_lazy(), endpoint, ejected: Mutex::default() })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    fn is_alive(&self, now: Instant) -> bool {
        locked(&self.ejected).until.is_none_or(|until| until <= now)
    }

    /// Skips the address for a time that doubles with each failure in a row, from a random first
    /// one to the longest.
    fn eject(&self, now: Instant) {
        let mut ejected = locked(&self.ejected);
        // Calls that were in progress together fail together, and count as one failure.
        if ejected.until.is_none_or(|until| until <= now) {
            let (least, most) = FIRST_WAIT_MS;
            let span = between(least, most).saturating_mul(1 << ejected.failures.min(5)).min(LONGEST_WAIT_MS);
            let span = span * between(100 - JITTER_PERCENT, 100 + JITTER_PERCENT) / 100;
            let until = now + Duration::from_millis(span);
            *ejected = Ejected { since: Some(now), until: Some(until), failures: ejected.failures.saturating_add(1) };
        }
    }

    /// Restores an address that responds, except for the response to a call that began before the
    /// ejection: a server that stops still finishes those.
    pub(super) fn admit(&self, begun: Instant) {
        let mut ejected = locked(&self.ejected);
        if ejected.since.is_some_and(|since| since < begun) {
            *ejected = Ejected::default();
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::{Duration, Instant, Peer};
    use crate::Options;

    #[tokio::test]
    async fn a_dead_address_is_taken_in_by_a_later_call_and_not_by_one_that_was_under_way() {
        let place = Options::default().place("127.0.0.1:1").unwrap();
        let peer = Peer::new(&place, "127.0.0.1:1".parse().unwrap()).unwrap();
        let begin = Instant::now();
        let at = |millis| begin + Duration::from_millis(millis);
        peer.eject(at(1));
        peer.admit(at(0));
        assert!(!peer.is_alive(at(3)));
        peer.admit(at(2));
        assert!(peer.is_alive(at(3)));
    }
}
