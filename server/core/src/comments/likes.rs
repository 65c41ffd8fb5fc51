//! Likes: set a value, and read the values of members.

use crate::caller::Caller;
use crate::comments::Comments;
use crate::comments::submit::WriteContext;
use crate::error::{Error, Result, Violation};
use crate::ids::CommentId;
use crate::like::{LikeAnswer, LikeValue};
use crate::member::MemberId;
use crate::page::{Liker, LikerCursor, LocatedComment, MemberLike, Page};
use crate::request::{Fingerprint, IdempotencyKey, RequestId, RequestIdentity};
use crate::subject::SubjectKey;
use crate::unit_of_work::Effect;
use crate::verbs::{Command, SetLike};

/// A request to set a value.
#[derive(Debug, Clone)]
pub struct SetLikeRequest {
    /// The member whose value is set.
    pub member: MemberId,
    /// The value.
    pub value: LikeValue,
}

impl Comments {
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

    /// Returns a member's values for comments of one subject, in the order of `ids`.
    ///
    /// # Errors
    /// A violation for each id of another partition; [`Error::CommentNotFound`] for one that is not
    /// in the subject; [`Error::SubjectNotFound`].
    pub async fn like_states(
        &self,
        caller: &Caller,
        key: &SubjectKey,
        member: &MemberId,
        ids: &[CommentId],
    ) -> Result<Vec<LikeValue>> {
        self.policy(caller, key.object_type())?;
        let foreign = |(_, id): &(usize, &CommentId)| id.partition() != key.partition();
        let violations: Vec<_> = ids
            .iter()
            .enumerate()
            .filter(foreign)
            .map(|(n, _)| Violation::field(format!("comment_ids[{n}]"), "does not belong to this subject"))
            .collect();
        if !violations.is_empty() {
            return Err(Error::Invalid(violations));
        }
        let states = self.reader.like_states(key, member, ids).await?;
        states.into_iter().collect::<Option<Vec<_>>>().ok_or(Error::CommentNotFound)
    }

    /// Returns the members that like, or dislike, a comment, newest first.
    ///
    /// # Errors
    /// [`Error::CommentNotFound`]; [`Error::CommentUnavailable`] for one that is not visible.
    pub async fn likers(
        &self,
        caller: &Caller,
        id: CommentId,
        value: LikeValue,
        after: Option<&LikerCursor>,
        limit: usize,
    ) -> Result<Page<Liker>> {
        let view = self.comment(caller, id, None, 0).await?;
        if !view.comment.state.is_visible() {
            return Err(Error::CommentUnavailable(view.comment.state));
        }
        self.listable(&view.subject).await?;
        self.reader.likers(id, value, after, limit).await
    }

    /// Returns the comments that a member likes or dislikes in a subject, by comment id. A subject
    /// that does not exist reads as empty if its type has auto_create.
    ///
    /// # Errors
    /// [`Error::SubjectNotFound`], also for a deleted one; [`Error::SubjectHidden`].
    pub async fn member_likes(
        &self,
        caller: &Caller,
        key: &SubjectKey,
        member: &MemberId,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Page<MemberLike>> {
        self.open_subject(caller, key).await?;
        self.reader.member_likes(key, member, after, limit).await
    }
}
