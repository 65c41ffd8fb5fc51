//! From commits to watchers and projections: the relay and the tail of every data source, as long as the process lasts.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::bells::Bells;
use super::relay::{self, RelayPorts, mending};
use super::tail::Tail;
use super::watch::Hub;
use crate::hot::Pages;

/// The tasks that run beside the calls.
#[derive(Debug)]
pub struct Feed {
    stop: watch::Sender<bool>,
    relays: Vec<JoinHandle<()>>,
    tails: Vec<JoinHandle<()>>,
}

impl Feed {
    /// Starts to feed `hub`, `pages` and the projections once `ready` says that the store can be used.
    #[must_use]
    pub fn start(ports: &RelayPorts, bells: &Bells, hub: &Hub, pages: &Pages, ready: &watch::Receiver<bool>) -> Self {
        let stop = watch::Sender::new(false);
        let sources = || 0..ports.outbox.sources();
        let relay = |source| {
            let (ports, bells, stop, ready) = (ports.clone(), bells.clone(), stop.subscribe(), ready.clone());
            tokio::spawn(async move {
                tokio::select! {
                    () = told(ready) => {}
                    () = told(stop.clone()) => return,
                }
                relay::run(ports, bells, source, stop).await;
            })
        };
        let tail = |source| {
            let tail = Tail::new(Arc::clone(&ports.outbox), hub.clone(), pages.clone(), source);
            let (numbers, ready) = (bells.numbers(source), ready.clone());
            tokio::spawn(async move {
                told(ready).await;
                tail.run(numbers).await;
            })
        };
        let own = |source| {
            let mender = ports.copies.mender(&ports.outbox, source).filter(|_| ports.copies.are_here())?;
            let (numbers, ready) = (bells.numbers(source), ready.clone());
            Some(tokio::spawn(async move {
                told(ready).await;
                mending::own(mender, numbers, source).await;
            }))
        };
        let audit = ports.copies.auditor().map(|auditor| {
            let ready = ready.clone();
            tokio::spawn(async move {
                told(ready).await;
                auditor.run(|error| tracing::debug!(%error, "copies could not be compared with their rows")).await;
            })
        });
        let tails = sources().map(tail).chain(sources().filter_map(own)).chain(audit).collect();
        Self { relays: sources().map(relay).collect(), tails, stop }
    }

    /// Stops: what a relay is doing is cut between two statements of its port, and its lead is given up.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        self.tails.iter().for_each(JoinHandle::abort);
        for task in self.relays.into_iter().chain(self.tails) {
            // An aborted task ends with an error that says so.
            let _ = task.await;
        }
    }
}

/// Waits until it is said; for ever, if nobody is left to say it.
pub(super) async fn told(mut ready: watch::Receiver<bool>) {
    if ready.wait_for(|ready| *ready).await.is_err() {
        std::future::pending::<()>().await;
    }
}
