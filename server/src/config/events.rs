//! The events: their retention, and the topic that receives them.

use riposte_kafka::KafkaSettings;
use riposte_pipeline::{MAX_RETENTION, MIN_RETENTION};
use riposte_settings::{ErrorScope, TimeSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The longest name of a deployment.
const MAX_DEPLOYMENT: usize = 64;

/// The retention of events, and the topic that receives them.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EventSettings {
    /// The longest time for which events wait for a consumer that has not applied them.
    pub retention: TimeSpan,
    /// The name of this deployment, which the source of every event in the topic contains.
    pub deployment: String,
    /// The topic.
    pub kafka: KafkaSettings,
}

impl EventSettings {
    pub(super) fn validate(&self, report: &mut ErrorScope<'_>) {
        let retention = (MIN_RETENTION..=MAX_RETENTION).contains(&self.retention.duration());
        report.require(retention, "retention", "must be 24h to 720h");
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        let is_name = (1..=MAX_DEPLOYMENT).contains(&self.deployment.len()) && self.deployment.chars().all(is_letter);
        let message = "must be 1 to 64 letters, digits, \".\", \"_\" and \"-\", as \"comments-eu\"";
        report.require(is_name, "deployment", message);
    }
}
