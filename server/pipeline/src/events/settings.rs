//! The settings of events: the time for which they are retained.

use std::time::Duration;

use riposte_settings::{ErrorScope, TimeSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The shortest time for which events are retained, even if all consumers have applied them:
/// watchers resume from them.
pub(crate) const MIN_RETENTION: Duration = Duration::from_secs(24 * 60 * 60);
/// The longest retention that can be set.
const MAX_RETENTION: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// The retention of events.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EventSettings {
    /// The longest time for which events wait for a consumer that has not applied them.
    pub retention: TimeSpan,
}

impl EventSettings {
    /// Adds an error for each value that is out of bounds.
    pub fn validate(&self, report: &mut ErrorScope<'_>) {
        let retention = (MIN_RETENTION..=MAX_RETENTION).contains(&self.retention.duration());
        report.require(retention, "retention", "must be 24h to 720h");
    }
}
