//! Mutants of the write path.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::content::Content;
use riposte_core::disposition::Disposition;
use riposte_core::request::{Fingerprint, IdempotencyKey, RequestId, RequestIdentity};
use riposte_core::subject::Metadata;
use riposte_core::verbs::{Create, Undelete};
use riposte_core::{
    Batch, Command, CommandKind, CommandLog, CommandOutput, Effect, Error, LikeCommand, LikeCommandKind, LikeValue,
    MemberId, Result,
};

use crate::mutant::{Mutant, one_of};

/// A command log with a mutant.
#[derive(Debug)]
pub(crate) struct MutantLog {
    inner: Arc<dyn CommandLog>,
    mutant: Mutant,
    /// The outputs of executed requests.
    outputs: Mutex<HashMap<IdempotencyKey, CommandOutput>>,
}

#[async_trait]
impl CommandLog for MutantLog {
    async fn submit(&self, mut batch: Batch) -> Result<Vec<Result<CommandOutput>>> {
        if let Some(outputs) = self.stored(&keys(&batch)) {
            return Ok(outputs);
        }
        let unchanged = batch.clone();
        match &mut batch {
            Batch::Comments(commands) => commands.iter_mut().for_each(|command| self.before(command)),
            Batch::Likes(commands) => commands.iter_mut().for_each(|command| self.before_like(command)),
        }
        let mut outputs = self.inner.submit(batch).await?;
        for (key, output) in keys(&unchanged).into_iter().zip(&outputs) {
            self.store(key, output);
        }
        match unchanged {
            Batch::Comments(commands) => {
                for (command, output) in commands.into_iter().zip(&mut outputs) {
                    self.after(command, output).await;
                }
            }
            Batch::Likes(commands) => {
                commands.into_iter().zip(&mut outputs).for_each(|(command, output)| self.after_like(&command, output));
            }
        }
        Ok(outputs)
    }
}

fn keys(batch: &Batch) -> Vec<IdempotencyKey> {
    match batch {
        Batch::Comments(commands) => commands.iter().map(|command| command.request.key).collect(),
        Batch::Likes(commands) => commands.iter().map(|command| command.request.key).collect(),
    }
}

impl MutantLog {
    pub(crate) fn new(inner: Arc<dyn CommandLog>, mutant: Mutant) -> Self {
        Self { inner, mutant, outputs: Mutex::default() }
    }

    /// Returns the stored outputs if this process has executed all of these requests before.
    fn stored(&self, keys: &[IdempotencyKey]) -> Option<Vec<Result<CommandOutput>>> {
        let outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        keys.iter().map(|key| outputs.get(key).cloned().map(Ok)).collect()
    }

    fn store(&self, key: IdempotencyKey, output: &Result<CommandOutput>) {
        if let (Mutant::KeysApart, Ok(done)) = (self.mutant, output) {
            let mut outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
            outputs.insert(key, done.clone());
        }
    }

    fn before(&self, command: &mut Command) {
        self.before_any(&mut command.request);
        if let CommandKind::Create(create) = &mut command.verb {
            self.before_create(create, &mut command.request);
        }
        if let (Mutant::EditsLost, CommandKind::Edit(edit)) = (self.mutant, &mut command.verb)
            && one_of(5)
        {
            edit.content = Content::stored("something else".into(), Vec::new(), Metadata::default());
        }
    }

    /// Changes what the policy says of a new root.
    fn before_create(&self, create: &mut Create, request: &mut RequestIdentity) {
        let judged = &mut create.judged;
        let passes = self.mutant == Mutant::HeldTextPasses && judged.disposition == Disposition::Hold && one_of(10)
            || self.mutant == Mutant::TrustedSkipsHold && judged.trusted
            || self.mutant == Mutant::OutagePasses && judged.disposition == Disposition::Unchecked;
        if passes {
            (judged.disposition, judged.grounds) = (Disposition::Allow, None);
        }
        if self.mutant == Mutant::DispositionInFingerprint {
            let of_policy = Disposition::ALL.iter().position(|of| *of == judged.disposition);
            request.fingerprint.0 ^= of_policy.unwrap_or_default() as i64;
        }
    }

    fn before_like(&self, command: &mut LikeCommand) {
        self.before_any(&mut command.request);
        match (self.mutant, &mut command.verb) {
            (Mutant::LateLikes, LikeCommandKind::SetLike(like)) => {
                like.operation = RequestId::from_bytes(rand::random())
            }
            (Mutant::LikesLost, LikeCommandKind::SetLike(like)) if one_of(20) => like.value = LikeValue::None,
            (Mutant::LikesOfAnother, LikeCommandKind::SetLike(like)) if one_of(20) => {
                like.member = MemberId::stored("another".into())
            }
            _unaffected => {}
        }
    }

    fn before_any(&self, request: &mut RequestIdentity) {
        if matches!(self.mutant, Mutant::RepeatsNotDetected | Mutant::KeysApart) {
            request.key = IdempotencyKey(rand::random());
        } else if self.mutant == Mutant::FingerprintsIgnored {
            request.fingerprint = Fingerprint(0);
        }
    }

    async fn after(&self, command: Command, output: &mut Result<CommandOutput>) {
        self.after_any(output);
        let Ok(done) = output else { return };
        match (self.mutant, command.verb.clone(), &mut done.effect) {
            (Mutant::EditsLost, CommandKind::Edit(edit), Effect::Edit(edited)) => {
                edited.view.content = Some(edit.content)
            }
            (Mutant::FloorsShifted, CommandKind::Create(_), Effect::Comment(view)) if one_of(20) => {
                view.comment.reference.floor += 1
            }
            (Mutant::CreatedTwice, verb @ CommandKind::Create(_), _) if one_of(20) => self.again(command, verb).await,
            (Mutant::DeletesUndone, CommandKind::Delete(delete), Effect::Comment(view)) if one_of(5) => {
                let member = view.comment.reference.member.clone();
                self.again(command, Undelete { target: delete.target, member }.into()).await;
            }
            _unaffected => {}
        }
    }

    fn after_like(&self, command: &LikeCommand, output: &mut Result<CommandOutput>) {
        self.after_any(output);
        let Ok(done) = output else { return };
        if let (Mutant::LikesLost, LikeCommandKind::SetLike(like), Effect::Like(liked)) =
            (self.mutant, &command.verb, &mut done.effect)
        {
            liked.value = like.value;
        }
    }

    fn after_any(&self, output: &mut Result<CommandOutput>) {
        let Ok(done) = output else { return };
        if self.mutant == Mutant::RevisionBefore && one_of(10) {
            done.revision -= 1;
        } else if self.mutant == Mutant::RevisionAfter && one_of(10) {
            done.revision += 1;
        } else if self.mutant == Mutant::RefusedAfterCommit && one_of(50) {
            *output = Err(Error::Overloaded { after: Duration::from_millis(1) });
        }
    }

    /// Submits one more command under a new idempotency key.
    async fn again(&self, command: Command, verb: CommandKind) {
        let request = RequestIdentity { key: IdempotencyKey(rand::random()), ..command.request };
        drop(self.inner.submit(vec![Command { verb, request, ..command }].into()).await);
    }
}
