//! The use cases that write: the conversion of a request to a command, and of its output to a
//! result.

mod comments;
mod import;
mod likes;
mod subjects;

use std::sync::Arc;

use crate::domain::caller::Caller;
use crate::domain::comment::CommentView;
use crate::domain::error::{Error, Result};
use crate::domain::member::MemberId;
use crate::domain::object_type::{ObjectType, Policies, Policy};
use crate::domain::request::{Fingerprint, IdempotencyKey, RequestId, RequestIdentity};
use crate::domain::subject::{Subject, SubjectKey};
use crate::ports::{Clock, IdSource, Reader};
use crate::write::command_log::CommandLog;
use crate::write::command_output::{CommandOutput, Effect};
use crate::write::verbs::{Command, CommandKind};
#[cfg(test)]
pub(crate) use comments::content_parts;
pub use comments::{CreateReply, CreateRoot, EditComment};
pub use import::{ImportItem, ImportKind, ImportOutcome, ImportedComment, ImportedLike, ImportedSubject};
pub use likes::SetLikeRequest;
pub use subjects::{NewSubject, SubjectPatch};

/// The use cases that write.
#[derive(Debug, Clone)]
pub struct Mutations {
    reader: Arc<dyn Reader>,
    log: Arc<dyn CommandLog>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    policies: Arc<Policies>,
}

/// The ports of [`Mutations`].
#[derive(Debug)]
pub struct WritePorts {
    /// Reads, for the comments that an import names.
    pub reader: Arc<dyn Reader>,
    /// The write path.
    pub log: Arc<dyn CommandLog>,
    /// The current time.
    pub clock: Arc<dyn Clock>,
    /// The source of new ids.
    pub ids: Arc<dyn IdSource>,
}

/// The caller and member of a mutation, and its request id.
#[derive(Debug, Clone)]
pub struct WriteContext {
    /// The authenticated service.
    pub caller: Caller,
    /// The member that it acts for; `None` for the verbs of subjects and of moderators.
    pub member: Option<MemberId>,
    /// The id that identifies a repeat; `None` if the caller gave none.
    pub request_id: Option<RequestId>,
}

/// The result of a mutation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteOutput<T> {
    /// The changed object in its present state.
    pub value: T,
    /// The subject's revision that contains the effect.
    pub revision: i64,
}

/// A mutation before it has an idempotency key and a time.
pub(super) struct CommandDraft<'a> {
    pub(super) subject: SubjectKey,
    pub(super) verb: CommandKind,
    /// The parts of the body that take part in the fingerprint. Client information is not among
    /// them: a retry may come from another client.
    pub(super) body: Vec<&'a [u8]>,
}

impl Mutations {
    /// Creates the use cases on `ports`, under `policies`.
    #[must_use]
    pub fn new(ports: WritePorts, policies: Arc<Policies>) -> Self {
        let WritePorts { reader, log, clock, ids } = ports;
        Self { reader, log, clock, ids, policies }
    }

    fn policy(&self, caller: &Caller, object_type: &ObjectType) -> Result<&Policy> {
        caller.policy(&self.policies, object_type)
    }

    pub(super) async fn submit(&self, asked: &WriteContext, draft: CommandDraft<'_>) -> Result<CommandOutput> {
        let id = asked.request_id.unwrap_or_else(|| RequestId::from_bytes(self.ids.request()));
        let mut parts = vec![draft.verb.name().as_bytes()];
        parts.push(draft.subject.object_type().as_str().as_bytes());
        parts.push(draft.subject.object_id().as_bytes());
        parts.extend(draft.body);
        let key = IdempotencyKey::of(&asked.caller, asked.member.as_ref(), &id);
        let request = RequestIdentity { key, fingerprint: Fingerprint::of(&parts) };
        let command = Command { subject: draft.subject, verb: draft.verb, request, now: self.clock.now() };
        self.submit_one(command).await
    }

    pub(super) async fn submit_one(&self, command: Command) -> Result<CommandOutput> {
        let outputs = self.log.submit(vec![command]).await?;
        outputs.into_iter().next().unwrap_or_else(|| Err(Error::internal("a batch of one was answered with none")))
    }
}

impl WriteOutput<CommentView> {
    pub(super) fn comment(output: CommandOutput) -> Result<Self> {
        match output.effect {
            Effect::Comment(view) => Ok(Self { value: *view, revision: output.revision }),
            Effect::Subject(_) | Effect::Like(_) => Err(Error::internal("a comment's verb answered something else")),
        }
    }
}

impl WriteOutput<Subject> {
    pub(super) fn subject(output: CommandOutput) -> Result<Self> {
        match output.effect {
            Effect::Subject(subject) => Ok(Self { value: *subject, revision: output.revision }),
            Effect::Comment(_) | Effect::Like(_) => Err(Error::internal("a subject's verb answered something else")),
        }
    }
}
