//! The verb Refer: a text that waited for a service is left to moderators, because the service does
//! not let it pass.

use std::borrow::Cow;

use async_trait::async_trait;

use super::{Command, Request, RequestContext, Verb, comment_of, id_part, target};
use crate::domain::comment::{CommentView, proposal_etag, review_etag};
use crate::domain::error::{Error, Result};
use crate::domain::ids::CommentId;
use crate::domain::location::CommentLocation;
use crate::domain::member::MemberId;
use crate::domain::review::{ReviewPriority, WaitingText};
use crate::write::change::Change;
use crate::write::command_output::Effect;
use crate::write::lock_set::LockSet;
use crate::write::unit_of_work::UnitOfWork;

/// A request to leave a text to moderators.
#[derive(Debug, Clone)]
pub struct ReferText {
    /// The text.
    pub text: WaitingText,
    /// The etag of the text that was judged.
    pub etag: String,
    /// The priority that the service gave it.
    pub priority: ReviewPriority,
}

/// Leaves a text to moderators. Nothing that readers see changes, and no decision is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refer {
    /// The comment.
    pub target: CommentLocation,
    /// The text.
    pub text: WaitingText,
    /// The etag of the text that was judged.
    pub etag: String,
    /// The priority that the service gave it.
    pub priority: ReviewPriority,
}

#[async_trait]
impl Request for ReferText {
    type At = CommentLocation;
    type Verb = Refer;
    type Value = CommentView;

    async fn verb(self, at: &CommentLocation, _: RequestContext<'_>) -> Result<Refer> {
        Ok(Refer { target: at.clone(), text: self.text, etag: self.etag, priority: self.priority })
    }

    fn value(effect: Effect) -> Result<CommentView> {
        comment_of(effect)
    }
}

impl Verb for Refer {
    fn comment_id(&self) -> Option<CommentId> {
        Some(self.target.id)
    }

    fn lock_set(&self) -> LockSet {
        let id = Some(self.target.id);
        LockSet { comments: vec![self.target.id], content: id, review: id, database_time: true, ..LockSet::default() }
    }

    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        vec![Cow::Borrowed(self.etag.as_bytes()), id_part(self.target.id)]
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        let comment = target(unit, command, self.target.id)?;
        let (state, review) = (comment.lifecycle.state, unit.review(self.target.id));
        let current = match self.text {
            WaitingText::Present => review_etag(comment, review),
            WaitingText::Proposed => proposal_etag(comment, review),
        };
        if self.etag != current {
            return Err(Error::EtagMismatch { current });
        }
        let review = review.filter(|review| review.waits_for_service(self.text));
        let review = review.ok_or(Error::StateConflict(state))?;
        let policy = MemberId::stored(String::new());
        if review.other_lease(&policy, unit.database_time()?).is_some() {
            return Err(Error::ReviewLeaseLost);
        }
        Ok(())
    }

    fn changes(&self, _: &UnitOfWork, _: &Command) -> Vec<Change> {
        vec![Change::Refer(self.target.id, self.text, self.priority)]
    }
}
