//! The use case of moderators that tries the policy on a text.

use std::sync::Arc;

use crate::domain::caller::Caller;
use crate::domain::checked_text::CheckedText;
use crate::domain::content::Content;
use crate::domain::error::Result;
use crate::domain::member::MemberId;
use crate::domain::object_type::{ObjectType, Policies};
use crate::ports::{Clock, Standings, TextCheck};

/// Tries the policy on texts.
#[derive(Debug, Clone)]
pub struct TextChecks {
    /// The policy of texts.
    pub policy: Arc<dyn TextCheck>,
    /// The standings of members.
    pub standings: Arc<dyn Standings>,
    /// The current time.
    pub clock: Arc<dyn Clock>,
    /// The policies of the object types.
    pub policies: Arc<Policies>,
}

impl TextChecks {
    /// Returns what would become of a text of a member; `None` is a member without a standing.
    ///
    /// # Errors
    /// Those of [`Caller::policy`] and of [`TextCheck::check`].
    pub async fn check(
        &self,
        caller: &Caller,
        object_type: &ObjectType,
        (content, member): (&Content, Option<&MemberId>),
    ) -> Result<CheckedText> {
        caller.policy(&self.policies, object_type)?;
        let checked = self.policy.check(object_type, content, member).await?;
        let now = self.clock.now();
        let standing = member.and_then(|member| self.standings.of(object_type, member, now));
        Ok(checked.by(standing.unwrap_or_default().standing))
    }
}
