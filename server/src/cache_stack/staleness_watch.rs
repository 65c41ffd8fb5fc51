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
const CHECK: Duration = Duration::from_secs(1);

/// The interval of that check until its first result. Until then reads bypass the cache.
const FIRST_CHECKS: Duration = Duration::from_millis(100);

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
        let mut backoff = BackoffLog::of("staleness monitor", source);
        self.metrics.cache_stale(source, false);
        loop {
            match self.check().await {
                Ok(change) => {
                    backoff.over();
                    if let Some(change) = change {
                        self.metrics.cache_stale(source, change == StalenessChange::Missing);
                    }
                    match change {
                        Some(StalenessChange::Missing) => tracing::warn!(
                            source = source + 1,
                            "the cache of the data source is stale: no worker with this cache holds the relay lease; reads go to the database"
                        ),
                        Some(StalenessChange::Again) => {
                            tracing::info!(source = source + 1, "the cache of the data source is repaired again")
                        }
                        Some(StalenessChange::Found) | None => {}
                    }
                    tokio::time::sleep(if self.monitor.is_settled() { CHECK } else { FIRST_CHECKS }).await;
                }
                Err(error) => tokio::time::sleep(backoff.met(&error)).await,
            }
        }
    }

    async fn check(&mut self) -> Result<Option<StalenessChange>> {
        match oldest_waiting(self.outbox.as_ref(), self.clock.as_ref(), self.source).await {
            Ok(age) => self.monitor.look(age).await,
            Err(error) => {
                self.monitor.was_blind();
                Err(error)
            }
        }
    }
}
