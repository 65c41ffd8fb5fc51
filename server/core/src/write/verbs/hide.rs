//! The verbs Hide and Unhide: a moderator hides a comment and shows it again.

use std::borrow::Cow;

use async_trait::async_trait;

use super::pin::unpin_change;
use super::{Command, CommandKind, Request, RequestContext, Verb, comment_of, id_part, undeleted};
use crate::domain::comment::CommentView;
use crate::domain::error::{Error, Result};
use crate::domain::event::ActorKind;
use crate::domain::ids::CommentId;
use crate::domain::location::CommentLocation;
use crate::domain::state::CommentState;
use crate::write::change::{Change, StateChange};
use crate::write::command_output::Effect;
use crate::write::lock_set::LockSet;
use crate::write::unit_of_work::UnitOfWork;

/// A request to hide a comment, or to show it again.
#[derive(Debug, Clone, Copy)]
pub struct HideComment {
    /// True to hide, false to show.
    pub hidden: bool,
}

#[async_trait]
impl Request for HideComment {
    type At = CommentLocation;
    type Verb = CommandKind;
    type Value = CommentView;

    async fn verb(self, at: &CommentLocation, _: RequestContext<'_>) -> Result<CommandKind> {
        let target = at.clone();
        Ok(if self.hidden { Hide { target }.into() } else { Unhide { target }.into() })
    }

    fn value(effect: Effect) -> Result<CommentView> {
        comment_of(effect)
    }
}

/// Hides an active comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hide {
    /// The comment.
    pub target: CommentLocation,
}

/// Shows a hidden comment again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unhide {
    /// The comment.
    pub target: CommentLocation,
}

fn lock_set(target: &CommentLocation) -> LockSet {
    LockSet { comments: target.locks(), content: Some(target.id) }
}

/// A moderator may act in any state of the subject. Only the state of the comment decides.
fn check(unit: &UnitOfWork, command: &Command, location: &CommentLocation, from: CommentState) -> Result<()> {
    let comment = undeleted(unit, command, location.id)?;
    if comment.lifecycle.state == from { Ok(()) } else { Err(Error::StateConflict(comment.lifecycle.state)) }
}

fn state_change(location: &CommentLocation, to: CommentState) -> Change {
    Change::SetState(StateChange { comment_id: location.id, to, deleted_by: None })
}

impl Verb for Hide {
    fn comment_id(&self) -> Option<CommentId> {
        Some(self.target.id)
    }

    fn lock_set(&self) -> LockSet {
        lock_set(&self.target)
    }

    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        vec![id_part(self.target.id)]
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        check(unit, command, &self.target, CommentState::Active)
    }

    fn changes(&self, unit: &UnitOfWork, command: &Command) -> Vec<Change> {
        let unpin = unpin_change(unit, command, self.target.id);
        unpin.into_iter().chain([state_change(&self.target, CommentState::Hidden)]).collect()
    }

    fn actor(&self, _: &UnitOfWork) -> Option<ActorKind> {
        Some(ActorKind::Moderator)
    }
}

impl Verb for Unhide {
    fn comment_id(&self) -> Option<CommentId> {
        Some(self.target.id)
    }

    fn lock_set(&self) -> LockSet {
        lock_set(&self.target)
    }

    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        vec![id_part(self.target.id)]
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        check(unit, command, &self.target, CommentState::Hidden)
    }

    fn changes(&self, _: &UnitOfWork, _: &Command) -> Vec<Change> {
        vec![state_change(&self.target, CommentState::Active)]
    }

    fn actor(&self, _: &UnitOfWork) -> Option<ActorKind> {
        Some(ActorKind::Moderator)
    }
}
