//! The relay of one data source: numbers what was committed and keeps the projections up to date, in whichever process
//! leads the source; the other workers look now and then whether it still does, and who is no worker looks only how far it is.
//!
//! Numbering and projecting go side by side, so that watchers never wait for a projection that is behind.

pub(super) mod follower;
mod gauge;
mod leader;
pub(super) mod mending;
mod projector;

use std::sync::Arc;

use riposte_core::ports::{Boards, Clock, Epoch, Histories, Outbox, Projection, Rankings};
use tokio::sync::watch;

use super::bells::Bells;
use super::feed::told;
use crate::copies::Copies;
use crate::telemetry::Metrics;
use leader::Leader;
use projector::Projector;

/// What the relays of all sources stand on. Cloning is cheap.
#[derive(Debug, Clone)]
pub struct RelayPorts {
    /// The events.
    pub outbox: Arc<dyn Outbox>,
    /// The projection of members' histories.
    pub histories: Arc<dyn Histories>,
    /// The projection of ranked orders.
    pub boards: Arc<dyn Boards>,
    /// The rankings frozen from them, of which old ones are deleted.
    pub rankings: Arc<dyn Rankings>,
    /// The age of events.
    pub clock: Arc<dyn Clock>,
    /// Copies that have to be told.
    pub copies: Copies,
    /// Where lag is told.
    pub metrics: Metrics,
}

/// What a leader and its projectors share: the term, while there is one.
type Term = watch::Sender<Option<Epoch>>;

/// Runs the relay of a source, from 0 on, until `stop` says so; then gives the lead up.
pub(super) async fn run(ports: RelayPorts, bells: Bells, source: usize, stop: watch::Receiver<bool>) {
    let term = Term::new(None);
    let mut leader = Leader::new(ports.clone(), bells.clone(), source);
    let mender = ports.copies.mender(&ports.outbox, source).filter(|_| ports.copies.are_shared());
    let (led, boards) = (term.subscribe(), bells.boards(source));
    let mending = async {
        match mender {
            Some(mender) => mending::shared(mender, led, boards, source).await,
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
    leader.resign().await;
}

#[cfg(test)]
mod tests;
