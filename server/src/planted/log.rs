//! Bugs of the road of writes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::cmd::Undelete;
use riposte_core::content::Content;
use riposte_core::ports::Log;
use riposte_core::request::{Print, Request, RequestId, RequestKey};
use riposte_core::subject::Metadata;
use riposte_core::world::{Effect, Receipt};
use riposte_core::{Command, Error, LikeValue, MemberId, Result, Verb};

use super::{Bug, one_of};

/// The road with a bug.
#[derive(Debug)]
pub(super) struct Planted {
    inner: Arc<dyn Log>,
    bug: Bug,
    /// What requests were answered.
    answered: Mutex<HashMap<RequestKey, Receipt>>,
}

#[async_trait]
impl Log for Planted {
    async fn submit(&self, mut commands: Vec<Command>) -> Result<Vec<Result<Receipt>>> {
        if let Some(answers) = self.known(&commands) {
            return Ok(answers);
        }
        let asked = commands.clone();
        commands.iter_mut().for_each(|command| self.before(command));
        let mut receipts = self.inner.submit(commands).await?;
        for (command, receipt) in asked.into_iter().zip(&mut receipts) {
            self.remember(&command, receipt);
            self.after(command, receipt).await;
        }
        Ok(receipts)
    }
}

impl Planted {
    pub(super) fn new(inner: Arc<dyn Log>, bug: Bug) -> Self {
        Self { inner, bug, answered: Mutex::default() }
    }

    /// What this process has answered all of these before.
    fn known(&self, commands: &[Command]) -> Option<Vec<Result<Receipt>>> {
        let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        commands.iter().map(|command| answered.get(&command.request.key).cloned().map(Ok)).collect()
    }

    fn remember(&self, command: &Command, receipt: &Result<Receipt>) {
        if let (Bug::KeysApart, Ok(done)) = (self.bug, receipt) {
            let mut answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
            answered.insert(command.request.key, done.clone());
        }
    }

    fn before(&self, command: &mut Command) {
        match (self.bug, &mut command.verb) {
            (Bug::RepeatsForgotten | Bug::KeysApart, _) => command.request.key = RequestKey(rand::random()),
            (Bug::PrintsIgnored, _) => command.request.print = Print(0),
            (Bug::LateLikes, Verb::SetLike(like)) => like.operation = RequestId::from_bytes(rand::random()),
            (Bug::LikesLost, Verb::SetLike(like)) if one_of(20) => like.value = LikeValue::None,
            (Bug::LikesOfAnother, Verb::SetLike(like)) if one_of(20) => {
                like.member = MemberId::stored("another".into())
            }
            (Bug::EditsLost, Verb::Edit(edit)) if one_of(5) => {
                edit.content = Content::stored("something else".into(), Vec::new(), Metadata::default());
            }
            _fine => {}
        }
    }

    async fn after(&self, command: Command, receipt: &mut Result<Receipt>) {
        let Ok(done) = receipt else { return };
        match (self.bug, command.verb.clone(), &mut done.effect) {
            (Bug::RefusedAfterCommit, ..) if one_of(50) => {
                *receipt = Err(Error::Overloaded { after: Duration::from_millis(1) });
            }
            (Bug::RevisionBefore, ..) if one_of(10) => done.revision -= 1,
            (Bug::RevisionAfter, ..) if one_of(10) => done.revision += 1,
            (Bug::EditsLost, Verb::Edit(edit), Effect::Comment(view)) => view.content = Some(edit.content),
            (Bug::FloorsShifted, Verb::Create(_), Effect::Comment(view)) if one_of(20) => view.comment.floor += 1,
            (Bug::CreatedTwice, verb @ Verb::Create(_), _) if one_of(20) => self.again(command, verb).await,
            (Bug::LikesLost, Verb::SetLike(like), Effect::Like(answer)) => answer.value = like.value,
            (Bug::DeletesUndone, Verb::Delete(delete), Effect::Comment(view)) if one_of(5) => {
                let member = view.comment.member.clone();
                self.again(command, Undelete { target: delete.target, member }.into()).await;
            }
            _fine => {}
        }
    }

    /// Does one more thing, as a request of its own.
    async fn again(&self, command: Command, verb: Verb) {
        let request = Request { key: RequestKey(rand::random()), ..command.request };
        drop(self.inner.submit(vec![Command { verb, request, ..command }]).await);
    }
}
