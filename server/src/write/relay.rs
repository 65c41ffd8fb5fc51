//! The relay of one data source: numbers what was committed and keeps the projections up to date, in whichever process
//! leads the source; the other workers look now and then whether it still does, and who is no worker looks only how far it is.
//!
//! Numbering and projecting go side by side, so that watchers never wait for a projection that is behind.

pub(super) mod cache_repair;
mod lag;
pub(super) mod lag_monitor;
mod leader;
mod projector;

use std::sync::Arc;

use riposte_core::ports::{Clock, Epoch, MemberHistories, Outbox, Projection, RankIndexes, Rankings};
use tokio::sync::watch;

use super::background::told;
use super::notifier::Notifier;
use crate::cache_stack::CacheStack;
use crate::telemetry::Metrics;
use leader::Leader;
use projector::Projector;

/// What the relays of all sources stand on. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct RelayPorts {
    /// The events.
    pub outbox: Arc<dyn Outbox>,
    /// The projection of members' histories.
    pub histories: Arc<dyn MemberHistories>,
    /// The projection of ranked orders.
    pub boards: Arc<dyn RankIndexes>,
    /// The rankings frozen from them, of which old ones are deleted.
    pub rankings: Arc<dyn Rankings>,
    /// The age of events.
    pub clock: Arc<dyn Clock>,
    /// Copies that have to be told.
    pub copies: CacheStack,
    /// Where lag is told.
    pub metrics: Metrics,
}

/// What a leader and its projectors share: the term, while there is one.
type LeaderTerm = watch::Sender<Option<Epoch>>;

/// Runs the relay of a source, from 0 on, until `stop` says so; then gives the lead up.
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
