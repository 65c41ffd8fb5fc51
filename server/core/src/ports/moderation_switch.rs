//! The switch that turns moderation off for a deployment.

use async_trait::async_trait;

use crate::domain::error::Result;

/// Turns moderation off and on. While it is off, no process makes a state of moderation: the
/// committers of each data source read its switch every two seconds.
#[async_trait]
pub trait ModerationSwitch: Send + Sync + std::fmt::Debug {
    /// Sets the switch at every data source.
    ///
    /// # Errors [`ShardUnavailable`](crate::Error::ShardUnavailable) if a source cannot be reached.
    /// Others may be set; a repeat sets them all.
    async fn set(&self, is_off: bool) -> Result<()>;
}
