//! Trials of texts: what the policy would do with them.

use async_trait::async_trait;

use crate::domain::checked_text::CheckedText;
use crate::domain::error::Result;
use crate::ports::Submission;

/// Says what the policy would do with a text. Nothing is stored and nothing is counted.
#[async_trait]
pub trait TextCheck: Send + Sync + std::fmt::Debug {
    /// Checks a text as it would be judged now, without its author.
    ///
    /// # Errors
    /// Those of the services that the policy asks.
    async fn check(&self, submission: Submission<'_>) -> Result<CheckedText>;
}
