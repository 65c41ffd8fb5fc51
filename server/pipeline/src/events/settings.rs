//! The bounds of the time for which events are retained.

use std::time::Duration;

/// The shortest time for which events are retained, even if all consumers have applied them:
/// watchers resume from them.
pub const MIN_RETENTION: Duration = Duration::from_secs(24 * 60 * 60);
/// The longest retention that can be set.
pub const MAX_RETENTION: Duration = Duration::from_secs(30 * 24 * 60 * 60);
