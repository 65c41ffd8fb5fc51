//! The verb Edit: an author changes the content of a comment.

use std::time::Duration;

use super::{Command, Verb, match_etag, target, writable};
use crate::domain::content::Content;
use crate::domain::error::{Error, Result};
use crate::domain::event::ActorKind;
use crate::domain::member::MemberId;
use crate::write::change::Change;
use crate::write::lock_set::{CommentLocation, LockSet};
use crate::write::unit_of_work::UnitOfWork;

/// Replaces the content. The former content becomes a revision in the comment's history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The comment.
    pub target: CommentLocation,
    /// The member that edits the comment.
    pub member: MemberId,
    /// The new content.
    pub content: Content,
    /// The expected etag; an empty one matches any.
    pub etag: String,
    /// The time after the comment's creation in which an edit is allowed; `None` for no limit.
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

    fn actor(&self, _: &UnitOfWork) -> Option<ActorKind> {
        Some(ActorKind::Author)
    }
}
