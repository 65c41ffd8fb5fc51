//! The background tasks between a commit and its watchers and event consumers: the relay and the
//! tail of every data source. The roles of the process select the tasks. The tasks run until the
//! process stops.

use std::sync::Arc;

use futures::future::{BoxFuture, join_all};
use riposte_core::ports::{Epoch, EventConsumer};
use riposte_sync::until_set;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::events::consumer::ConsumerLoop;
use super::events::feed::EventFeed;
use super::events::tail::EventTail;
use super::notifier::Notifier;
use super::outbox_monitor::OutboxMonitor;
use super::relay::{self, EpochSender, RelayPorts};

/// The roles of the process, which select its background tasks.
#[derive(Clone, Copy, Debug)]
pub struct BackgroundRoles {
    /// The process serves calls.
    pub api: bool,
    /// The process takes part in the relay of every data source.
    pub worker: bool,
}

/// The tasks that run concurrently with the calls.
#[derive(Debug)]
pub struct BackgroundTasks {
    stop: watch::Sender<bool>,
    leadership: Leadership,
    relays: Vec<JoinHandle<()>>,
    tails: Vec<JoinHandle<()>>,
}

/// Releases the leases of a process whose other tasks continue.
#[derive(Debug, Clone)]
pub struct LeaseRelease(watch::Sender<bool>);

impl LeaseRelease {
    /// Requests every relay to release its lease, and does not wait for the release. A call of the
    /// outbox in progress is interrupted; the outbox completes it or rolls it back.
    pub fn release(&self) {
        self.0.send_replace(true);
    }
}

/// The leadership of the first data source. Its leader does what one process of a deployment does.
#[derive(Debug, Clone)]
pub struct Leadership(watch::Receiver<Option<Epoch>>);

impl Leadership {
    /// Waits until this process is the leader.
    pub(crate) async fn gained(&mut self) {
        self.until(|epoch| epoch.is_some()).await;
    }

    /// Waits until this process is not the leader.
    pub(crate) async fn lost(&mut self) {
        self.until(|epoch| epoch.is_none()).await;
    }

    async fn until(&mut self, is_met: impl Fn(&Option<Epoch>) -> bool) {
        if self.0.wait_for(|epoch| is_met(epoch)).await.is_err() {
            // The relay has ended, and the process ends this task, too.
            std::future::pending().await
        }
    }
}

impl BackgroundTasks {
    /// Starts the tasks that these `roles` require. The tasks wait until `ready` reports that the
    /// store can be used. Every process monitors the outboxes. A worker takes part in the relay of
    /// every source. A process that serves calls runs the consumers of scope
    /// `Process` and the `api_tasks`.
    #[must_use]
    pub fn start(
        ports: &RelayPorts,
        notifier: &Notifier,
        api_tasks: Vec<BoxFuture<'static, ()>>,
        ready: &watch::Receiver<bool>,
        roles: BackgroundRoles,
    ) -> Self {
        let stop = watch::Sender::new(false);
        let sources = || 0..ports.outbox.sources();
        let first = EpochSender::new(None);
        let leadership = Leadership(first.subscribe());
        let relay = |source| {
            let epoch = if source == 0 { first.clone() } else { EpochSender::new(None) };
            let (ports, notifier, stop, ready) = (ports.clone(), notifier.clone(), stop.subscribe(), ready.clone());
            tokio::spawn(async move {
                tokio::select! {
                    () = until_set(ready) => {}
                    () = until_set(stop.clone()) => return,
                }
                relay::run(ports, notifier, (source, epoch), stop).await;
            })
        };
        let monitor = |source| {
            let RelayPorts { outbox, clock, metrics, .. } = ports;
            let (outbox, clock, metrics) = (Arc::clone(outbox) as _, Arc::clone(clock), metrics.clone());
            OutboxMonitor::new(outbox, clock, metrics, notifier.clone(), source, roles.worker).run()
        };
        let mut tails: Vec<_> = sources().map(|source| spawn(ready, monitor(source))).collect();
        let relays = if roles.worker { sources().map(relay).collect() } else { Vec::new() };
        if roles.api {
            for source in sources() {
                let tail = EventTail::new(Arc::clone(&ports.outbox) as _, source);
                let consumer = |consumer: &Arc<dyn EventConsumer>| {
                    let feed = EventFeed::of_tail(&tail);
                    let progress = watch::Sender::new(());
                    ConsumerLoop::new(Arc::clone(consumer), ports.of_consumers(), feed, source, progress).run_always()
                };
                // One task polls the consumers in their order: the response cache drops a page
                // before a watcher receives the change.
                let consumers: Vec<_> = ports.of_process().map(consumer).collect();
                tails.push(spawn(ready, async move { _ = join_all(consumers).await }));
                tails.push(spawn(ready, tail.run(notifier.numbers(source), notifier.observations(source))));
            }
            tails.extend(api_tasks.into_iter().map(|task| spawn(ready, task)));
        }
        Self { relays, tails, leadership, stop }
    }

    /// Returns the leadership of the first data source.
    #[must_use]
    pub fn leadership(&self) -> Leadership {
        self.leadership.clone()
    }

    /// Returns a handle that releases the leases before the tasks are stopped.
    #[must_use]
    pub fn lease_release(&self) -> LeaseRelease {
        LeaseRelease(self.stop.clone())
    }

    /// Stops all tasks, after the release of every lease.
    pub async fn stop(self) {
        self.lease_release().release();
        for relay in self.relays {
            // Only a panic of the task is an error here, and the panic hook has logged it.
            let _ = relay.await;
        }
        self.tails.iter().for_each(JoinHandle::abort);
        for task in self.tails {
            // The error of an aborted task is expected.
            let _ = task.await;
        }
    }
}

/// Starts `task` once `ready` reports true.
fn spawn(ready: &watch::Receiver<bool>, task: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    let ready = ready.clone();
    tokio::spawn(async move {
        until_set(ready).await;
        task.await;
    })
}
