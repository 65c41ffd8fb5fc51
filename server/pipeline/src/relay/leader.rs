//! The holder of a source's lease, which assigns sequence numbers to its events.

use std::collections::BTreeSet;
use std::time::Duration;

use riposte_core::ports::{Epoch, LeaseCandidate, REGISTRATION, TrimBounds, shown_name};
use riposte_core::rank::SNAPSHOT_RETENTION;
use riposte_core::{Millis, Result};
use riposte_sync::BackoffLog;
use tokio::sync::watch;
use tokio::time::Instant;

use super::{EpochSender, RelayPorts};
use crate::events::consumer::REGISTRATION_RENEWAL;
use crate::events::settings::MIN_RETENTION;
use crate::notifier::{Notified, Notifier, POLL_MIN};
use crate::outbox_observation::OutboxObservation;

/// The interval at which the holder extends the lease. A lease lasts for more than two intervals.
const LEASE_INTERVAL: Duration = Duration::from_secs(2);
/// The number of commits that are sequenced in one transaction.
const CHUNK: usize = 200;
/// The interval of the deletion of old events.
const SWEEP_INTERVAL: Duration = Duration::from_secs(60);
/// The interval of the deletion of old ranking snapshots, which reads every table of comments. It
/// is short compared with the time for which they are kept.
const RANKING_SWEEP_INTERVAL: Duration = Duration::from_secs(600);
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
    /// The time of the last lease request.
    last_request: Option<Instant>,
    /// True if the lease must be requested at once.
    must_request: bool,
    /// True if commits may wait for sequence numbers.
    has_waiting: bool,
    /// The last observed head of the sequence numbers.
    head: i64,
    /// The time at which this worker last registered its consumers.
    last_registration: Option<Instant>,
    last_sweep: Instant,
    last_ranking_sweep: Instant,
    /// The consumers that had not passed some events when a recent sweep deleted these events.
    overtaken: BTreeSet<String>,
}

impl Leader {
    pub(super) fn new(ports: RelayPorts, notifier: Notifier, source: usize) -> Self {
        let candidate = if ports.repairs_shared_cache { LeaseCandidate::repairing } else { LeaseCandidate::yielding }(
            rand::random(),
        );
        let (last_sweep, overtaken) = (Instant::now(), BTreeSet::new());
        Self {
            ports,
            notifier,
            source,
            candidate,
            last_request: None,
            must_request: true,
            has_waiting: false,
            head: 0,
            last_registration: None,
            last_sweep,
            last_ranking_sweep: last_sweep,
            overtaken,
        }
    }

    /// Runs forever and assigns sequence numbers while the process holds the lease. `epochs` passes
    /// the epoch to the event consumers.
    pub(super) async fn run(&mut self, epochs: &EpochSender) {
        let mut backoff = BackoffLog::new("relay", self.source);
        let mut commits = self.notifier.commits(self.source);
        let mut observations = self.notifier.observations(self.source);
        loop {
            match self.run_once(epochs).await {
                Ok(()) => {
                    backoff.succeeded();
                    self.wait(epochs, &mut commits, &mut observations).await;
                }
                Err(error) => tokio::time::sleep(backoff.failed(&error.log_text())).await,
            }
        }
    }

    /// Waits until there is something to do.
    async fn wait(
        &mut self,
        epochs: &EpochSender,
        commits: &mut Notified,
        observations: &mut watch::Receiver<Option<OutboxObservation>>,
    ) {
        if self.must_request || self.has_waiting {
            return;
        }
        tokio::time::sleep(POLL_MIN).await;
        let held = *epochs.borrow();
        let next_renewal = self.last_request.filter(|_| held.is_some()).map(|last| last + LEASE_INTERVAL);
        let next_registration = self.last_registration.map(|last| last + REGISTRATION_RENEWAL);
        let next = next_renewal.into_iter().chain(next_registration).min().unwrap_or_else(Instant::now);
        loop {
            tokio::select! {
                () = commits.changed(), if held.is_some() => self.has_waiting = true,
                Ok(()) = observations.changed() => self.observe(held, observations.borrow_and_update().as_ref()),
                () = tokio::time::sleep_until(next) => return,
            }
            if self.has_waiting || self.must_request {
                return;
            }
        }
    }

    /// Takes an observed state into account. `held` is the epoch of this process.
    fn observe(&mut self, held: Option<Epoch>, observation: Option<&OutboxObservation>) {
        let Some(OutboxObservation { state, begin, .. }) = observation else { return };
        // Only damage to the relay's row lowers the head. The next run of the sequencing raises it
        // to the greatest number of an event.
        self.has_waiting |= held.is_some() && state.head < self.head;
        self.head = state.head;
        // An earlier state may precede the lease that this process requested.
        if self.last_request.is_some_and(|last| *begin <= last) {
            return;
        }
        let lease = state.lease.as_ref();
        match held {
            Some(epoch) => {
                self.has_waiting |= state.oldest_waiting.is_some();
                self.must_request = lease.is_none_or(|lease| lease.epoch != epoch);
            }
            None => {
                let now = self.ports.clock.now();
                self.must_request = lease.is_none_or(|lease| !lease.excludes(self.candidate, now));
            }
        }
    }

    async fn run_once(&mut self, epochs: &EpochSender) -> Result<()> {
        let held = *epochs.borrow();
        let is_due = held.is_some() && self.last_request.is_none_or(|last| last.elapsed() >= LEASE_INTERVAL);
        if self.must_request || is_due {
            self.request_lease(epochs, held).await?;
        }
        self.register().await?;
        let held = *epochs.borrow();
        let Some(epoch) = held else { return Ok(()) };
        let has_lease = self.assign_waiting(epoch).await? && self.sweep(epoch).await?;
        if !has_lease {
            // Another epoch has begun. The lease is requested again at once, in case that epoch is
            // already over.
            epochs.send_replace(None);
            self.must_request = true;
        }
        Ok(())
    }

    /// Requests the lease, or extends it if this process holds it in the epoch `held`.
    async fn request_lease(&mut self, epochs: &EpochSender, held: Option<Epoch>) -> Result<()> {
        let (outbox, now) = (&self.ports.outbox, self.ports.clock.now());
        let epoch = match held {
            Some(epoch) if outbox.extend_lease(self.source, self.candidate, epoch, now).await? => Some(epoch),
            _ => outbox.acquire_lease(self.source, self.candidate, now).await?,
        };
        (self.last_request, self.must_request) = (Some(Instant::now()), false);
        // Commits may have waited while no process held the lease.
        self.has_waiting = epoch.is_some() && (self.has_waiting || epoch != held);
        epochs.send_if_modified(|current| std::mem::replace(current, epoch) != epoch);
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

    /// Assigns sequence numbers to waiting commits, if there may be any, until the lease is due for
    /// renewal. Returns true while the epoch is current.
    async fn assign_waiting(&mut self, epoch: Epoch) -> Result<bool> {
        let begin = Instant::now();
        while self.has_waiting && begin.elapsed() < LEASE_INTERVAL {
            let Some(sequenced) = self.ports.outbox.assign_sequence(self.source, epoch, CHUNK).await? else {
                return Ok(false);
            };
            if sequenced > 0 {
                self.notifier.sequenced(self.source);
            }
            self.has_waiting = sequenced == CHUNK;
        }
        Ok(true)
    }

    /// Deletes expired data once per interval, in parts between which the lease is renewed.
    /// Returns true while the epoch is current.
    async fn sweep(&mut self, epoch: Epoch) -> Result<bool> {
        if self.last_sweep.elapsed() < SWEEP_INTERVAL {
            return Ok(true);
        }
        let Some(is_complete) = self.trim(epoch).await? else { return Ok(false) };
        if is_complete {
            self.last_sweep = Instant::now();
        }
        if is_complete && self.last_ranking_sweep.elapsed() >= RANKING_SWEEP_INTERVAL {
            self.sweep_rankings().await?;
            self.last_ranking_sweep = Instant::now();
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
