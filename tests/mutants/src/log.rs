//! Mutants of the write path.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::content::Content;
use riposte_core::request::{Fingerprint, IdempotencyKey, RequestId, RequestIdentity};
use riposte_core::subject::Metadata;
use riposte_core::verbs::Undelete;
use riposte_core::{Command, CommandKind, CommandLog, CommandOutput, Effect, Error, LikeValue, MemberId, Result};

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
    async fn submit(&self, mut commands: Vec<Command>) -> Result<Vec<Result<CommandOutput>>> {
        if let Some(outputs) = self.known(&commands) {
            return Ok(outputs);
        }
        let unchanged = commands.clone();
        commands.iter_mut().for_each(|command| self.before(command));
        let mut outputs = self.inner.submit(commands).await?;
        for (command, output) in unchanged.into_iter().zip(&mut outputs) {
            self.store(&command, output);
            self.after(command, output).await;
        }
        Ok(outputs)
    }
}

impl MutantLog {
    pub(crate) fn new(inner: Arc<dyn CommandLog>, mutant: Mutant) -> Self {
        Self { inner, mutant, outputs: Mutex::default() }
    }

    /// Returns the stored outputs if this process has executed all of these commands before.
    fn known(&self, commands: &[Command]) -> Option<Vec<Result<CommandOutput>>> {
        let outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        commands.iter().map(|command| outputs.get(&command.request.key).cloned().map(Ok)).collect()
    }

    fn store(&self, command: &Command, output: &Result<CommandOutput>) {
        if let (Mutant::KeysApart, Ok(done)) = (self.mutant, output) {
            let mut outputs = self.outputs.lock().unwrap_or_else(PoisonError::into_inner);
            outputs.insert(command.request.key, done.clone());
        }
    }

    fn before(&self, command: &mut Command) {
        match (self.mutant, &mut command.verb) {
            (Mutant::RepeatsNotDetected | Mutant::KeysApart, _) => command.request.key = IdempotencyKey(rand::random()),
            (Mutant::FingerprintsIgnored, _) => command.request.fingerprint = Fingerprint(0),
            (Mutant::LateLikes, CommandKind::SetLike(like)) => like.operation = RequestId::from_bytes(rand::random()),
            (Mutant::LikesLost, CommandKind::SetLike(like)) if one_of(20) => like.value = LikeValue::None,
            (Mutant::LikesOfAnother, CommandKind::SetLike(like)) if one_of(20) => {
                like.member = MemberId::stored("another".into())
            }
            (Mutant::EditsLost, CommandKind::Edit(edit)) if one_of(5) => {
                edit.content = Content::stored("something else".into(), Vec::new(), Metadata::default());
            }
            _fine => {}
        }
    }

    async fn after(&self, command: Command, output: &mut Result<CommandOutput>) {
        let Ok(done) = output else { return };
        match (self.mutant, command.verb.clone(), &mut done.effect) {
            (Mutant::RefusedAfterCommit, ..) if one_of(50) => {
                *output = Err(Error::Overloaded { after: Duration::from_millis(1) });
            }
            (Mutant::RevisionBefore, ..) if one_of(10) => done.revision -= 1,
            (Mutant::RevisionAfter, ..) if one_of(10) => done.revision += 1,
            (Mutant::EditsLost, CommandKind::Edit(edit), Effect::Comment(view)) => view.content = Some(edit.content),
            (Mutant::FloorsShifted, CommandKind::Create(_), Effect::Comment(view)) if one_of(20) => {
                view.comment.reference.floor += 1
            }
            (Mutant::CreatedTwice, verb @ CommandKind::Create(_), _) if one_of(20) => self.again(command, verb).await,
            (Mutant::LikesLost, CommandKind::SetLike(like), Effect::Like(found)) => found.value = like.value,
            (Mutant::DeletesUndone, CommandKind::Delete(delete), Effect::Comment(view)) if one_of(5) => {
                let member = view.comment.reference.member.clone();
                self.again(command, Undelete { target: delete.target, member }.into()).await;
            }
            _fine => {}
        }
    }

    /// Submits one more command under a new idempotency key.
    async fn again(&self, command: Command, verb: CommandKind) {
        let request = RequestIdentity { key: IdempotencyKey(rand::random()), ..command.request };
        drop(self.inner.submit(vec![Command { verb, request, ..command }]).await);
    }
}
