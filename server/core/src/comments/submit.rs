//! How a mutation becomes a command, and its receipt an answer.

use crate::caller::Caller;
use crate::cmd::{Command, Target, Verb};
use crate::comment::CommentView;
use crate::comments::Comments;
use crate::error::{Error, Result};
use crate::member::MemberId;
use crate::page::Located;
use crate::request::{Print, Request, RequestId, RequestKey};
use crate::subject::{Subject, SubjectKey};
use crate::world::{Effect, Receipt};

/// Who asks for a mutation, and under which request id.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The authenticated service.
    pub caller: Caller,
    /// The person it acts for; `None` for a subject's own verbs and moderators'.
    pub member: Option<MemberId>,
    /// The id that makes a repeat recognisable; `None` where the caller gave none.
    pub request_id: Option<RequestId>,
}

/// The answer to a mutation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written<T> {
    /// The thing it was about, as it is now.
    pub value: T,
    /// The subject's revision that holds the effect.
    pub revision: i64,
}

/// What a mutation is, before it has a request key and a time.
pub(super) struct Draft<'a> {
    pub(super) subject: SubjectKey,
    pub(super) verb: Verb,
    /// The parts of the body that make two requests the same. Client facts are not among them: a retry may travel
    /// another way.
    pub(super) body: Vec<&'a [u8]>,
}

impl Comments {
    pub(super) async fn submit(&self, asked: &Asked, draft: Draft<'_>) -> Result<Receipt> {
        let id = asked.request_id.unwrap_or_else(|| RequestId::from_bytes(self.ids.request()));
        let mut parts = vec![draft.verb.name().as_bytes()];
        parts.push(draft.subject.object_type().as_str().as_bytes());
        parts.push(draft.subject.object_id().as_bytes());
        parts.extend(draft.body);
        let key = RequestKey::of(&asked.caller, asked.member.as_ref(), &id);
        let request = Request { key, print: Print::of(&parts) };
        let command = Command { subject: draft.subject, verb: draft.verb, request, now: self.clock.now() };
        self.submit_one(command).await
    }

    pub(super) async fn submit_one(&self, command: Command) -> Result<Receipt> {
        let receipts = self.log.submit(vec![command]).await?;
        receipts.into_iter().next().unwrap_or_else(|| Err(Error::internal("a batch of one was answered with none")))
    }
}

impl Written<CommentView> {
    pub(super) fn comment(receipt: Receipt) -> Result<Self> {
        match receipt.effect {
            Effect::Comment(view) => Ok(Self { value: *view, revision: receipt.revision }),
            Effect::Subject(_) | Effect::Like(_) => Err(Error::internal("a comment's verb answered something else")),
        }
    }
}

impl Written<Subject> {
    pub(super) fn subject(receipt: Receipt) -> Result<Self> {
        match receipt.effect {
            Effect::Subject(subject) => Ok(Self { value: *subject, revision: receipt.revision }),
            Effect::Comment(_) | Effect::Like(_) => Err(Error::internal("a subject's verb answered something else")),
        }
    }
}

impl Located {
    /// This comment as a command names it.
    pub(super) fn target(&self) -> Target {
        Target { id: self.id, lineage: self.lineage.clone(), parent: self.parent }
    }
}
