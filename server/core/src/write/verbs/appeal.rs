//! Appeal: the author contests a decision that refused or hid the text.

use std::borrow::Cow;
use std::time::Duration;

use async_trait::async_trait;

use super::{Command, Request, RequestContext, Verb, id_part, target};
use crate::domain::decision::Decision;
use crate::domain::error::{Error, Result};
use crate::domain::event::ActorKind;
use crate::domain::ids::CommentId;
use crate::domain::location::CommentLocation;
use crate::domain::state::CommentState;
use crate::write::change::{AuthorAppeal, Change};
use crate::write::command_output::{DecisionOutput, Effect};
use crate::write::lock_set::LockSet;
use crate::write::unit_of_work::UnitOfWork;

/// A request to contest a decision.
#[derive(Debug, Clone)]
pub struct AppealDecision {
    /// The decision. Decisions never change, so that it needs no lock.
    pub contested: Decision,
    /// The words of the author, 1 to 2,000 code points.
    pub text: String,
}

/// Contests a decision on a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appeal {
    /// The comment.
    pub target: CommentLocation,
    /// The decision and the words of the author.
    pub appeal: AuthorAppeal,
    /// The time after a decision within which it can be contested.
    pub window: Duration,
}

#[async_trait]
impl Request for AppealDecision {
    type At = CommentLocation;
    type Verb = Appeal;
    type Value = DecisionOutput;

    async fn verb(self, at: &CommentLocation, context: RequestContext<'_>) -> Result<Appeal> {
        let appeal = AuthorAppeal { contested: self.contested, text: self.text };
        Ok(Appeal { target: at.clone(), appeal, window: context.policy.appeal_window })
    }

    fn value(effect: Effect) -> Result<DecisionOutput> {
        super::judge::decision_of(effect)
    }
}

impl Verb for Appeal {
    fn comment_id(&self) -> Option<CommentId> {
        Some(self.target.id)
    }

    fn is_verdict(&self) -> bool {
        true
    }

    fn lock_set(&self) -> LockSet {
        let id = Some(self.target.id);
        let (comments, content, proposal) = (vec![self.target.id], None, None);
        LockSet { comments, content, review: id, decisions: id, proposal, database_time: true }
    }

    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        let number = self.appeal.contested.id.number.to_be_bytes();
        let text = Cow::Borrowed(self.appeal.text.as_bytes());
        vec![text, Cow::Owned(number.into()), id_part(self.target.id)]
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        let state = match target(unit, command, self.target.id) {
            Ok(comment) => comment.lifecycle.state,
            Err(Error::CommentNotFound) => CommentState::Deleted,
            Err(error) => return Err(error),
        };
        let review = unit.review(self.target.id);
        let obstacle = self.appeal.contested.appeal_obstacle(state, review, self.window, command.now);
        obstacle.map_or(Ok(()), |obstacle| Err(Error::AppealNotAllowed(obstacle)))
    }

    fn changes(&self, _: &UnitOfWork, _: &Command) -> Vec<Change> {
        vec![Change::Appeal(Box::new(self.appeal.clone()))]
    }

    fn actor(&self, _: &UnitOfWork) -> Option<ActorKind> {
        Some(ActorKind::Author)
    }
}
