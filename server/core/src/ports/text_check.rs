//! Trials of texts: what the policy would do with them.

use async_trait::async_trait;

use crate::domain::checked_text::CheckedText;
use crate::domain::content::Content;
use crate::domain::error::Result;
use crate::domain::member::MemberId;
use crate::domain::object_type::ObjectType;

/// Says what the policy would do with a text. Nothing is stored and nothing is counted.
#[async_trait]
pub trait TextCheck: Send + Sync + std::fmt::Debug {
    /// Checks a new text as it would be judged now. Rules compare what is known of `member`, and
    /// its standing has no effect.
    ///
    /// # Errors
    /// Those of the services that the policy asks.
    async fn check(
        &self,
        object_type: &ObjectType,
        content: &Content,
        member: Option<&MemberId>,
    ) -> Result<CheckedText>;
}
