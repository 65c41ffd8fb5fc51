//! The likes of members, and the members that like a comment.

use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result, Violation};
use crate::domain::ids::CommentId;
use crate::domain::like::LikeValue;
use crate::domain::member::MemberId;
use crate::domain::page::{Liker, LikerCursor, MemberLike, Page};
use crate::domain::subject::SubjectKey;
use crate::read::Comments;

impl Comments {
    /// Returns a member's values for comments of one subject, in the order of `ids`.
    ///
    /// # Errors
    /// Those of [`Comments::policy`]; a violation for each id of another partition;
    /// [`Error::CommentNotFound`] if a comment is not in the subject; [`Error::SubjectNotFound`].
    pub async fn like_states(
        &self,
        caller: &Caller,
        key: &SubjectKey,
        member: &MemberId,
        ids: &[CommentId],
    ) -> Result<Vec<LikeValue>> {
        self.policy(caller, key.object_type())?;
        let is_foreign = |(_, id): &(usize, &CommentId)| id.partition() != key.partition();
        let violations: Vec<_> = ids
            .iter()
            .enumerate()
            .filter(is_foreign)
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
    /// [`Error::CommentNotFound`]; [`Error::CommentUnavailable`] for a comment that is not visible;
    /// an error if the lists of its subject may not be shown.
    pub async fn likers(
        &self,
        caller: &Caller,
        id: CommentId,
        value: LikeValue,
        after: Option<&LikerCursor>,
        limit: usize,
    ) -> Result<Page<Liker>> {
        let view = self.comment(caller, id, None, 0).await?;
        if !view.comment.lifecycle.state.is_visible() {
            return Err(Error::CommentUnavailable(view.comment.lifecycle.state));
        }
        self.check_subject_listable(&view.subject).await?;
        self.reader.likers(id, value, after, limit).await
    }

    /// Returns the comments that a member likes or dislikes in a subject, in the order of their
    /// ids. A subject that does not exist reads as empty if its object type has `auto_create`.
    ///
    /// # Errors
    /// Those of [`Comments::policy`]; [`Error::SubjectNotFound`], also for a deleted subject;
    /// [`Error::SubjectHidden`].
    pub async fn member_likes(
        &self,
        caller: &Caller,
        key: &SubjectKey,
        member: &MemberId,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<Page<MemberLike>> {
        self.listable_subject(caller, key).await?;
        self.reader.member_likes(key, member, after, limit).await
    }
}
