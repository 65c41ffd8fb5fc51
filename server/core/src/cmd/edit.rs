//! Edit: what a comment says, changed by its author.

use std::time::Duration;

use super::{Act, Command, Needs, Target, match_etag, target, writable};
use crate::change::Change;
use crate::content::Content;
use crate::error::{Error, Result};
use crate::member::MemberId;
use crate::world::World;

/// Replaces the content; what it said before goes to its history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The comment.
    pub target: Target,
    /// Who edits.
    pub member: MemberId,
    /// What it shall say.
    pub content: Content,
    /// The etag the editor saw; empty = whichever.
    pub etag: String,
    /// How long after its creation; `None` = always.
    pub window: Option<Duration>,
}

impl Act for Edit {
    fn needs(&self) -> Needs {
        Needs { comments: vec![self.target.id], content: Some(self.target.id), like: None }
    }

    fn check(&self, world: &World, command: &Command) -> Result<()> {
        let comment = target(world, command, self.target.id)?;
        if comment.member != self.member {
            return Err(Error::MemberNotAllowed);
        }
        writable(world, command)?;
        if !comment.state.is_visible() {
            return Err(Error::StateConflict(comment.state));
        }
        if let Some(until) = self.window.map(|window| comment.create_time.plus(window))
            && command.now > until
        {
            return Err(Error::EditWindowClosed { until });
        }
        match_etag(&self.etag, comment.etag())
    }

    fn changes(&self, _: &World, _: &Command) -> Vec<Change> {
        vec![Change::SetContent(self.target.id, self.content.clone())]
    }
}
