//! The policy of texts: what becomes of a new text before it is written.

use async_trait::async_trait;

use crate::domain::content::Content;
use crate::domain::error::Result;
use crate::domain::ids::CommentId;
use crate::domain::member::MemberId;
use crate::domain::object_type::ObjectType;
use crate::domain::policy_judgement::PolicyJudgement;
use crate::domain::request::IdempotencyKey;
use crate::domain::subject::SubjectKey;

/// A text that a member sends.
#[derive(Debug, Clone, Copy)]
pub struct Submission<'s> {
    /// Its subject.
    pub subject: &'s SubjectKey,
    /// The content, as the member sent it.
    pub content: &'s Content,
    /// `true` if it replaces the content of a comment.
    pub is_edit: bool,
    /// The id that the comment will have, or has.
    pub comment: CommentId,
    /// The root comment of its thread; `None` for a root comment.
    pub root: Option<CommentId>,
    /// The comment that it replies to; `None` for a root comment.
    pub parent: Option<CommentId>,
    /// The member.
    pub member: &'s MemberId,
    /// The days since the member joined; `None` if it is not known.
    pub age: Option<u32>,
    /// The key of the request, which its repeats have too.
    pub key: IdempotencyKey,
}

impl<'s> Submission<'s> {
    /// The type of the subject.
    #[must_use]
    pub fn object_type(&self) -> &'s ObjectType {
        self.subject.object_type()
    }
}

/// The policies of the object types.
#[async_trait]
pub trait ContentPolicy: Send + Sync + std::fmt::Debug {
    /// Returns `true` if texts of this type are judged. Others cost nothing more than this call.
    fn judges(&self, object_type: &ObjectType) -> bool;

    /// Judges a text.
    ///
    /// # Errors
    /// [`Error::ContentBlocked`](crate::Error::ContentBlocked) for a text that is not stored;
    /// [`Error::PolicyUnavailable`](crate::Error::PolicyUnavailable) if a service cannot be asked
    /// and the object type refuses texts meanwhile; those of a reader, for an edit.
    async fn judge(&self, submission: Submission<'_>) -> Result<PolicyJudgement>;
}
