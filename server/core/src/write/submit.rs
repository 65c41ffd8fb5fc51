//! The use cases that write: a request becomes a command, and its output the result.

mod import;

use std::sync::{Arc, OnceLock};

use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::member::MemberId;
use crate::domain::object_type::{ObjectType, Policies, Policy};
use crate::domain::policy_judgement::PolicyJudgement;
use crate::domain::request::{IdempotencyKey, RequestId, RequestIdentity};
use crate::domain::subject::SubjectKey;
use crate::domain::time::Millis;
use crate::ports::{Clock, ContentPolicy, IdSource, Reader, Submission};
use crate::write::command_log::CommandLog;
use crate::write::command_output::CommandOutput;
use crate::write::member_gate::MemberGate;
use crate::write::verbs::{
    BatchType, BatchVerb, Command, RecordPlace, Request, RequestContext, WriteOutput, WriteTarget,
};
pub use import::{ImportItem, ImportKind, ImportOutcome};

/// The use cases that write.
#[derive(Debug, Clone)]
pub struct Mutations {
    reader: Arc<dyn Reader>,
    log: Arc<dyn CommandLog>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    content: Arc<dyn ContentPolicy>,
    members: MemberGate,
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
    /// The policy of texts.
    pub content: Arc<dyn ContentPolicy>,
    /// The rights of members.
    pub members: MemberGate,
}

/// The caller and member of a mutation, and its request id.
#[derive(Debug, Clone)]
pub struct WriteContext {
    /// The authenticated service.
    pub caller: Caller,
    /// The member that it acts for; `None` for the verbs of subjects and of moderators.
    pub member: Option<MemberId>,
    /// The id that identifies a repeat; `None` if the caller sent none.
    pub request_id: Option<RequestId>,
}

impl Mutations {
    /// Creates the use cases on `ports`, under `policies`.
    #[must_use]
    pub fn new(ports: WritePorts, policies: Arc<Policies>) -> Self {
        let WritePorts { reader, log, clock, ids, content, members } = ports;
        Self { reader, log, clock, ids, content, members, policies }
    }

    fn policy(&self, caller: &Caller, object_type: &ObjectType) -> Result<&Policy> {
        caller.policy(&self.policies, object_type)
    }

    /// Executes a request about `at` and returns its result, once it is durable. A repeat of a
    /// request returns the first revision.
    ///
    /// # Errors
    /// Those of [`Caller::policy`]; [`Error::RequestIdReused`]; those of [`MemberGate::admit`] and
    /// of [`ContentPolicy::judge`]; the reason for which the verb is rejected: see its file.
    pub async fn submit<R: Request>(
        &self,
        context: &WriteContext,
        at: &R::At,
        request: R,
    ) -> Result<WriteOutput<R::Value>> {
        let (subject, now) = (at.subject().clone(), self.clock.now());
        let policy = self.policy(&context.caller, subject.object_type())?;
        let request_id = context.request_id.map_or_else(OnceLock::new, OnceLock::from);
        let request_context = RequestContext { policy, ids: self.ids.as_ref(), id: &request_id, now };
        let mut verb = request.verb(at, request_context).await?.into_type();
        let key = IdempotencyKey::of(&context.caller, context.member.as_ref(), request_context.request_id());
        // The fingerprint is that of the body as the caller sent it, whatever the policy says.
        let request = RequestIdentity { key, fingerprint: verb.fingerprint(&subject) };
        if let Err(rejection) = self.judge(&mut verb, (&subject, key), (context.member.as_ref(), now)).await
            && !self.is_repeat(&verb, &subject, key).await?
        {
            return Err(rejection);
        }
        let (now, notify_thread) = (self.clock.now(), policy.notify_thread);
        let output = self.submit_one(Command { subject, verb, request, now, notify_thread }).await?;
        WriteOutput::of::<R>(output)
    }

    /// Lets standing and account of the member judge the act, and the policy its content, if the
    /// object type has one. The key is that of the request.
    async fn judge<K: BatchType>(
        &self,
        verb: &mut K,
        (subject, key): (&SubjectKey, IdempotencyKey),
        (member, now): (Option<&MemberId>, Millis),
    ) -> Result<()> {
        let rights = self.members.admit(subject.object_type(), member, verb.gated_act(), now).await?;
        let has_policy = self.content.judges(subject.object_type());
        let is_judged = has_policy || rights.concern_texts();
        let Some(submission) = verb.submission(subject, key).filter(|_| is_judged) else { return Ok(()) };
        let submission = Submission { age: rights.age(now), ..submission };
        let by_content = if has_policy { self.content.judge(submission).await? } else { PolicyJudgement::default() };
        verb.set_judged(rights.judgement(by_content)?);
        Ok(())
    }

    /// Returns `true` if an earlier request with this key was executed. It gets its first answer,
    /// whatever standing and policy say now.
    async fn is_repeat<K: BatchType>(&self, verb: &K, subject: &SubjectKey, key: IdempotencyKey) -> Result<bool> {
        match verb.record_place() {
            RecordPlace::Comment => {
                Ok(self.reader.created_by(subject, &[key]).await?.into_iter().any(|created| created.is_some()))
            }
            RecordPlace::Request => self.reader.has_request(subject, key).await,
            RecordPlace::Nowhere => Ok(false),
        }
    }

    async fn submit_one<K: BatchType>(&self, command: Command<K>) -> Result<CommandOutput> {
        let outputs = self.log.submit(vec![command].into()).await?;
        outputs.into_iter().next().unwrap_or_else(|| Err(Error::internal("a batch of one command has no result")))
    }
}
