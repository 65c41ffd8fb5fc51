//! How a mutation becomes a command, and its receipt an answer.

use crate::caller::Caller;
use crate::comment::CommentView;
use crate::comments::Comments;
use crate::error::{Error, Result};
use crate::member::MemberId;
use crate::page::LocatedComment;
use crate::request::{Fingerprint, IdempotencyKey, RequestId, RequestIdentity};
use crate::subject::{Subject, SubjectKey};
use crate::unit_of_work::{CommandOutput, Effect};
use crate::verbs::{Command, CommandKind, CommentLocation};

/// Who asks for a mutation, and under which request id.
#[derive(Debug, Clone)]
pub struct WriteContext {
    /// The authenticated service.
    pub caller: Caller,
    /// The person it acts for; `None` for a subject's own verbs and moderators'.
    pub member: Option<MemberId>,
    /// The id that makes a repeat recognisable; `None` where the caller gave none.
    pub request_id: Option<RequestId>,
}

/// The answer to a mutation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteOutput<T> {
    /// The thing it was about, as it is now.
    pub value: T,
    /// The subject's revision that holds the effect.
    pub revision: i64,
}

/// What a mutation is, before it has a request key and a time.
pub(super) struct CommandDraft<'a> {
    pub(super) subject: SubjectKey,
    pub(super) verb: CommandKind,
    /// The parts of the body that make two requests the same. Client facts are not among them: a retry may travel
    /// another way.
    pub(super) body: Vec<&'a [u8]>,
}

impl Comments {
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

impl LocatedComment {
    /// This comment as a command names it.
    pub(super) fn target(&self) -> CommentLocation {
        CommentLocation { id: self.id, ancestor_ids: self.ancestor_ids.clone(), parent: self.parent }
    }
}
