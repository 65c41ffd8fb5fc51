//! Hide and Unhide: a moderator takes a comment from view and shows it again.

use super::pin::unpinned;
use super::{Act, Command, Needs, Target, target};
use crate::change::{Change, StateChange};
use crate::error::{Error, Result};
use crate::state::CommentState;
use crate::world::World;

/// Takes an active comment from view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hide {
    /// The comment.
    pub target: Target,
}

/// Shows a hidden comment again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unhide {
    /// The comment.
    pub target: Target,
}

fn needs(target: &Target) -> Needs {
    Needs { comments: target.locks(), content: Some(target.id), like: None }
}

/// Moderators act whatever the subject's state; only the comment's own state decides.
fn check(world: &World, command: &Command, at: &Target, from: CommentState) -> Result<()> {
    let comment = target(world, command, at.id)?;
    if comment.state == from { Ok(()) } else { Err(Error::StateConflict(comment.state)) }
}

fn moved(at: &Target, to: CommentState) -> Change {
    Change::SetState(StateChange { comment_id: at.id, to, deleted_by: None })
}

impl Act for Hide {
    fn needs(&self) -> Needs {
        needs(&self.target)
    }

    fn check(&self, world: &World, command: &Command) -> Result<()> {
        check(world, command, &self.target, CommentState::Active)
    }

    fn changes(&self, world: &World, command: &Command) -> Vec<Change> {
        let unpin = unpinned(world, command, self.target.id);
        unpin.into_iter().chain([moved(&self.target, CommentState::Hidden)]).collect()
    }
}

impl Act for Unhide {
    fn needs(&self) -> Needs {
        needs(&self.target)
    }

    fn check(&self, world: &World, command: &Command) -> Result<()> {
        check(world, command, &self.target, CommentState::Hidden)
    }

    fn changes(&self, _: &World, _: &Command) -> Vec<Change> {
        vec![moved(&self.target, CommentState::Active)]
    }
}
