//! The verb Import: a comment of another system, with its times.

use super::create::new_row;
use super::reply::attach;
use super::{Command, Verb, existing, target};
use crate::domain::content::{ClientInfo, Content};
use crate::domain::error::Result;
use crate::domain::event::ActorKind;
use crate::domain::ids::{CommentId, SubjectId};
use crate::domain::lifecycle::DeletedBy;
use crate::domain::location::CommentLocation;
use crate::domain::member::MemberId;
use crate::domain::object_type::Policy;
use crate::domain::origin::ImportOrigin;
use crate::domain::policy_judgement::PolicyJudgement;
use crate::domain::request::Fingerprint;
use crate::domain::review::{ReviewCause, ReviewCauses};
use crate::domain::state::CommentState;
use crate::domain::subject::{Subject, SubjectKey};
use crate::domain::time::Millis;
use crate::write::change::{Change, NewComment};
use crate::write::lock_set::LockSet;
use crate::write::unit_of_work::UnitOfWork;

/// A request to import a comment, with its times.
#[derive(Debug, Clone)]
pub struct ImportedComment {
    /// The external id of the comment that it replies to; `None` for a root.
    pub parent: Option<String>,
    /// The author.
    pub member: MemberId,
    /// The content.
    pub content: Content,
    /// Information about the client.
    pub client: ClientInfo,
    /// ACTIVE, PENDING, REJECTED, HIDDEN or DELETED.
    pub state: CommentState,
    /// The capacity in which it was deleted, if it is deleted.
    pub deleted_by: Option<DeletedBy>,
    /// Its times.
    pub times: ImportTimes,
}

/// The values from which an imported comment becomes a command.
#[derive(Debug, Clone)]
pub(crate) struct NewImport<'i> {
    /// The id of the new comment.
    pub(crate) id: CommentId,
    /// The comment that it replies to.
    pub(crate) parent: Option<ImportParent>,
    /// The source and the external id.
    pub(crate) origin: &'i ImportOrigin,
    /// The policy of the object type.
    pub(crate) policy: &'i Policy,
}

impl ImportedComment {
    /// Returns the verb of the command.
    pub(crate) fn verb(&self, new: NewImport<'_>) -> Import {
        let NewImport { id, parent, origin, policy } = new;
        let Self { member, content, client, state, deleted_by, times, parent: _ } = self.clone();
        // A subject and its first comment may have the same number: they are rows of two tables.
        let auto_create = policy.auto_create.then(|| SubjectId::from(id));
        let (origin, max_depth) = (origin.clone(), policy.max_depth);
        Import { id, parent, member, content, client, origin, state, deleted_by, times, max_depth, auto_create }
    }
}

/// Imports one comment. Its floor is the next one, so items must arrive in time order. The states
/// of the subject and of the parent are not checked: a thread is imported unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The id of the new comment.
    pub id: CommentId,
    /// The comment that it replies to; `None` for a root.
    pub parent: Option<ImportParent>,
    /// The author.
    pub member: MemberId,
    /// The content; of a deleted comment, the content before its deletion.
    pub content: Content,
    /// Information about the client.
    pub client: ClientInfo,
    /// The source and the external id.
    pub origin: ImportOrigin,
    /// ACTIVE, PENDING, REJECTED, HIDDEN or DELETED.
    pub state: CommentState,
    /// The capacity in which it was deleted, if it is deleted.
    pub deleted_by: Option<DeletedBy>,
    /// The times of its creation, last edit and deletion.
    pub times: ImportTimes,
    /// The number of levels of a thread, 1 to 32.
    pub max_depth: u8,
    /// The id of the subject if this comment creates it; `None` if the type does not allow that.
    pub auto_create: Option<SubjectId>,
}

/// The comment that an imported comment replies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportParent {
    /// A stored comment.
    Stored(CommentLocation),
    /// A comment that an earlier command of the same batch creates. That command locks the rows
    /// above it.
    InBatch(CommentId),
}

impl ImportParent {
    /// The id of the comment.
    #[must_use]
    pub const fn id(&self) -> CommentId {
        match self {
            Self::Stored(location) => location.id,
            Self::InBatch(id) => *id,
        }
    }

    fn locks(&self) -> Vec<CommentId> {
        match self {
            Self::Stored(location) => location.locks(),
            Self::InBatch(id) => vec![*id],
        }
    }
}

/// The times of an imported comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportTimes {
    /// The time of creation.
    pub create: Millis,
    /// The time of the last edit, if any.
    pub edit: Option<Millis>,
    /// The time of deletion, if it is deleted.
    pub delete: Option<Millis>,
}

impl Verb for Import {
    fn comment_id(&self) -> Option<CommentId> {
        Some(self.id)
    }

    fn creates_comment(&self) -> bool {
        true
    }

    fn lock_set(&self) -> LockSet {
        let comments = self.parent.as_ref().map(ImportParent::locks).unwrap_or_default();
        LockSet { comments, database_time: self.state.may_be_unpublished(), ..LockSet::default() }
    }

    fn fingerprint(&self, _: &str, _: &SubjectKey) -> Fingerprint {
        import_fingerprint()
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        if unit.subject(&command.subject).is_some() {
            existing(unit, command)?;
        } else if self.auto_create.is_none() {
            return Err(command.subject.not_created());
        }
        self.parent.as_ref().map_or(Ok(()), |parent| target(unit, command, parent.id()).map(|_| ()))
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

    fn actor(&self, _: &UnitOfWork) -> Option<ActorKind> {
        Some(ActorKind::Import)
    }
}

impl Import {
    fn insert(&self, unit: &UnitOfWork, subject: &Subject) -> Change {
        let attachment = self.parent.as_ref().and_then(|parent| attach(unit, parent.id(), self.max_depth));
        let mut comment = new_row(self.id, subject, attachment, self.member.clone(), self.times.create);
        comment.reference.parent_id = self.parent.as_ref().map(ImportParent::id);
        let lifecycle = &mut comment.lifecycle;
        lifecycle.state = self.state;
        if self.state != CommentState::Deleted {
            lifecycle.prior_state = self.state;
        }
        lifecycle.deleted_by = self.deleted_by;
        lifecycle.edit_time = self.times.edit;
        lifecycle.delete_time = self.times.delete;
        lifecycle.update_time = self.times.delete.or(self.times.edit).unwrap_or(self.times.create);
        let waits = self.state == CommentState::Pending;
        let causes = if waits { ReviewCauses::of(&[ReviewCause::New]) } else { ReviewCauses::NONE };
        Change::InsertComment(Box::new(NewComment {
            comment,
            content: self.content.clone(),
            original: None,
            client: self.client.clone(),
            origin: Some(self.origin.clone()),
            causes,
            judged: PolicyJudgement::default(),
        }))
    }
}

/// Returns the fingerprint of every imported item: a repeat may have other data
/// of the item.
pub(crate) fn import_fingerprint() -> Fingerprint {
    Fingerprint::of(&[b"import"])
}
