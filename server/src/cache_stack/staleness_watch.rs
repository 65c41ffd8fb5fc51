//! Checks, in each process that serves calls, that the shared cache is being repaired.

use std::sync::Arc;
use std::time::Duration;

use riposte_cache::{StalenessChange, StalenessMonitor};
use riposte_core::Result;
use riposte_core::ports::{Clock, EventLog};
use riposte_sync::BackoffLog;
use riposte_telemetry::Metrics;

use riposte_pipeline::oldest_waiting;

/// The interval of the check that the cache is being repaired.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The interval of that check until its first result. Until then reads bypass the cache.
const FIRST_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The check of one data source, counted from 0.
#[derive(Debug)]
pub(super) struct StalenessWatch {
    pub(super) monitor: StalenessMonitor,
    pub(super) outbox: Arc<dyn EventLog>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) metrics: Metrics,
    pub(super) source: usize,
}

impl StalenessWatch {
    /// Checks forever that the cache of the source is being repaired.
    pub(super) async fn run(mut self) {
        let source = self.source;
        let mut backoff = BackoffLog::new("staleness monitor", source);
        self.metrics.cache_stale(source, false);
        loop {
            match self.check().await {
                Ok(change) => {
                    backoff.succeeded();
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
                    tokio::time::sleep(if self.monitor.is_startup_over() {
                        CHECK_INTERVAL
                    } else {
                        FIRST_CHECK_INTERVAL
                    })
                    .await;
                }
                Err(error) => tokio::time::sleep(backoff.failed(&error)).await,
            }
        }
    }

    async fn check(&mut self) -> Result<Option<StalenessChange>> {
        match oldest_waiting(self.outbox.as_ref(), self.clock.as_ref(), self.source).await {
            Ok(age) => self.monitor.check(age).await,
            Err(error) => {
                self.monitor.record_missed_check();
                Err(error)
            }
        }
    }
}
