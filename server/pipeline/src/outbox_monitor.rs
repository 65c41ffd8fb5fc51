//! The monitor of a data source's outbox. Each process polls the state of every outbox, with one
//! statement for all of its parts: the relay, the tail, the event consumers, the check of the cache
//! and the metrics of the lag. While nothing happens the monitor polls less often. It never waits
//! so long that an event of another process arrives later than a second.

mod lag;

use std::sync::Arc;
use std::time::Duration;

use riposte_core::Result;
use riposte_core::ports::{Clock, EventLog};
use riposte_sync::{AdaptiveInterval, BackoffLog, PollBounds};
use riposte_telemetry::Metrics;
use tokio::time::Instant;

use crate::notifier::{Notifier, POLL_MIN};
use crate::outbox_observation::OutboxObservation;
use lag::LagReport;

/// The intervals of the polls. A commit of another process gets its sequence number after one
/// interval of the leader. The monitor of every other process meanwhile finds the commit, and then
/// polls at the floor.
const POLLS: PollBounds = PollBounds {
    floor: Duration::from_millis(100),
    ceiling: Duration::from_millis(500),
    quiet_after: Duration::from_secs(2),
};
const _: () = assert!(
    POLLS.ceiling.as_millis() + POLLS.floor.as_millis() + POLL_MIN.as_millis() < 1_000,
    "an event of another process arrives within a second"
);

/// The monitor of one source, which is numbered from 0.
#[derive(Debug)]
pub(super) struct OutboxMonitor {
    outbox: Arc<dyn EventLog>,
    clock: Arc<dyn Clock>,
    notifier: Notifier,
    source: usize,
    pub(super) interval: AdaptiveInterval,
    lag: LagReport,
    head: i64,
}

impl OutboxMonitor {
    /// Creates a monitor that reports the lag to `metrics`. If the process is not a worker, it also
    /// logs that commits wait too long for their sequence numbers.
    pub(super) fn new(
        outbox: Arc<dyn EventLog>,
        clock: Arc<dyn Clock>,
        metrics: Metrics,
        notifier: Notifier,
        source: usize,
        is_worker: bool,
    ) -> Self {
        let (interval, lag) = (AdaptiveInterval::new(POLLS), LagReport::new(metrics, source, is_worker));
        Self { outbox, clock, notifier, source, interval, lag, head: 0 }
    }

    /// Polls the outbox forever.
    pub(super) async fn run(mut self) {
        let mut backoff = BackoffLog::new("outbox monitor", self.source);
        let mut commits = self.notifier.commits(self.source);
        loop {
            match self.poll().await {
                Ok(is_active) => {
                    backoff.succeeded();
                    self.interval.record(is_active);
                    self.interval.wait(commits.changed()).await;
                }
                Err(error) => tokio::time::sleep(backoff.failed(&error.log_text())).await,
            }
        }
    }

    /// Polls once. Returns `true` if commits wait for sequence numbers or have received some.
    async fn poll(&mut self) -> Result<bool> {
        let begin = Instant::now();
        let state = self.outbox.state(self.source).await?;
        // The clocks of processes differ a little, so a commit may have a time in the future.
        let age = state.oldest_waiting.map_or(0, |oldest| (self.clock.now().0 - oldest.0).max(0));
        let oldest = Duration::from_millis(age.unsigned_abs());
        self.lag.report(&state, oldest);
        let is_active = state.oldest_waiting.is_some() || state.head != self.head;
        self.head = state.head;
        self.notifier.observed(self.source, OutboxObservation { state: Arc::new(state), begin, oldest });
        Ok(is_active)
    }
}
