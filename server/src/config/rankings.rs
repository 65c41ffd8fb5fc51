//! The depth of ranked lists.

use riposte_settings::ErrorScope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The deepest ranking. Its row takes some 40 KB, and computing it some tens of milliseconds.
const DEEPEST: usize = 10_000;

/// The ranking snapshots of ranked lists.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RankingSettings {
    /// Comments of a list that are ranked, 1 to 10,000; all others follow by age.
    pub depth: usize,
}

impl RankingSettings {
    pub(super) fn validate(&self, report: &mut ErrorScope<'_>) {
        report.require((1..=DEEPEST).contains(&self.depth), "depth", "must be 1 to 10000 comments");
    }
}
