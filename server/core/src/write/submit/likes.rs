//! The verb of likes: set a value.

use crate::domain::error::{Error, Result};
use crate::domain::like::{LikeAnswer, LikeValue};
use crate::domain::member::MemberId;
use crate::domain::page::LocatedComment;
use crate::domain::request::{Fingerprint, IdempotencyKey, RequestId, RequestIdentity};
use crate::write::command_output::Effect;
use crate::write::submit::{Mutations, WriteContext};
use crate::write::verbs::{Command, SetLike};

/// A request to set a value.
#[derive(Debug, Clone)]
pub struct SetLikeRequest {
    /// The member whose value is set.
    pub member: MemberId,
    /// The value.
    pub value: LikeValue,
}

impl Mutations {
    /// Sets a member's value for a comment.
    ///
    /// # Errors
    /// [`Error::CommentUnavailable`], [`Error::SubjectReadOnly`], [`Error::SubjectHidden`],
    /// [`Error::RequestIdReused`].
    pub async fn set_like(&self, asked: &WriteContext, at: &LocatedComment, set: SetLikeRequest) -> Result<LikeAnswer> {
        let SetLikeRequest { member, value } = set;
        let operation = asked.request_id.unwrap_or_else(|| RequestId::from_bytes(self.ids.request()));
        let key = IdempotencyKey::of(&asked.caller, Some(&member), &operation);
        let request = RequestIdentity {
            key,
            fingerprint: Fingerprint::of(&[b"SetLike", &at.id.get().to_be_bytes(), &[value.code() as u8]]),
        };
        let verb = SetLike { comment_id: at.id, member, value, operation }.into();
        let command = Command { subject: at.subject.clone(), verb, request, now: self.clock.now() };
        match self.submit_one(command).await?.effect {
            Effect::Like(answer) => Ok(answer),
            Effect::Subject(_) | Effect::Comment(_) => Err(Error::internal("a like answered something else")),
        }
    }
}
