//! The wall clock of exemplars and of the start time. Measurements need no port: no decision of the
//! service depends on them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Returns the time since 1970; zero if the clock is set before it.
#[expect(clippy::disallowed_methods, reason = "a timestamp of telemetry, on which no decision depends")]
pub(crate) fn since_1970() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}
