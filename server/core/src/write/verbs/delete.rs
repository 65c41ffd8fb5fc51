//! The verbs Delete and Undelete: by the author, by the subject's owner, or (delete only) by a
//! moderator.

use std::borrow::Cow;

use async_trait::async_trait;

use super::judge::judgement_changes;
use super::{
    Command, Request, RequestContext, Ruling, RulingForm, Verb, comment_of, id_part, match_etag, shown, target,
    undeleted, writable,
};
use crate::domain::act::CommentAct;
use crate::domain::comment::{Comment, CommentView};
use crate::domain::content::Content;
use crate::domain::error::{Error, Result};
use crate::domain::event::ActorKind;
use crate::domain::ids::CommentId;
use crate::domain::lifecycle::DeletedBy;
use crate::domain::location::CommentLocation;
use crate::domain::member::MemberId;
use crate::domain::standing::GatedAct;
use crate::domain::subject::Subject;
use crate::write::change::{Change, Judgement};
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
    /// A moderator, authorized by the admin port.
    Moderator(Box<Ruling>),
}

impl DeleteActor {
    /// Checks that the member has the capacity that the request claims.
    fn check(&self, comment: &Comment, subject: &Subject) -> Result<()> {
        let has_capacity = match self {
            Self::Author(member) => comment.reference.member == *member,
            Self::Owner(member) => subject.is_owned_by(member),
            Self::Moderator(_) => true,
        };
        if has_capacity { Ok(()) } else { Err(Error::MemberNotAllowed) }
    }

    /// The member that deletes; `None` for a moderator.
    fn member(&self) -> Option<&MemberId> {
        match self {
            Self::Author(member) | Self::Owner(member) => Some(member),
            Self::Moderator(_) => None,
        }
    }

    /// The order of a moderator.
    fn ruling(&self) -> Option<&Ruling> {
        match self {
            Self::Moderator(ruling) => Some(ruling),
            Self::Author(_) | Self::Owner(_) => None,
        }
    }

    fn deleted_by(&self) -> DeletedBy {
        match self {
            Self::Author(_) => DeletedBy::Author,
            Self::Owner(_) => DeletedBy::SubjectOwner,
            Self::Moderator(_) => DeletedBy::Moderator,
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

/// Returns the rows that a member's deletion or restoration locks.
fn lock_set(target: &CommentLocation) -> LockSet {
    let id = Some(target.id);
    LockSet { comments: target.locks(), content: id, review: id, ..LockSet::default() }
}

impl Verb for Delete {
    fn comment_id(&self) -> Option<CommentId> {
        Some(self.target.id)
    }

    fn is_verdict(&self) -> bool {
        self.actor.ruling().is_some_and(|ruling| ruling.form == RulingForm::Verdict)
    }

    fn gated_act(&self) -> GatedAct {
        match &self.actor {
            // Whatever the capacity, an author may always delete.
            DeleteActor::Owner(member) if self.target.member != *member => GatedAct::Other,
            DeleteActor::Owner(_) | DeleteActor::Author(_) | DeleteActor::Moderator(_) => GatedAct::Open,
        }
    }

    fn viewer(&self) -> Option<&MemberId> {
        self.actor.member()
    }

    fn lock_set(&self) -> LockSet {
        let by_moderator = |ruling: &Ruling| ruling.lock_set(&self.target, CommentAct::Delete);
        self.actor.ruling().map_or_else(|| lock_set(&self.target), by_moderator)
    }

    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        if let Some(ruling) = self.actor.ruling().filter(|_| self.is_verdict()) {
            return ruling.body(&self.target);
        }
        let capacity: &[u8] = match self.actor {
            DeleteActor::Author(_) => b"author",
            DeleteActor::Owner(_) => b"owner",
            DeleteActor::Moderator(_) => b"moderator",
        };
        let note = self.actor.ruling().map(Ruling::note_part);
        [capacity.into(), self.etag.as_bytes().into(), id_part(self.target.id)].into_iter().chain(note).collect()
    }

    fn former_body(&self) -> Option<Vec<Cow<'_, [u8]>>> {
        self.actor.ruling().filter(|_| !self.is_verdict())?;
        Some(vec![b"moderator".as_slice().into(), self.etag.as_bytes().into(), id_part(self.target.id)])
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        let comment = match &self.actor {
            DeleteActor::Author(member) | DeleteActor::Owner(member) => {
                undeleted(unit, command, self.target.id, member)?.0
            }
            DeleteActor::Moderator(ruling) => {
                ruling.check(unit, command, (self.target.id, CommentAct::Delete))?;
                return match_etag(&self.etag, target(unit, command, self.target.id)?.etag());
            }
        };
        let subject = unit.subject(&command.subject).ok_or(Error::CommentNotFound)?;
        self.actor.check(comment, subject)?;
        writable(unit, command)?;
        match_etag(&self.etag, comment.etag())
    }

    fn changes(&self, unit: &UnitOfWork, command: &Command) -> Vec<Change> {
        let (deleted_by, ruling) = (Some(self.actor.deleted_by()), self.actor.ruling().cloned());
        let (comment_id, act) = (self.target.id, CommentAct::Delete);
        let judgement = Judgement { comment_id, act, deleted_by, ruling };
        judgement_changes(unit, command, judgement)
    }

    fn actor(&self, _: &UnitOfWork) -> Option<ActorKind> {
        Some(match self.actor {
            DeleteActor::Author(_) => ActorKind::Author,
            DeleteActor::Owner(_) => ActorKind::Owner,
            DeleteActor::Moderator(_) => ActorKind::Moderator,
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

    fn gated_act(&self) -> GatedAct {
        GatedAct::Other
    }

    fn viewer(&self) -> Option<&MemberId> {
        Some(&self.member)
    }

    fn lock_set(&self) -> LockSet {
        lock_set(&self.target)
    }

    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        vec![id_part(self.target.id)]
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        let (comment, state) = shown(unit, command, self.target.id, &self.member)?;
        let subject = unit.subject(&command.subject).ok_or(Error::CommentNotFound)?;
        let Some(by) = comment.lifecycle.deleted_by else { return Err(Error::CommentAlreadyExists) };
        match by {
            DeletedBy::Author => DeleteActor::Author(self.member.clone()).check(comment, subject)?,
            DeletedBy::SubjectOwner => DeleteActor::Owner(self.member.clone()).check(comment, subject)?,
            DeletedBy::Moderator => return Err(Error::MemberNotAllowed),
        }
        // A comment that was imported as a tombstone has no content to restore.
        if unit.content(comment.reference.id).is_none_or(|content| content.text().is_empty()) {
            return Err(Error::StateConflict(state));
        }
        writable(unit, command).map(|_| ())
    }

    fn changes(&self, unit: &UnitOfWork, command: &Command) -> Vec<Change> {
        let (comment_id, act) = (self.target.id, CommentAct::Undelete);
        let judgement = Judgement { comment_id, act, deleted_by: None, ruling: None };
        judgement_changes(unit, command, judgement)
    }

    fn shown_content<'u>(&'u self, unit: &'u UnitOfWork) -> Option<(CommentId, &'u Content)> {
        unit.changed_out_of_sight(self.target.id)
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
