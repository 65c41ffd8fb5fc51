//! The times of a consumer's loop.

use std::time::Duration;

use riposte_sync::RetryWaits;

/// The times of a consumer's loop.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConsumerTimes {
    /// The waits after failures.
    pub(crate) retry: RetryWaits,
    /// The interval at which an idle consumer is called.
    pub(crate) idle: Duration,
    /// The time for which events wait for the followed consumer while that consumer makes no
    /// progress.
    pub(crate) following: Duration,
    /// The interval at which a consumer without new events checks that none were deleted.
    pub(crate) loss_check: Duration,
}

impl ConsumerTimes {
    /// The times of a server.
    pub(crate) const DEFAULT: Self = Self {
        retry: RetryWaits::DEFAULT,
        idle: Duration::from_secs(1),
        following: Duration::from_secs(3),
        loss_check: Duration::from_secs(60),
    };
}
