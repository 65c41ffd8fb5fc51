//! The policy of texts: what becomes of a new text before it is written.

use async_trait::async_trait;

use crate::domain::content::Content;
use crate::domain::error::Result;
use crate::domain::member::MemberId;
use crate::domain::object_type::ObjectType;
use crate::domain::policy_judgement::PolicyJudgement;

/// A text that a member sends.
#[derive(Debug, Clone, Copy)]
pub struct Submission<'s> {
    /// The type of its subject.
    pub object_type: &'s ObjectType,
    /// The member.
    pub member: &'s MemberId,
    /// The content, as the member sent it.
    pub content: &'s Content,
    /// `true` if it replaces the content of a comment.
    pub is_edit: bool,
}

/// The policies of the object types.
#[async_trait]
pub trait ContentPolicy: Send + Sync + std::fmt::Debug {
    /// Returns `true` if texts of this type are judged. Others cost nothing more than this call.
    fn judges(&self, object_type: &ObjectType) -> bool;

    /// Judges a text.
    ///
    /// # Errors
    /// [`Error::ContentBlocked`](crate::Error::ContentBlocked) for a text that is not stored.
    async fn judge(&self, submission: Submission<'_>) -> Result<PolicyJudgement>;
}
