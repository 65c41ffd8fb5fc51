//! The verb Edit: an author changes the content of a comment.

use std::borrow::Cow;
use std::time::Duration;

use async_trait::async_trait;

use super::{Command, Request, RequestContext, Verb, comment_of, id_part, match_etag, undeleted, writable};
use crate::domain::comment::CommentView;
use crate::domain::content::Content;
use crate::domain::error::{Error, Result};
use crate::domain::event::ActorKind;
use crate::domain::ids::CommentId;
use crate::domain::location::CommentLocation;
use crate::domain::member::MemberId;
use crate::write::change::Change;
use crate::write::command_output::Effect;
use crate::write::lock_set::LockSet;
use crate::write::unit_of_work::UnitOfWork;

/// A request to change the content of a comment.
#[derive(Debug, Clone)]
pub struct EditComment {
    /// The member that edits the comment.
    pub member: MemberId,
    /// The new content, within the policy of the type.
    pub content: Content,
    /// The expected etag; an empty one matches any.
    pub etag: String,
}

#[async_trait]
impl Request for EditComment {
    type At = CommentLocation;
    type Verb = Edit;
    type Value = CommentView;

    async fn verb(self, at: &CommentLocation, context: RequestContext<'_>) -> Result<Edit> {
        let Self { member, content, etag } = self;
        Ok(Edit { target: at.clone(), member, content, etag, window: context.policy.edit_window })
    }

    fn value(effect: Effect) -> Result<CommentView> {
        comment_of(effect)
    }
}

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
    fn comment_id(&self) -> Option<CommentId> {
        Some(self.target.id)
    }

    fn viewer(&self) -> Option<&MemberId> {
        Some(&self.member)
    }

    fn lock_set(&self) -> LockSet {
        LockSet { comments: vec![self.target.id], content: Some(self.target.id), ..LockSet::default() }
    }

    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        let tail = [Cow::Borrowed(self.etag.as_bytes()), id_part(self.target.id)];
        self.content.fingerprint_parts().map(Cow::Borrowed).chain(tail).collect()
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        let (comment, state) = undeleted(unit, command, self.target.id, &self.member)?;
        if comment.reference.member != self.member {
            return Err(Error::MemberNotAllowed);
        }
        writable(unit, command)?;
        if !state.is_visible() {
            return Err(Error::StateConflict(state));
        }
        if let Some(until) = self.window.map(|window| comment.reference.create_time.plus(window))
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
