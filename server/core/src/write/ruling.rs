//! The orders of moderators.

use crate::domain::decision::{Grounds, MODERATION_OFF_CODE, UNSPECIFIED_CODE};
use crate::domain::member::MemberId;

/// The order of a moderator, with the reasons of the decision that it becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// The moderator; empty for the policy.
    pub moderator: MemberId,
    /// The reasons.
    pub grounds: Grounds,
    /// The etag of the review that the moderator read; an empty one matches any.
    pub etag: String,
    /// The form of the request.
    pub form: RulingForm,
}

/// The form of the request of a moderator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RulingForm {
    /// A call for one comment, which returns the comment. An idempotency record keeps its key.
    Order,
    /// A verdict, which returns the decision. The decision keeps the key.
    Verdict,
}

impl Ruling {
    /// Returns the order of the policy.
    #[must_use]
    pub fn of_policy(grounds: Grounds) -> Self {
        let moderator = MemberId::stored(String::new());
        Self { moderator, grounds, etag: String::new(), form: RulingForm::Order }
    }

    /// Returns the verdict of a service on a text that waits for nothing else.
    #[must_use]
    pub fn of_service(grounds: Grounds, etag: String) -> Self {
        Self { etag, form: RulingForm::Verdict, ..Self::of_policy(grounds) }
    }

    /// Returns `true` for the verdict of a service. It judges no text about which people are asked.
    #[must_use]
    pub fn is_of_service(&self) -> bool {
        self.is_of_policy() && self.form == RulingForm::Verdict
    }

    /// Returns `true` for an order of the policy.
    #[must_use]
    pub fn is_of_policy(&self) -> bool {
        self.moderator.as_str().is_empty()
    }

    /// Returns a verdict of the operator that turns moderation off.
    #[must_use]
    pub fn of_switch(operator: MemberId) -> Self {
        let grounds = Grounds { code: MODERATION_OFF_CODE.to_owned(), ..Grounds::default() };
        Self { moderator: operator, grounds, etag: String::new(), form: RulingForm::Verdict }
    }

    /// Returns `true` for a verdict of the operator that turns moderation off. Neither a closed
    /// gate nor the lease of a moderator stops it.
    #[must_use]
    pub fn is_of_switch(&self) -> bool {
        self.grounds.code == MODERATION_OFF_CODE
    }

    /// Returns an order without a code, with a note for moderators.
    #[must_use]
    pub fn noted(moderator: MemberId, note: String) -> Self {
        let grounds = Grounds { code: UNSPECIFIED_CODE.to_owned(), note, ..Grounds::default() };
        Self { moderator, grounds, etag: String::new(), form: RulingForm::Order }
    }
}
