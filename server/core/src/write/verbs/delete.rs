//! The verbs Delete and Undelete: by the author, by the subject's owner, or (delete only) by a
//! moderator.

use std::borrow::Cow;

use async_trait::async_trait;

use super::pin::unpin_change;
use super::{Command, Request, RequestContext, Verb, comment_of, id_part, match_etag, target, undeleted, writable};
use crate::domain::comment::{Comment, CommentView};
use crate::domain::error::{Error, Result};
use crate::domain::event::ActorKind;
use crate::domain::ids::CommentId;
use crate::domain::lifecycle::DeletedBy;
use crate::domain::location::CommentLocation;
use crate::domain::member::MemberId;
use crate::domain::state::CommentState;
use crate::domain::subject::Subject;
use crate::write::change::{Change, StateChange};
use crate::write::command_output::Effect;
use crate::write::lock_set::LockSet;
use crate::write::unit_of_work::UnitOfWork;

/// A request to delete a comment.
#[derive(Debug, Clone)]
pub struct DeleteComment {
    /// The capacity of the request.
    pub actor: DeleteActor,
    /// The expected etag; an empty one matches any.
    pub etag: String,
}

/// A request to restore a deleted comment.
#[derive(Debug, Clone)]
pub struct UndeleteComment {
    /// The member that restores the comment.
    pub member: MemberId,
}

#[async_trait]
impl Request for DeleteComment {
    type At = CommentLocation;
    type Verb = Delete;
    type Value = CommentView;

    async fn verb(self, at: &CommentLocation, _: RequestContext<'_>) -> Result<Delete> {
        let Self { actor, etag } = self;
        Ok(Delete { target: at.clone(), actor, etag })
    }

    fn value(effect: Effect) -> Result<CommentView> {
        comment_of(effect)
    }
}

#[async_trait]
impl Request for UndeleteComment {
    type At = CommentLocation;
    type Verb = Undelete;
    type Value = CommentView;

    async fn verb(self, at: &CommentLocation, _: RequestContext<'_>) -> Result<Undelete> {
        Ok(Undelete { target: at.clone(), member: self.member })
    }

    fn value(effect: Effect) -> Result<CommentView> {
        comment_of(effect)
    }
}

/// The capacity in which a deletion is requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeleteActor {
    /// The comment's author.
    Author(MemberId),
    /// The subject's owner.
    Owner(MemberId),
    /// A moderator, authorized by the admin service.
    Moderator,
}

impl DeleteActor {
    /// Checks that the member has the capacity that the request claims.
    fn check(&self, comment: &Comment, subject: &Subject) -> Result<()> {
        let has_capacity = match self {
            Self::Author(member) => comment.reference.member == *member,
            Self::Owner(member) => subject.is_owned_by(member),
            Self::Moderator => true,
        };
        if has_capacity { Ok(()) } else { Err(Error::MemberNotAllowed) }
    }

    fn deleted_by(&self) -> DeletedBy {
        match self {
            Self::Author(_) => DeletedBy::Author,
            Self::Owner(_) => DeletedBy::SubjectOwner,
            Self::Moderator => DeletedBy::Moderator,
        }
    }
}

/// Deletes a comment in any state but deleted. Its replies stay. It remains listed as a tombstone
/// while replies below it are visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delete {
    /// The comment.
    pub target: CommentLocation,
    /// The capacity of the request.
    pub actor: DeleteActor,
    /// The expected etag; an empty one matches any.
    pub etag: String,
}

impl Verb for Delete {
    fn comment_id(&self) -> Option<CommentId> {
        Some(self.target.id)
    }

    fn lock_set(&self) -> LockSet {
        LockSet { comments: self.target.locks(), content: Some(self.target.id) }
    }

    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        let capacity: &[u8] = match self.actor {
            DeleteActor::Author(_) => b"author",
            DeleteActor::Owner(_) => b"owner",
            DeleteActor::Moderator => b"moderator",
        };
        vec![capacity.into(), self.etag.as_bytes().into(), id_part(self.target.id)]
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        let comment = undeleted(unit, command, self.target.id)?;
        let subject = unit.subject(&command.subject).ok_or(Error::CommentNotFound)?;
        self.actor.check(comment, subject)?;
        if self.actor != DeleteActor::Moderator {
            writable(unit, command)?;
        }
        match_etag(&self.etag, comment.etag())
    }

    fn changes(&self, unit: &UnitOfWork, command: &Command) -> Vec<Change> {
        let deleted_by = Some(self.actor.deleted_by());
        let state = StateChange { comment_id: self.target.id, to: CommentState::Deleted, deleted_by };
        unpin_change(unit, command, self.target.id).into_iter().chain([Change::SetState(state)]).collect()
    }

    fn actor(&self, _: &UnitOfWork) -> Option<ActorKind> {
        Some(match self.actor {
            DeleteActor::Author(_) => ActorKind::Author,
            DeleteActor::Owner(_) => ActorKind::Owner,
            DeleteActor::Moderator => ActorKind::Moderator,
        })
    }
}

/// Restores a comment to the state that it was deleted from. Only the capacity that deleted it may
/// restore it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undelete {
    /// The comment.
    pub target: CommentLocation,
    /// The member that restores the comment.
    pub member: MemberId,
}

impl Verb for Undelete {
    fn comment_id(&self) -> Option<CommentId> {
        Some(self.target.id)
    }

    fn lock_set(&self) -> LockSet {
        LockSet { comments: self.target.locks(), content: Some(self.target.id) }
    }

    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        vec![id_part(self.target.id)]
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        let comment = target(unit, command, self.target.id)?;
        let subject = unit.subject(&command.subject).ok_or(Error::CommentNotFound)?;
        let Some(by) = comment.lifecycle.deleted_by else { return Err(Error::CommentAlreadyExists) };
        match by {
            DeletedBy::Author => DeleteActor::Author(self.member.clone()).check(comment, subject)?,
            DeletedBy::SubjectOwner => DeleteActor::Owner(self.member.clone()).check(comment, subject)?,
            DeletedBy::Moderator => return Err(Error::MemberNotAllowed),
        }
        // A comment that was imported as a tombstone has no content to restore.
        if unit.content(comment.reference.id).is_none_or(|content| content.text().is_empty()) {
            return Err(Error::StateConflict(comment.lifecycle.state));
        }
        writable(unit, command).map(|_| ())
    }

    fn changes(&self, unit: &UnitOfWork, _: &Command) -> Vec<Change> {
        let to = unit.comment(self.target.id).map_or(CommentState::Active, |c| c.lifecycle.prior_state);
        vec![Change::SetState(StateChange { comment_id: self.target.id, to, deleted_by: None })]
    }

    fn actor(&self, unit: &UnitOfWork) -> Option<ActorKind> {
        // Only the capacity that deleted the comment may restore it.
        let deleted_by = unit.comment(self.target.id)?.lifecycle.deleted_by?;
        Some(match deleted_by {
            DeletedBy::Author => ActorKind::Author,
            DeletedBy::SubjectOwner => ActorKind::Owner,
            DeletedBy::Moderator => ActorKind::Moderator,
        })
    }
}
