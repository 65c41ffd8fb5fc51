//! The switch that turns moderation off for a deployment, and the processes that do not know it.

use std::time::Duration;

use async_trait::async_trait;

use crate::domain::error::Result;

/// The time after which all processes go by a switch that was set.
pub const SWITCH_DELAY: Duration = Duration::from_secs(2);

/// Turns moderation off and on. While it is off, no process makes a state of moderation: the
/// committers of each data source read its switch within [`SWITCH_DELAY`].
#[async_trait]
pub trait ModerationSwitch: Send + Sync + std::fmt::Debug {
    /// Sets the switch at every data source.
    ///
    /// # Errors
    /// [`ShardUnavailable`](crate::Error::ShardUnavailable) if a source cannot be reached. Others
    /// may be set; a repeat sets them all.
    async fn set(&self, is_off: bool) -> Result<()>;

    /// Returns the number of names under which processes of a version before moderation hold
    /// leases, at all data sources: up to two for each process. While there is one, no process
    /// makes a state of moderation.
    ///
    /// # Errors
    /// [`ShardUnavailable`](crate::Error::ShardUnavailable) if a source cannot be reached.
    async fn old_leases(&self) -> Result<usize>;
}
