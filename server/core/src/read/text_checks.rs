//! The use case of moderators that tries the policy on a text.

use std::sync::Arc;

use crate::domain::caller::Caller;
use crate::domain::checked_text::CheckedText;
use crate::domain::content::Content;
use crate::domain::error::Result;
use crate::domain::ids::Partition;
use crate::domain::member::MemberId;
use crate::domain::object_type::{ObjectType, Policies};
use crate::domain::standing::GatedAct;
use crate::ports::{Clock, IdSource, TextCheck, TextQuestion};
use crate::write::member_gate::MemberGate;

/// Tries the policy on texts.
#[derive(Debug, Clone)]
pub struct TextChecks {
    /// The policy of texts.
    pub policy: Arc<dyn TextCheck>,
    /// The rights of members.
    pub members: MemberGate,
    /// The source of the ids by which the filter is asked.
    pub ids: Arc<dyn IdSource>,
    /// The current time.
    pub clock: Arc<dyn Clock>,
    /// The policies of the object types.
    pub policies: Arc<Policies>,
}

impl TextChecks {
    /// Returns what would become of a text of a member; `None` is a member without a standing. With
    /// `with_services` the filter and the account service are asked, too, as for a new comment.
    ///
    /// # Errors
    /// Those of [`Caller::policy`] and of [`TextCheck::check`].
    pub async fn check(
        &self,
        caller: &Caller,
        object_type: &ObjectType,
        (content, member): (&Content, Option<&MemberId>),
        with_services: bool,
    ) -> Result<CheckedText> {
        caller.policy(&self.policies, object_type)?;
        let now = self.clock.now();
        if !with_services {
            let question = TextQuestion { object_type, content, member, age: None, filtered_as: None };
            let checked = self.policy.check(question).await?;
            let standing = member.and_then(|member| self.members.standings.of(object_type, member, now));
            return Ok(checked.by(standing.unwrap_or_default().standing));
        }
        let rights = self.members.admit(object_type, member, GatedAct::Create, now).await;
        let age = rights.as_ref().ok().and_then(|rights| rights.age(now));
        let filtered_as = Some(self.ids.comment(Partition::number(0)).await?);
        let question = TextQuestion { object_type, content, member, age, filtered_as };
        let checked = self.policy.check(question).await?;
        Ok(match rights {
            Ok(rights) => checked.under(rights.unknown).by(rights.standing.standing),
            Err(rejection) => checked.refused(&rejection),
        })
    }
}
