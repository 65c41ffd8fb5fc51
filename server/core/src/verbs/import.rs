//! Import: comments and likes that another system holds, with their times.

use super::create::fresh;
use super::reply::attach;
use super::{Command, CommentLocation, LockSet, SetLike, Verb, existing, target};
use crate::change::{Change, ImportOrigin, NewComment};
use crate::comment::DeletedBy;
use crate::content::{ClientInfo, Content};
use crate::error::{Error, Result};
use crate::ids::{CommentId, SubjectId};
use crate::like::Like;
use crate::member::MemberId;
use crate::state::CommentState;
use crate::subject::Subject;
use crate::time::Millis;
use crate::unit_of_work::UnitOfWork;

/// Brings in one comment. Its floor is the next one, so items come in time order. The subject's state and the parent's
/// are not asked: a thread is imported as it stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The id of the new comment.
    pub id: CommentId,
    /// The comment it answers; `None` for a root.
    pub parent: Option<CommentLocation>,
    /// The author.
    pub member: MemberId,
    /// What it says; of a deleted one, what it said.
    pub content: Content,
    /// Where it was written.
    pub client: ClientInfo,
    /// Where it comes from.
    pub origin: ImportOrigin,
    /// ACTIVE, HIDDEN or DELETED.
    pub state: CommentState,
    /// Who deleted it, where it is deleted.
    pub deleted_by: Option<DeletedBy>,
    /// When it was written, edited and deleted.
    pub times: ImportTimes,
    /// Levels of a thread, 1 to 32.
    pub max_depth: u8,
    /// The id of the subject should this comment bring it into being; `None` where the type does not allow that.
    pub auto_create: Option<SubjectId>,
}

/// The times of an imported comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportTimes {
    /// When it was written.
    pub create: Millis,
    /// When it was last edited.
    pub edit: Option<Millis>,
    /// When it was deleted, where it is.
    pub delete: Option<Millis>,
}

impl Verb for Import {
    fn needs(&self) -> LockSet {
        LockSet { comments: self.parent.as_ref().map(CommentLocation::locks).unwrap_or_default(), ..LockSet::default() }
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        if unit.subject(&command.subject).is_some() {
            existing(unit, command)?;
        } else if self.auto_create.is_none() {
            return Err(Error::SubjectNotFound);
        }
        self.parent.as_ref().map_or(Ok(()), |parent| target(unit, command, parent.id).map(|_| ()))
    }

    fn changes(&self, unit: &UnitOfWork, command: &Command) -> Vec<Change> {
        match (existing(unit, command), self.auto_create) {
            (Ok(subject), _) => vec![self.insert(unit, subject)],
            (Err(_), Some(id)) => {
                let subject = Subject::new(id, command.subject.clone(), command.now);
                vec![Change::CreateSubject(subject.clone()), self.insert(unit, &subject)]
            }
            (Err(_), None) => Vec::new(),
        }
    }
}

impl Import {
    fn insert(&self, unit: &UnitOfWork, subject: &Subject) -> Change {
        let place = self.parent.as_ref().and_then(|parent| attach(unit, parent, self.max_depth));
        let mut comment = fresh(self.id, subject, place, self.member.clone(), self.times.create);
        comment.parent_id = self.parent.as_ref().map(|p| p.id);
        comment.state = self.state;
        if self.state != CommentState::Deleted {
            comment.prior_state = self.state;
        }
        comment.deleted_by = self.deleted_by;
        comment.edit_time = self.times.edit;
        comment.delete_time = self.times.delete;
        comment.update_time = self.times.delete.or(self.times.edit).unwrap_or(self.times.create);
        Change::InsertComment(Box::new(NewComment {
            comment,
            content: self.content.clone(),
            client: self.client.clone(),
            origin: Some(self.origin.clone()),
        }))
    }
}

/// Brings in one like. Of several values of a member for a comment the latest in time stands, so a repeat changes
/// nothing and what the member has set here since is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportLike {
    /// What to set.
    pub like: SetLike,
    /// When it was set.
    pub time: Millis,
}

impl Verb for ImportLike {
    fn needs(&self) -> LockSet {
        self.like.needs()
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        target(unit, command, self.like.comment_id).map(|_| ())
    }

    fn changes(&self, unit: &UnitOfWork, command: &Command) -> Vec<Change> {
        let before = unit.like(self.like.comment_id, &self.like.member);
        if before.is_some_and(|b| b.time >= self.time) {
            return Vec::new();
        }
        let changes = self.like.changes(unit, command).into_iter();
        let dated = |change| match change {
            Change::SetLike(like) => Change::SetLike(Like { time: self.time, ..like }),
            other @ (Change::CreateSubject(_)
            | Change::ReplaceSubject(_)
            | Change::InsertComment(_)
            | Change::SetState(_)
            | Change::SetContent(..)) => other,
        };
        changes.map(dated).collect()
    }
}
