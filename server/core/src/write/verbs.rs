//! The commands, with one file per verb. Each verb is a struct that names its lock set, checks
//! itself against the locked rows, and returns the changes that follow.

mod create;
mod delete;
mod delete_subject;
mod edit;
mod hide;
mod import;
mod like;
mod pin;
mod reply;
mod subject;

use crate::domain::comment::Comment;
use crate::domain::error::{Error, Result};
use crate::domain::event::ActorKind;
use crate::domain::ids::CommentId;
use crate::domain::request::RequestIdentity;
use crate::domain::subject::{Subject, SubjectKey, SubjectState};
use crate::domain::time::Millis;
use crate::write::change::Change;
use crate::write::lock_set::LockSet;
use crate::write::unit_of_work::UnitOfWork;
pub use create::Create;
pub use delete::{Delete, DeleteActor, Undelete};
pub use delete_subject::{DeleteSubject, UndeleteSubject};
pub use edit::Edit;
pub use hide::{Hide, Unhide};
pub use import::{Import, ImportLike, ImportTimes};
pub use like::SetLike;
pub use pin::{Pin, Unpin};
pub use reply::Reply;
pub use subject::{CreateSubject, UpdateSubject};

/// One mutation of one subject, or of one like under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The subject of the command.
    pub subject: SubjectKey,
    /// The verb with its arguments.
    pub verb: CommandKind,
    /// The identity by which a repeat is detected. Every command has one. If the caller gave no
    /// request id, the service generates it, so that the service itself can resolve a commit of
    /// unknown outcome.
    pub request: RequestIdentity,
    /// The time of the command.
    pub now: Millis,
}

/// Each entry has the stored code, the stored name and the doc comment of a verb. Code and name are
/// stored formats: they never change, also where the Rust type is renamed.
macro_rules! verbs {
    ($($name:ident = ($code:literal, $stored:literal) $doc:literal,)*) => {
        /// The verb of a command, with its arguments.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum CommandKind {
            $(#[doc = $doc] $name($name),)*
        }

        impl CommandKind {
            /// The code in the rows of idempotency records. It is a stored format and never
            /// changes.
            #[must_use]
            pub const fn code(&self) -> i8 {
                match self { $(Self::$name(_) => $code,)* }
            }

            /// The name at the beginning of a fingerprint. It is a stored format and never changes:
            /// with another name every repeat of an older request would be rejected as a reused id.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self { $(Self::$name(_) => $stored,)* }
            }

            pub(crate) fn act(&self) -> &dyn Verb {
                match self { $(Self::$name(verb) => verb,)* }
            }
        }

        $(impl From<$name> for CommandKind {
            fn from(verb: $name) -> Self {
                Self::$name(verb)
            }
        })*
    };
}

verbs! {
    CreateSubject = (1, "CreateSubject") "Bring a subject into being.",
    UpdateSubject = (2, "UpdateSubject") "Change owner, state or metadata.",
    DeleteSubject = (3, "DeleteSubject") "Delete a subject, softly.",
    UndeleteSubject = (4, "UndeleteSubject") "Bring a deleted subject back.",
    Create = (5, "Create") "Write a root comment.",
    Reply = (6, "Reply") "Answer a comment.",
    Edit = (7, "Edit") "Change what a comment says.",
    Delete = (8, "Delete") "Delete a comment; a tombstone may stay.",
    Undelete = (9, "Undelete") "Bring a deleted comment back.",
    Pin = (10, "Pin") "Pin a root.",
    Unpin = (11, "Unpin") "Unpin a root.",
    Hide = (12, "Hide") "Take a comment from view, as a moderator.",
    Unhide = (13, "Unhide") "Show a hidden comment again.",
    SetLike = (14, "SetLike") "Set a member's like.",
    Import = (15, "Import") "Bring a comment in with its times.",
    ImportLike = (16, "ImportLike") "Bring a like in with its time.",
}

/// The rules of a verb.
pub(crate) trait Verb {
    /// Returns the lock set of the command.
    fn needs(&self) -> LockSet;

    /// Checks that the command is allowed now.
    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()>;

    /// Returns the changes that follow, in order; called only after a successful check on the same
    /// unit of work.
    fn changes(&self, unit: &UnitOfWork, command: &Command) -> Vec<Change>;

    /// Returns the capacity of the caller in which the verb creates or edits its comment or changes
    /// its state; `None` for a verb that does none of it. Called before the changes are applied.
    fn actor(&self, _unit: &UnitOfWork) -> Option<ActorKind> {
        None
    }
}

impl CommandKind {
    /// Returns the lock set of the command.
    #[must_use]
    pub fn needs(&self) -> LockSet {
        self.act().needs()
    }

    /// The comment of the command; `None` for a subject's own verbs.
    #[must_use]
    pub fn comment_id(&self) -> Option<CommentId> {
        match self {
            Self::CreateSubject(_) | Self::UpdateSubject(_) | Self::DeleteSubject(_) | Self::UndeleteSubject(_) => None,
            Self::Create(v) => Some(v.id),
            Self::Reply(v) => Some(v.id),
            Self::Edit(v) => Some(v.target.id),
            Self::Delete(v) => Some(v.target.id),
            Self::Undelete(v) => Some(v.target.id),
            Self::Pin(v) => Some(v.target.id),
            Self::Unpin(v) => Some(v.target.id),
            Self::Hide(v) => Some(v.target.id),
            Self::Unhide(v) => Some(v.target.id),
            Self::SetLike(v) => Some(v.comment_id),
            Self::Import(v) => Some(v.id),
            Self::ImportLike(v) => Some(v.like.comment_id),
        }
    }

    /// Returns `true` if the idempotency key is stored on the row of a new comment.
    #[must_use]
    pub const fn creates_comment(&self) -> bool {
        matches!(self, Self::Create(_) | Self::Reply(_) | Self::Import(_))
    }

    /// The like that the command sets. Commands that set likes have write queues of their own.
    #[must_use]
    pub const fn as_like(&self) -> Option<&SetLike> {
        if let Self::SetLike(set) = self {
            Some(set)
        } else if let Self::ImportLike(import) = self {
            Some(&import.like)
        } else {
            None
        }
    }
}

/// Returns the subject, or an error if it does not exist.
fn existing<'w>(unit: &'w UnitOfWork, command: &Command) -> Result<&'w Subject> {
    unit.subject(&command.subject).filter(|s| s.delete_time.is_none()).ok_or(Error::SubjectNotFound)
}

/// Returns the subject, or an error if it does not take writes.
fn writable<'w>(unit: &'w UnitOfWork, command: &Command) -> Result<&'w Subject> {
    let subject = existing(unit, command)?;
    match subject.state {
        SubjectState::Active => Ok(subject),
        SubjectState::ReadOnly => Err(Error::SubjectReadOnly),
        SubjectState::Hidden => Err(Error::SubjectHidden),
    }
}

/// Returns the comment that a command names, under a subject that is not deleted. A comment of
/// another subject is not found, even if a store has loaded it.
fn target<'w>(unit: &'w UnitOfWork, command: &Command, id: CommentId) -> Result<&'w Comment> {
    let subject = existing(unit, command).map_err(|_| Error::CommentNotFound)?;
    unit.comment(id).filter(|comment| comment.subject_id == subject.id).ok_or(Error::CommentNotFound)
}

/// Rejects an etag that is not the current one; an empty etag requires nothing.
fn match_etag(given: &str, current: String) -> Result<()> {
    if given.is_empty() || given == current { Ok(()) } else { Err(Error::EtagMismatch { current }) }
}
