//! Checks that a shared cache is being repaired, in each process that reads it.

use std::sync::Arc;
use std::time::Duration;

use riposte_cache::{StalenessChange, StalenessMonitor};
use riposte_core::Result;
use riposte_core::ports::{Clock, Outbox};
use riposte_sync::BackoffLog;

use riposte_telemetry::Metrics;

/// The interval of the check that the cache is being repaired.
const LOOK: Duration = Duration::from_secs(1);

/// The interval of that check until its first result. Until then reads bypass the cache.
const FIRST_LOOKS: Duration = Duration::from_millis(100);

/// The check of one data source, counted from 0.
#[derive(Debug)]
pub(super) struct StalenessWatch {
    pub(super) monitor: StalenessMonitor,
    pub(super) outbox: Arc<dyn Outbox>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) metrics: Metrics,
    pub(super) source: usize,
}

impl StalenessWatch {
    /// Checks forever that the cache of the source is being repaired.
    pub(super) async fn run(mut self) {
        let source = self.source;
        let mut trouble = BackoffLog::of("staleness monitor", source);
        self.metrics.cache_stale(source, false);
        loop {
            match self.look().await {
                Ok(news) => {
                    trouble.over();
                    if let Some(news) = news {
                        self.metrics.cache_stale(source, news == StalenessChange::Missing);
                    }
                    match news {
                        Some(StalenessChange::Missing) => tracing::warn!(
                            source = source + 1,
                            "the cache of the data source is stale: no worker with this cache holds the relay lease; reads go to the database"
                        ),
                        Some(StalenessChange::Again) => {
                            tracing::info!(source = source + 1, "the cache of the data source is repaired again")
                        }
                        Some(StalenessChange::Found) | None => {}
                    }
                    tokio::time::sleep(if self.monitor.is_settled() { LOOK } else { FIRST_LOOKS }).await;
                }
                Err(error) => tokio::time::sleep(trouble.met(&error)).await,
            }
        }
    }

    async fn look(&mut self) -> Result<Option<StalenessChange>> {
        let oldest = self.outbox.oldest_waiting(self.source).await.inspect_err(|_| self.monitor.was_blind())?;
        // The clocks of processes differ a little, so an event may seem to come from the future.
        let age = oldest.map_or(0, |oldest| (self.clock.now().0 - oldest.0).max(0));
        self.monitor.look(Duration::from_millis(age.unsigned_abs())).await
    }
}
