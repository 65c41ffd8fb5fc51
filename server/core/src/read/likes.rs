//! The likes of members, and the members that like a comment.

use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result, Violation};
use crate::domain::ids::CommentId;
use crate::domain::like::LikeValue;
use crate::domain::member::MemberId;
use crate::domain::page::{CommentLikers, Liker, LikerCursor, LikersQuery, MemberLike, Page};
use crate::domain::state::CommentState;
use crate::domain::subject::{SubjectKey, SubjectState};
use crate::read::Comments;
use crate::read::subjects::existing;
use crate::read::unpublished::unpublished;

/// The members to name as likers of a comment, and the number of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstLikers {
    /// The members.
    pub likers: Vec<Liker>,
    /// The number of all members with the value.
    pub count: i32,
}

impl Comments {
    /// Returns a member's values for comments of one subject, in the order of `ids`. A subject that
    /// does not exist reads as empty if its object type has `auto_create`.
    ///
    /// # Errors
    /// Those of [`Comments::policy`]; a violation for each id of another partition;
    /// [`Error::SubjectNotFound`], also for a deleted subject; [`Error::CommentNotFound`] if a
    /// comment is not in the subject.
    pub async fn like_states(
        &self,
        caller: &Caller,
        key: &SubjectKey,
        member: &MemberId,
        ids: &[CommentId],
    ) -> Result<Vec<LikeValue>> {
        self.policy(caller, key.object_type())?;
        check_partition(key, ids)?;
        let states = self.reader.like_states(key, member, ids).await?;
        let known = states.into_iter().collect::<Option<Vec<_>>>().filter(|states| !states.is_empty());
        match known {
            Some(states) => Ok(states),
            // A state shows that the subject is there. Without one, the subject is read as well.
            None => self.states_of_none(caller, key, ids).await,
        }
    }

    /// Returns the values for no comment, or the error of a comment that is not in the subject.
    async fn states_of_none(&self, caller: &Caller, key: &SubjectKey, ids: &[CommentId]) -> Result<Vec<LikeValue>> {
        existing(key, self.subjects(caller, std::slice::from_ref(key), 0).await?.pop().flatten())?;
        if ids.is_empty() { Ok(Vec::new()) } else { Err(Error::CommentNotFound) }
    }

    /// Returns the members that like, or dislike, a comment, newest first; of those of one time,
    /// the highest member id first.
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
            return Err(Error::CommentUnavailable(view.comment.state_for(None)));
        }
        self.check_subject_listable(&view.subject).await?;
        self.reader.likers(id, value, after, limit).await
    }

    /// Returns for each comment of a query the members that gave it the value: those of
    /// [`LikersQuery::first`] in their order, then the latest others. A comment without a result
    /// has [`Error::CommentNotFound`], or [`Error::CommentUnavailable`] if it is not visible. A
    /// subject that does not exist reads as empty if its object type has `auto_create`.
    ///
    /// # Errors
    /// Those of [`Comments::policy`]; a violation for each id of another partition;
    /// [`Error::SubjectNotFound`], also for a deleted subject; [`Error::SubjectHidden`].
    pub async fn comment_likers(
        &self,
        caller: &Caller,
        key: &SubjectKey,
        query: &LikersQuery,
    ) -> Result<Vec<(CommentId, Result<FirstLikers>)>> {
        self.policy(caller, key.object_type())?;
        check_partition(key, &query.ids)?;
        let Some(found) = self.reader.comment_likers(key, query).await? else {
            self.listable_subject(caller, key).await?;
            return Ok(query.ids.iter().map(|id| (*id, Err(Error::CommentNotFound))).collect());
        };
        match found.state {
            SubjectState::Hidden => return Err(Error::SubjectHidden),
            SubjectState::Active | SubjectState::ReadOnly => {}
        }
        let may_be_unpublished = |(id, found): (&CommentId, &Option<CommentLikers>)| {
            found.as_ref().filter(|found| found.state.may_be_unpublished() || found.state == CommentState::Deleted)?;
            Some(*id)
        };
        let hidden: Vec<CommentId> = query.ids.iter().zip(&found.comments).filter_map(may_be_unpublished).collect();
        let hidden_views = if hidden.is_empty() { Vec::new() } else { self.reader.comments(&hidden).await? };
        let unpublished = unpublished(self.reader.as_ref(), hidden_views.iter().flatten()).await?;
        let first = |(id, found): (&CommentId, Option<CommentLikers>)| {
            (*id, first_likers(query, found.filter(|_| !unpublished.contains(id))))
        };
        Ok(query.ids.iter().zip(found.comments).map(first).collect())
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

/// Checks that comments may belong to a subject: their ids name its partition.
fn check_partition(key: &SubjectKey, ids: &[CommentId]) -> Result<()> {
    let is_foreign = |(_, id): &(usize, &CommentId)| id.partition() != key.partition();
    let violations: Vec<_> = ids
        .iter()
        .enumerate()
        .filter(is_foreign)
        .map(|(n, _)| Violation::field(format!("comment_ids[{n}]"), "does not belong to this subject"))
        .collect();
    if violations.is_empty() { Ok(()) } else { Err(Error::Invalid(violations)) }
}

fn first_likers(query: &LikersQuery, found: Option<CommentLikers>) -> Result<FirstLikers> {
    let CommentLikers { state, count, named, latest } = found.ok_or(Error::CommentNotFound)?;
    if !state.is_visible() {
        return Err(Error::CommentUnavailable(state.shown_to(false)));
    }
    let of_member = |member: &MemberId| named.iter().find(|liker| liker.member == *member).cloned();
    let mut likers: Vec<Liker> = Vec::with_capacity(query.limit);
    // The latest ones are enough: at most as many of them are left out as were named before.
    for liker in query.first.iter().filter_map(of_member).chain(latest) {
        if likers.len() < query.limit && likers.iter().all(|other| other.member != liker.member) {
            likers.push(liker);
        }
    }
    Ok(FirstLikers { likers, count })
}
