//! The commands, with one file per verb. The file has the request that becomes the command, the
//! lock set, the check against the locked rows, the changes that follow, the fingerprint and the
//! result.

mod appeal;
mod batch;
mod create;
mod create_subject;
mod delete;
mod delete_subject;
mod edit;
mod import;
mod import_like;
mod judge;
mod like;
mod pin;
mod refer;
mod reply;
mod set_subject_mode;
mod update_subject;

use std::borrow::Cow;
use std::sync::OnceLock;

use async_trait::async_trait;

use crate::domain::comment::{Comment, CommentView};
use crate::domain::content::Content;
use crate::domain::error::{Error, Result};
use crate::domain::event::ActorKind;
use crate::domain::ids::CommentId;
use crate::domain::like::Like;
use crate::domain::location::CommentLocation;
use crate::domain::member::MemberId;
use crate::domain::object_type::Policy;
use crate::domain::request::{Fingerprint, RequestId, RequestIdentity};
use crate::domain::standing::GatedAct;
use crate::domain::state::CommentState;
use crate::domain::subject::{Subject, SubjectKey, SubjectState};
use crate::domain::time::Millis;
use crate::ports::IdSource;
use crate::write::change::Change;
use crate::write::command_output::{CommandOutput, Effect};
use crate::write::lock_set::LockSet;
pub use crate::write::ruling::{Ruling, RulingForm};
use crate::write::unit_of_work::UnitOfWork;
pub use appeal::{Appeal, AppealDecision};
pub use batch::{Batch, BatchType, BatchVerb, LikeCommand, RecordPlace};
pub use create::{Create, CreateRoot};
pub use create_subject::{CreateSubject, ImportedSubject, NewSubject};
pub use delete::{Delete, DeleteActor, DeleteComment, Undelete, UndeleteComment};
pub use delete_subject::{DeleteSubject, UndeleteSubject};
pub use edit::{Edit, EditComment, EditWindows};
pub use import::{Import, ImportParent, ImportTimes, ImportedComment};
pub(crate) use import::{NewImport, import_fingerprint};
pub use import_like::{ImportLike, ImportedLike};
pub use judge::{Approve, ApproveEdit, Hide, HideComment, JudgeComment, Keep, Reject, RejectEdit, Unhide, Withhold};
pub use like::{SetLike, SetLikeRequest};
pub use pin::{Pin, PinComment, Unpin};
pub use refer::{Refer, ReferText};
pub use reply::{CreateReply, Reply};
pub use set_subject_mode::SetSubjectMode;
pub use update_subject::{SubjectModes, UpdateSubject};

/// One mutation of one subject, or of the comments or likes under it. `K` is the batch type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command<K = CommandKind> {
    /// The subject of the command.
    pub subject: SubjectKey,
    /// The verb with its arguments.
    pub verb: K,
    /// The identity by which a repeat is detected. Every command has one. If the caller sent no
    /// request id, the service generates it, so that the service itself can resolve a commit of
    /// unknown outcome.
    pub request: RequestIdentity,
    /// The time of the command.
    pub now: Millis,
    /// `true` if the object type notifies the author of a root of the replies in its thread.
    pub notify_thread: bool,
}

/// Each entry has the stored code, the stored name and the doc comment of a verb. Code and name are
/// stored formats: they never change, also where the Rust type is renamed.
macro_rules! verbs {
    ($(#[$about:meta])* $kind:ident: $rules:ident, $($name:ident = ($code:literal, $stored:literal) $doc:literal,)*) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum $kind {
            $(#[doc = $doc] $name($name),)*
        }

        impl $kind {
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

            pub(crate) fn rules(&self) -> &dyn $rules {
                match self { $(Self::$name(verb) => verb,)* }
            }
        }

        impl BatchVerb for $kind {
            type Type = Self;

            fn into_type(self) -> Self {
                self
            }
        }

        $(impl From<$name> for $kind {
            fn from(verb: $name) -> Self {
                Self::$name(verb)
            }
        }

        impl BatchVerb for $name {
            type Type = $kind;

            fn into_type(self) -> $kind {
                $kind::$name(self)
            }
        })*
    };
}

verbs! {
    /// The verb of a command about a subject or a comment, with its arguments.
    CommandKind: Verb,
    CreateSubject = (1, "CreateSubject") "Create a subject.",
    UpdateSubject = (2, "UpdateSubject") "Change owner, state or metadata.",
    DeleteSubject = (3, "DeleteSubject") "Delete a subject, softly.",
    UndeleteSubject = (4, "UndeleteSubject") "Restore a deleted subject.",
    Create = (5, "Create") "Write a root comment.",
    Reply = (6, "Reply") "Reply to a comment.",
    Edit = (7, "Edit") "Change the content of a comment.",
    Delete = (8, "Delete") "Delete a comment; a tombstone may stay.",
    Undelete = (9, "Undelete") "Restore a deleted comment.",
    Pin = (10, "Pin") "Pin a root.",
    Unpin = (11, "Unpin") "Unpin a root.",
    Hide = (12, "Hide") "Hide a comment, as a moderator.",
    Unhide = (13, "Unhide") "Show a hidden comment again.",
    Import = (15, "Import") "Import a comment with its times.",
    Approve = (17, "Approve") "Find a text good, as a moderator.",
    Reject = (18, "Reject") "Refuse a text, as a moderator.",
    Withhold = (21, "Withhold") "Take a comment out of sight until it is judged, as a moderator.",
    ApproveEdit = (23, "ApproveEdit") "Find a proposed edit good, as a moderator.",
    RejectEdit = (24, "RejectEdit") "Refuse a proposed edit, as a moderator.",
    Keep = (28, "Keep") "Leave a comment as it is and close what is open on it, as a moderator.",
    Appeal = (29, "Appeal") "Contest a decision, as the author of the comment.",
    SetSubjectMode = (30, "SetSubjectMode") "Decide which new comments of a subject wait, as a moderator.",
    Refer = (32, "Refer") "Leave a text that waited for a service to moderators.",
}

verbs! {
    /// The verb of a command about a like, with its arguments. Its codes and names and those of
    /// [`CommandKind`] are one list: a stored code stands for one verb of either type.
    LikeCommandKind: LikeVerb,
    SetLike = (14, "SetLike") "Set a member's like.",
    ImportLike = (16, "ImportLike") "Import a like with its time.",
}

/// A request, which becomes a command of one verb.
#[async_trait]
pub trait Request: Sized + Send {
    /// The subject or the comment that the request concerns.
    type At: WriteTarget;
    /// The verb of the command, or the enum of the verbs that it may be.
    type Verb: BatchVerb;
    /// The value of the result.
    type Value;

    /// Returns the verb of the command.
    ///
    /// # Errors
    /// Only errors of the source of ids.
    async fn verb(self, at: &Self::At, context: RequestContext<'_>) -> Result<Self::Verb>;

    /// Returns the value of an effect of the verb.
    ///
    /// # Errors
    /// [`Error::Internal`] for the effect of another verb.
    fn value(effect: Effect) -> Result<Self::Value>;
}

/// The object that a request concerns.
pub trait WriteTarget: Sync {
    /// The subject that it is or that it belongs to.
    fn subject(&self) -> &SubjectKey;
}

/// The values from which a request makes its command.
#[derive(Debug, Clone, Copy)]
pub struct RequestContext<'c> {
    /// The policy of the object type.
    pub policy: &'c Policy,
    /// The source of new ids.
    pub ids: &'c dyn IdSource,
    /// The present time.
    pub now: Millis,
    pub(crate) id: &'c OnceLock<RequestId>,
}

impl<'c> RequestContext<'c> {
    /// Returns the id of the request; the service generates it once if the caller sent none.
    #[must_use]
    pub fn request_id(&self) -> &'c RequestId {
        self.id.get_or_init(|| RequestId::from_bytes(self.ids.request()))
    }
}

/// The result of a mutation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteOutput<T> {
    /// The changed object in its present state.
    pub value: T,
    /// The subject's revision that contains the effect.
    pub revision: i64,
    /// True if an earlier request with the same id had the effect.
    pub replayed: bool,
}

impl<T> WriteOutput<T> {
    /// Converts the output of the command of a request.
    pub(crate) fn of<R: Request<Value = T>>(output: CommandOutput) -> Result<Self> {
        let CommandOutput { effect, revision, replayed } = output;
        Ok(Self { value: R::value(effect)?, revision, replayed })
    }
}

impl WriteTarget for SubjectKey {
    fn subject(&self) -> &SubjectKey {
        self
    }
}

impl WriteTarget for CommentLocation {
    fn subject(&self) -> &SubjectKey {
        &self.subject
    }
}

/// The rules of a verb about a subject or a comment.
pub(crate) trait Verb {
    /// The comment of the verb; `None` for a subject's own verbs.
    fn comment_id(&self) -> Option<CommentId> {
        None
    }

    /// Returns `true` if the verb writes a new comment. The row of the comment then stores the
    /// idempotency key.
    fn creates_comment(&self) -> bool {
        false
    }

    /// Returns `true` if the verb returns a decision, which keeps the idempotency key.
    fn is_verdict(&self) -> bool {
        false
    }

    /// The act of the member, by the standings that refuse it.
    fn gated_act(&self) -> GatedAct {
        GatedAct::Open
    }

    /// The member that the comment of the output is shown to; `None` for a moderator and for an
    /// import.
    fn viewer(&self) -> Option<&MemberId> {
        None
    }

    /// Returns the lock set of the command.
    fn lock_set(&self) -> LockSet;

    /// Returns the parts of the body that take part in the fingerprint of a request, after the name
    /// of the verb and the subject. Client information is not among them: a retry may come from
    /// another client. The parts are a stored format.
    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        Vec::new()
    }

    /// Returns the parts that an earlier version took for the fingerprint of the same request, if
    /// they were others. A request that such a version recorded is answered as a repeat.
    fn former_body(&self) -> Option<Vec<Cow<'_, [u8]>>> {
        None
    }

    /// Returns the fingerprint of a request for the verb with the stored name `name`.
    fn fingerprint(&self, name: &str, subject: &SubjectKey) -> Fingerprint {
        fingerprint(name, subject, &self.body())
    }

    /// Checks that the command is allowed now.
    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()>;

    /// Returns the changes that follow, in order; called only after a successful check on the same
    /// unit of work.
    fn changes(&self, unit: &UnitOfWork, command: &Command) -> Vec<Change>;

    /// Returns a content of an existing comment that the verb may bring in sight, with its comment;
    /// `None` for a content that was in sight before and for a new comment. Members that it
    /// mentions first are notified.
    fn shown_content<'u>(&'u self, _unit: &'u UnitOfWork) -> Option<(CommentId, &'u Content)> {
        None
    }

    /// Returns the capacity of the caller in which the verb creates or edits its comment or changes
    /// its state; `None` for a verb that does none of it. Called before the changes are applied.
    fn actor(&self, _unit: &UnitOfWork) -> Option<ActorKind> {
        None
    }
}

/// The rules of a verb about a like.
pub(crate) trait LikeVerb {
    /// The value that the verb sets.
    fn set(&self) -> &SetLike;

    /// The act of the member, by the standings that refuse it.
    fn gated_act(&self) -> GatedAct {
        GatedAct::Open
    }

    /// Returns the fingerprint of a request for the verb with the stored name `name`.
    fn fingerprint(&self, name: &str) -> Fingerprint;

    /// Checks that the command is allowed now.
    fn check(&self, unit: &UnitOfWork, command: &LikeCommand) -> Result<()>;

    /// Returns the new row of the like; `None` if it stays as it is. Called only after a successful
    /// check on the same unit of work.
    fn row(&self, unit: &UnitOfWork, command: &LikeCommand) -> Option<Like>;
}

impl LikeCommandKind {
    /// The value that the command sets.
    #[must_use]
    pub fn set(&self) -> &SetLike {
        self.rules().set()
    }
}

impl CommandKind {
    /// Returns the lock set of the command.
    #[must_use]
    pub fn lock_set(&self) -> LockSet {
        self.rules().lock_set()
    }

    /// The comment of the command; `None` for a subject's own verbs.
    #[must_use]
    pub fn comment_id(&self) -> Option<CommentId> {
        self.rules().comment_id()
    }

    /// Returns the fingerprint that an earlier version gave the same request, if it was another.
    #[must_use]
    pub fn former_fingerprint(&self, subject: &SubjectKey) -> Option<Fingerprint> {
        self.rules().former_body().map(|body| fingerprint(self.name(), subject, &body))
    }

    /// Returns `true` if the command returns a decision, which keeps the idempotency key.
    #[must_use]
    pub fn is_verdict(&self) -> bool {
        self.rules().is_verdict()
    }

    /// Returns `true` if the command alone shows that it may need an open gate of moderation.
    /// Others need one because of the rows that they find: [`UnitOfWork::lacks_gate`].
    #[must_use]
    pub fn may_need_gate(&self) -> bool {
        let lock_set = self.lock_set();
        lock_set.review.is_some() || lock_set.database_time
    }

    /// The member that the comment of the output is shown to.
    pub(crate) fn viewer(&self) -> Option<&MemberId> {
        self.rules().viewer()
    }

    /// Returns `true` if the idempotency key is stored on the row of a new comment.
    #[must_use]
    pub fn creates_comment(&self) -> bool {
        self.rules().creates_comment()
    }
}

/// Returns the subject, or an error if it does not exist.
fn existing<'u, K>(unit: &'u UnitOfWork, command: &Command<K>) -> Result<&'u Subject> {
    unit.subject(&command.subject).filter(|s| s.delete_time.is_none()).ok_or(Error::SubjectNotFound)
}

/// Returns the subject, or an error if it does not take writes.
fn writable<'u>(unit: &'u UnitOfWork, command: &Command) -> Result<&'u Subject> {
    let subject = existing(unit, command)?;
    match subject.state {
        SubjectState::Active => Ok(subject),
        SubjectState::ReadOnly => Err(Error::SubjectReadOnly),
        SubjectState::Hidden => Err(Error::SubjectHidden),
    }
}

/// Returns the comment that a command names, under a subject that is not deleted. A comment of
/// another subject is not found, even if a store has loaded it.
fn target<'u, K>(unit: &'u UnitOfWork, command: &Command<K>, id: CommentId) -> Result<&'u Comment> {
    let subject = existing(unit, command).map_err(|_| Error::CommentNotFound)?;
    unit.comment(id).filter(|comment| comment.reference.subject_id == subject.id).ok_or(Error::CommentNotFound)
}

/// Returns the comment that a member names, with the state that the member sees. A comment that
/// was never visible is not found by others than its author.
fn shown<'u, K>(
    unit: &'u UnitOfWork,
    command: &Command<K>,
    id: CommentId,
    member: &MemberId,
) -> Result<(&'u Comment, CommentState)> {
    let comment = target(unit, command, id)?;
    let is_author = comment.reference.member == *member;
    let never_public = || unit.review(id).is_some_and(|review| review.never_public);
    if !is_author && comment.may_be_unpublished() && never_public() {
        return Err(Error::CommentNotFound);
    }
    Ok((comment, comment.lifecycle.state.shown_to(is_author)))
}

/// Returns the comment that the write of a member names, as [`shown`] does. A deleted comment is
/// not found: only Undelete writes to it.
fn undeleted<'u, K>(
    unit: &'u UnitOfWork,
    command: &Command<K>,
    id: CommentId,
    member: &MemberId,
) -> Result<(&'u Comment, CommentState)> {
    let (comment, state) = shown(unit, command, id, member)?;
    if state == CommentState::Deleted { Err(Error::CommentNotFound) } else { Ok((comment, state)) }
}

/// Rejects an etag that is not the current one; an empty etag requires nothing.
fn match_etag(expected: &str, current: String) -> Result<()> {
    if expected.is_empty() || expected == current { Ok(()) } else { Err(Error::EtagMismatch { current }) }
}

/// Returns the fingerprint of a request for the verb with the stored name `name`.
fn fingerprint(name: &str, subject: &SubjectKey, body: &[Cow<'_, [u8]>]) -> Fingerprint {
    let head = [name, subject.object_type().as_str(), subject.object_id()].map(str::as_bytes);
    let parts: Vec<&[u8]> = head.into_iter().chain(body.iter().map(AsRef::as_ref)).collect();
    Fingerprint::of(&parts)
}

/// Returns the part of a fingerprint that names a comment.
fn id_part(id: CommentId) -> Cow<'static, [u8]> {
    Cow::Owned(id.get().to_be_bytes().into())
}

/// Returns the comment of an effect.
fn comment_of(effect: Effect) -> Result<CommentView> {
    match effect {
        Effect::Comment(view) => Ok(*view),
        Effect::Subject(_) | Effect::Edit(_) | Effect::Like(_) | Effect::Decision(_) => {
            Err(Error::internal("a verb of a comment returned another effect"))
        }
    }
}

/// Returns the subject of an effect.
fn subject_of(effect: Effect) -> Result<Subject> {
    match effect {
        Effect::Subject(subject) => Ok(*subject),
        Effect::Comment(_) | Effect::Edit(_) | Effect::Like(_) | Effect::Decision(_) => {
            Err(Error::internal("a verb of a subject returned another effect"))
        }
    }
}

/// Returns the parts of a fingerprint for the owner and the metadata of a subject.
fn subject_parts<'a>(
    metadata: impl IntoIterator<Item = (&'a String, &'a String)>,
    owner: Option<&'a MemberId>,
) -> impl Iterator<Item = Cow<'a, [u8]>> {
    let owner = owner.map_or("", MemberId::as_str);
    let metadata = metadata.into_iter().flat_map(|(k, v)| [k.as_str(), v.as_str()]);
    [owner].into_iter().chain(metadata).map(|part| Cow::Borrowed(part.as_bytes()))
}
