//! Checks, in each process that serves calls, that the shared cache is being repaired.

use std::time::Duration;

use riposte_cache::{EventsEnd, StalenessChange, StalenessMonitor};
use riposte_pipeline::OutboxObservation;
use riposte_telemetry::Metrics;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

/// The interval of the check that the cache is being repaired.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The interval of that check until its first result. Until then reads bypass the cache.
const FIRST_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The check of one data source, counted from 0.
#[derive(Debug)]
pub(super) struct StalenessWatch {
    pub(super) monitor: StalenessMonitor,
    pub(super) observations: watch::Receiver<Option<OutboxObservation>>,
    pub(super) metrics: Metrics,
    pub(super) source: usize,
}

impl StalenessWatch {
    /// Checks forever that the cache of the source is being repaired.
    pub(super) async fn run(mut self) {
        let source = self.source;
        self.metrics.cache_stale(source, false);
        loop {
            let change = self.check().await;
            if let Some(change) = change {
                self.metrics.cache_stale(source, change == StalenessChange::Stale);
            }
            match change {
                Some(StalenessChange::Stale) => tracing::warn!(
                    source = source + 1,
                    "the cache of the data source is stale: no worker with this cache holds the relay lease; reads go to the database"
                ),
                Some(StalenessChange::Recovered) => {
                    tracing::info!(source = source + 1, "the cache of the data source is repaired again")
                }
                Some(StalenessChange::Verified) | None => {}
            }
            sleep(if self.monitor.is_startup_over() { CHECK_INTERVAL } else { FIRST_CHECK_INTERVAL }).await;
        }
    }

    /// Checks against the next observation of the outbox. None arrives while the data source is
    /// unavailable.
    async fn check(&mut self) -> Option<StalenessChange> {
        let next = async {
            // The sender lives as long as the process.
            self.observations.changed().await.ok()?;
            self.observations.borrow_and_update().clone()
        };
        let Ok(Some(OutboxObservation { state, begin, oldest })) = timeout(3 * CHECK_INTERVAL, next).await else {
            self.monitor.record_missed_check();
            return None;
        };
        self.monitor.check(EventsEnd { time: begin.into_std(), head: state.head, oldest }).await
    }
}
