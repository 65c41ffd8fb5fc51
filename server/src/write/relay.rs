//! The relay of one data source. The process that holds the source's lease assigns sequence numbers
//! to committed events and runs the event consumers. The other workers check periodically whether
//! the lease is still held; processes that are no workers only measure the lag.
//!
//! Sequencing and event consumers run concurrently, so watchers never wait for an event consumer
//! that is behind.

pub(super) mod cache_repair;
mod lag;
pub(super) mod lag_monitor;
mod leader;
mod projector;

use std::sync::Arc;

use riposte_core::ports::{Clock, Epoch, MemberHistories, Outbox, Projection, RankIndexes, Rankings};
use riposte_telemetry::Metrics;
use tokio::sync::watch;

use super::background::told;
use super::notifier::Notifier;
use crate::cache_stack::CacheStack;
use leader::Leader;
use projector::Projector;

/// The ports that the relays of all sources use. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct RelayPorts {
    /// The outbox of events.
    pub outbox: Arc<dyn Outbox>,
    /// The event consumer of members' histories.
    pub histories: Arc<dyn MemberHistories>,
    /// The event consumer of the rank index.
    pub boards: Arc<dyn RankIndexes>,
    /// The ranking snapshots taken from the rank index. The relay deletes old ones.
    pub rankings: Arc<dyn Rankings>,
    /// The clock that the age of events is computed with.
    pub clock: Arc<dyn Clock>,
    /// The cache that committed events are applied to.
    pub copies: CacheStack,
    /// The metrics that lag is reported to.
    pub metrics: Metrics,
}

/// The epoch that a leader shares with its event consumers; `None` while the process does not hold
/// the lease.
type LeaderTerm = watch::Sender<Option<Epoch>>;

/// Runs the relay of a source, counted from 0, until `stop` is set; then releases the lease.
pub(super) async fn run(ports: RelayPorts, bells: Notifier, source: usize, stop: watch::Receiver<bool>) {
    let term = LeaderTerm::new(None);
    let mut leader = Leader::new(ports.clone(), bells.clone(), source);
    let mender = ports.copies.mender(&ports.outbox, source).filter(|_| ports.copies.are_shared());
    let (led, boards) = (term.subscribe(), bells.boards(source));
    let mending = async {
        match mender {
            Some(mender) => cache_repair::shared(mender, led, boards, source).await,
            None => std::future::pending().await,
        }
    };
    let projector = |projection| Projector::new(ports.clone(), bells.clone(), source, projection);
    let (histories, boards) = (projector(Projection::History), projector(Projection::Boards));
    tokio::select! {
        () = leader.run(&term) => {}
        () = histories.run(term.subscribe(), bells.numbers(source)) => {}
        () = boards.run(term.subscribe(), bells.numbers(source)) => {}
        () = mending => {}
        () = told(stop) => {}
    }
    leader.release_lease().await;
}

#[cfg(test)]
mod tests;
