//! The relay of one data source. The process that holds the source's lease assigns sequence numbers
//! to committed events and runs the event consumers that serve all processes. The other workers
//! find in the polls of the outbox whether the lease is still held.
//!
//! Sequencing and event consumers run concurrently, so watchers never wait for an event consumer
//! that is behind.

mod leader;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use riposte_core::ports::{
    Batching, Clock, ConsumerPositions, ConsumerScope, Epoch, EventConsumer, EventForwarder, Outbox, RankingSnapshots,
};
use riposte_sync::until_set;
use riposte_telemetry::Metrics;
use tokio::sync::watch;

use super::events::consumer::{ConsumerLoop, ConsumerPorts};
use super::events::feed::OutboxFeed;
use super::events::times::ConsumerTimes;
use super::notifier::Notifier;
use leader::Leader;

/// The ports that the relays of all sources use. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct RelayPorts {
    /// The outbox of events.
    pub outbox: Arc<dyn Outbox>,
    /// The positions of the event consumers.
    pub positions: Arc<dyn ConsumerPositions>,
    /// The event consumers, of both scopes.
    pub consumers: Arc<[Arc<dyn EventConsumer>]>,
    /// The one of them that passes events on, if there is one.
    pub forwarder: Option<Arc<dyn EventForwarder>>,
    /// The ranking snapshots. The relay deletes old ones.
    pub rankings: Arc<dyn RankingSnapshots>,
    /// The clock with which the age of events is computed.
    pub clock: Arc<dyn Clock>,
    /// The metrics that receive the lag.
    pub metrics: Metrics,
    /// If true, this process repairs the shared cache while it holds a lease, and is preferred as
    /// the holder.
    pub repairs_shared_cache: bool,
    /// The maximum time for which events are kept for a consumer.
    pub retention: Duration,
}

/// The epoch that a leader shares with its event consumers; `None` while the process does not hold
/// the lease.
pub(super) type EpochSender = watch::Sender<Option<Epoch>>;

impl RelayPorts {
    /// Returns the consumers of the holder of the lease, each with its batching.
    pub(super) fn of_leader(&self) -> impl Iterator<Item = (&Arc<dyn EventConsumer>, Batching)> {
        self.consumers.iter().filter_map(|consumer| match consumer.scope() {
            ConsumerScope::Leader(batching) => Some((consumer, batching)),
            ConsumerScope::Process => None,
        })
    }

    /// Returns the consumers of every process.
    pub(super) fn of_process(&self) -> impl Iterator<Item = &Arc<dyn EventConsumer>> {
        self.consumers.iter().filter(|consumer| consumer.scope() == ConsumerScope::Process)
    }

    /// Returns the ports of the consumers' loops.
    pub(super) fn of_consumers(&self) -> ConsumerPorts {
        ConsumerPorts {
            positions: Arc::clone(&self.positions),
            clock: Arc::clone(&self.clock),
            metrics: self.metrics.clone(),
            times: ConsumerTimes::DEFAULT,
        }
    }
}

/// Runs the relay of a source, numbered from 0, until `stop` is set; then releases the lease.
pub(super) async fn run(
    ports: RelayPorts,
    notifier: Notifier,
    (source, epoch): (usize, EpochSender),
    stop: watch::Receiver<bool>,
) {
    let mut leader = Leader::new(ports.clone(), notifier.clone(), source);
    let loops = consumers(&ports, &notifier, source);
    let has_consumers = !loops.is_empty();
    let consumers = join_all(loops.into_iter().map(|consumer| consumer.run(epoch.subscribe())));
    tokio::select! {
        () = leader.run(&epoch) => {}
        _ = consumers, if has_consumers => {}
        () = until_set(stop) => {}
    }
    leader.release_lease().await;
}

/// Returns the loops of the consumers of the leader. A consumer that follows another one is
/// notified of the progress of that one; all others are notified of new sequence numbers.
fn consumers(ports: &RelayPorts, notifier: &Notifier, source: usize) -> Vec<ConsumerLoop> {
    let progress: BTreeMap<&str, watch::Sender<()>> =
        ports.of_leader().map(|(consumer, _)| (consumer.name(), watch::Sender::new(()))).collect();
    let consumer_loop = |(consumer, batching): (&Arc<dyn EventConsumer>, Batching)| {
        let followed = consumer.after().and_then(|name| progress.get(name));
        let ready = followed.map_or_else(|| notifier.numbers(source), |followed| followed.subscribe().into());
        let outbox = Arc::clone(&ports.outbox) as _;
        let feed = OutboxFeed::new(outbox, ready, notifier.observations(source), batching, source).into();
        let progress = progress.get(consumer.name()).cloned().unwrap_or_default();
        let forwarder = ports.forwarder.clone().filter(|forwarder| forwarder.name() == consumer.name());
        ConsumerLoop::new(Arc::clone(consumer), ports.of_consumers(), feed, source, progress).forwarding(forwarder)
    };
    ports.of_leader().map(consumer_loop).collect()
}

#[cfg(test)]
mod tests;
