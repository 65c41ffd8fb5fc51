//! Records the backlog of reviews, and processes of versions before moderation, in the metrics.

use std::sync::Arc;
use std::time::Duration;

use riposte_core::ObjectType;
use riposte_core::ports::{Clock, ModerationSwitch, ReviewBacklog, Reviews};
use riposte_telemetry::Metrics;
use tokio::time::{MissedTickBehavior, interval};

/// The interval between two counts.
const INTERVAL: Duration = Duration::from_secs(15);

/// The sources of the gauges.
#[derive(Debug)]
pub(super) struct ReviewGauges {
    /// The queue of open reviews.
    pub(super) reviews: Arc<dyn Reviews>,
    /// The gates of moderation.
    pub(super) switch: Arc<dyn ModerationSwitch>,
    /// The registered object types.
    pub(super) types: Vec<ObjectType>,
    /// The present time.
    pub(super) clock: Arc<dyn Clock>,
    /// The metrics.
    pub(super) metrics: Metrics,
}

impl ReviewGauges {
    /// Counts until the task is ended. A count that fails leaves the gauges as they are: other
    /// metrics report a data source that does not answer.
    pub(super) async fn run(self) {
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            match self.reviews.backlogs(&self.types).await {
                Ok(backlogs) => self.record(&backlogs),
                Err(error) => tracing::debug!(error = %error.log_text(), "open reviews could not be counted"),
            }
            match self.switch.old_leases().await {
                Ok(leases) => self.metrics.old_writers(leases),
                Err(error) => tracing::debug!(error = %error.log_text(), "leases could not be counted"),
            }
        }
    }

    fn record(&self, backlogs: &[ReviewBacklog]) {
        let now = self.clock.now();
        for object_type in &self.types {
            let backlog = backlogs.iter().find(|backlog| backlog.object_type == *object_type);
            let overdue = |backlog: &ReviewBacklog| u64::try_from(now.0.saturating_sub(backlog.due_time.0)).ok();
            let overdue = Duration::from_millis(backlog.and_then(overdue).unwrap_or_default());
            self.metrics.reviews(object_type.as_str(), backlog.map_or(0, |backlog| backlog.open), overdue);
        }
    }
}
