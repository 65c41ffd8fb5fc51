//! Edit: what a comment says, changed by its author.

use std::time::Duration;

use super::{Command, CommentLocation, LockSet, Verb, match_etag, target, writable};
use crate::change::Change;
use crate::content::Content;
use crate::error::{Error, Result};
use crate::member::MemberId;
use crate::unit_of_work::UnitOfWork;

/// Replaces the content; what it said before goes to its history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The comment.
    pub target: CommentLocation,
    /// Who edits.
    pub member: MemberId,
    /// What it shall say.
    pub content: Content,
    /// The etag the editor saw; empty = whichever.
    pub etag: String,
    /// How long after its creation; `None` = always.
    pub window: Option<Duration>,
}

impl Verb for Edit {
    fn needs(&self) -> LockSet {
        LockSet { comments: vec![self.target.id], content: Some(self.target.id), like: None }
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        let comment = target(unit, command, self.target.id)?;
        if comment.member != self.member {
            return Err(Error::MemberNotAllowed);
        }
        writable(unit, command)?;
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

    fn changes(&self, _: &UnitOfWork, _: &Command) -> Vec<Change> {
        vec![Change::SetContent(self.target.id, self.content.clone())]
    }
}
