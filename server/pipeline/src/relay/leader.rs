//! The holder of a source's lease, which assigns sequence numbers to its events.

use std::collections::BTreeSet;
use std::time::Duration;

use riposte_core::ports::{Epoch, LeaseCandidate, REGISTRATION, TrimBounds, shown_name};
use riposte_core::rank::SNAPSHOT_RETENTION;
use riposte_core::{Millis, Result};
use riposte_sync::BackoffLog;
use tokio::time::Instant;

use super::{EpochSender, RelayPorts, lag};
use crate::events::consumer::REGISTRATION_RENEWAL;
use crate::events::settings::MIN_RETENTION;
use crate::notifier::{Notifier, POLL_MIN, POLL_OTHERS};

/// The interval at which the lease is requested or renewed and lag is measured.
const LEASE_INTERVAL: Duration = Duration::from_secs(1);
/// The number of commits that are sequenced in one transaction.
const CHUNK: usize = 200;
/// The interval of the deletion of old events.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);
/// The number of old commits, or of old ranking snapshots, that one transaction deletes.
const SWEEP_CHUNK: usize = 50;
/// The maximum number of transactions in one sweep.
const SWEEP_CHUNKS: usize = 400;

/// The sequencer of one source.
#[derive(Debug)]
pub(super) struct Leader {
    ports: RelayPorts,
    notifier: Notifier,
    source: usize,
    candidate: LeaseCandidate,
    /// The time of the last lease request; `None` when the lease must be requested at once.
    last_request: Option<Instant>,
    /// The time at which this worker last registered its consumers.
    last_registration: Option<Instant>,
    /// The names of the positions of the last measurement of lag.
    measured_names: BTreeSet<String>,
    last_sweep: Instant,
    /// The consumers that had not passed some events when a recent sweep deleted these events.
    overtaken: BTreeSet<String>,
}

impl Leader {
    pub(super) fn new(ports: RelayPorts, notifier: Notifier, source: usize) -> Self {
        let candidate = if ports.repairs_shared_cache { LeaseCandidate::repairing } else { LeaseCandidate::yielding }(
            rand::random(),
        );
        let (last_sweep, measured_names, overtaken) = (Instant::now(), BTreeSet::new(), BTreeSet::new());
        Self {
            ports,
            notifier,
            source,
            candidate,
            last_request: None,
            last_registration: None,
            measured_names,
            last_sweep,
            overtaken,
        }
    }

    /// Runs forever and assigns sequence numbers while the process holds the lease. `epochs` passes
    /// the epoch to the event consumers.
    pub(super) async fn run(&mut self, epochs: &EpochSender) {
        let mut backoff = BackoffLog::new("relay", self.source);
        let mut commits = self.notifier.commits(self.source);
        loop {
            match self.run_once(epochs).await {
                Ok(()) => {
                    backoff.succeeded();
                    if epochs.borrow().is_some() {
                        commits.wait(POLL_MIN, POLL_OTHERS).await
                    } else {
                        tokio::time::sleep(LEASE_INTERVAL).await
                    }
                }
                Err(error) => {
                    let pause = backoff.failed(&error);
                    tokio::time::sleep(pause).await;
                }
            }
        }
    }

    async fn run_once(&mut self, epochs: &EpochSender) -> Result<()> {
        if self.last_request.is_none_or(|last| last.elapsed() >= LEASE_INTERVAL) {
            let now = self.ports.clock.now();
            let epoch = self.ports.outbox.acquire_lease(self.source, self.candidate, now).await?;
            self.last_request = Some(Instant::now());
            epochs.send_if_modified(|current| std::mem::replace(current, epoch) != epoch);
            lag::measure(&self.ports, self.source, &mut self.measured_names).await?;
            self.register().await?;
        }
        let epoch = *epochs.borrow();
        let Some(epoch) = epoch else { return Ok(()) };
        let has_lease = self.assign_sequence(epoch).await? && self.sweep(epoch).await?;
        if !has_lease {
            // Another epoch has begun. The lease is requested again at once, in case that epoch is
            // already over.
            epochs.send_replace(None);
            self.last_request = None;
        }
        Ok(())
    }

    /// Registers the consumers of this worker, whether it holds the lease or not. Therefore no
    /// running worker uses a position without a registration.
    async fn register(&mut self) -> Result<()> {
        if self.last_registration.is_none_or(|last| last.elapsed() >= REGISTRATION_RENEWAL) {
            self.last_registration = Some(Instant::now());
            let names: Vec<&str> = self.ports.of_leader().map(|(consumer, _)| consumer.name()).collect();
            let until = self.ports.clock.now().plus(REGISTRATION);
            self.ports.positions.register(self.source, &names, until).await?;
        }
        Ok(())
    }

    /// Assigns sequence numbers to waiting commits until the lease is due for renewal. Returns true
    /// while the epoch is current.
    async fn assign_sequence(&self, epoch: Epoch) -> Result<bool> {
        let begin = Instant::now();
        loop {
            let Some(sequenced) = self.ports.outbox.assign_sequence(self.source, epoch, CHUNK).await? else {
                return Ok(false);
            };
            if sequenced > 0 {
                self.notifier.sequenced(self.source);
            }
            if sequenced < CHUNK || begin.elapsed() >= LEASE_INTERVAL {
                return Ok(true);
            }
        }
    }

    /// Deletes expired data once per sweep interval, in parts between which the lease is renewed.
    /// Returns true while the epoch is current.
    async fn sweep(&mut self, epoch: Epoch) -> Result<bool> {
        if self.last_sweep.elapsed() < SWEEP_INTERVAL {
            return Ok(true);
        }
        let Some(is_complete) = self.trim(epoch).await? else { return Ok(false) };
        if is_complete {
            self.last_sweep = Instant::now();
            self.sweep_rankings().await?;
        }
        Ok(true)
    }

    /// Deletes old events until the lease is due for renewal. Returns true if no more events are
    /// old enough, or if the sweep has deleted its maximum; `None` if another epoch has begun.
    async fn trim(&mut self, epoch: Epoch) -> Result<Option<bool>> {
        let begin = Instant::now();
        let bounds = TrimBounds {
            passed_before: self.before(MIN_RETENTION),
            all_before: self.before(self.ports.retention.max(MIN_RETENTION)),
        };
        let (mut overtaken, mut is_complete) = (BTreeSet::new(), true);
        for _ in 0..SWEEP_CHUNKS {
            is_complete = begin.elapsed() < LEASE_INTERVAL;
            if !is_complete {
                break;
            }
            let Some(trimmed) = self.ports.positions.trim(self.source, epoch, bounds, SWEEP_CHUNK).await? else {
                return Ok(None);
            };
            for (name, commits) in trimmed.overtaken {
                self.ports.metrics.consumer_overtaken(self.source, shown_name(&name), commits as u64);
                if !self.overtaken.contains(&name) && overtaken.insert(name.clone()) {
                    tracing::error!(
                        source = self.source + 1,
                        consumer = shown_name(&name),
                        "events of more than events.retention were deleted although the consumer has not applied them; \
                         it is rebuilt from the rows, or its position can be removed if no worker runs it"
                    );
                }
                overtaken.insert(name);
            }
            if trimmed.commits < SWEEP_CHUNK {
                break;
            }
        }
        if is_complete {
            self.overtaken.clear();
        }
        self.overtaken.extend(overtaken);
        Ok(Some(is_complete))
    }

    fn before(&self, age: Duration) -> Millis {
        Millis(self.ports.clock.now().0 - i64::try_from(age.as_millis()).unwrap_or(i64::MAX))
    }

    /// Deletes ranking snapshots that are too old for any page token. Only the leader deletes them,
    /// to avoid repeated work; it would be safe in every process.
    async fn sweep_rankings(&self) -> Result<()> {
        let before = self.before(SNAPSHOT_RETENTION);
        for _ in 0..SWEEP_CHUNKS {
            if self.ports.rankings.trim(self.source, before, SWEEP_CHUNK).await? < SWEEP_CHUNK {
                break;
            }
        }
        Ok(())
    }

    /// Releases the lease, so that another process can take it at once.
    pub(super) async fn release_lease(&self) {
        if let Err(error) = self.ports.outbox.release_lease(self.source, self.candidate).await {
            tracing::debug!(source = self.source + 1, %error, "the relay lease could not be released; it will expire");
        }
    }
}
