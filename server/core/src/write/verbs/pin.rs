//! The verbs Pin and Unpin: the subject's owner or a moderator pins at most three roots.

use std::borrow::Cow;

use async_trait::async_trait;

use super::{Command, CommandKind, Request, RequestContext, Verb, comment_of, id_part, target, undeleted, writable};
use crate::domain::comment::CommentView;
use crate::domain::error::{Error, Result};
use crate::domain::ids::CommentId;
use crate::domain::location::CommentLocation;
use crate::domain::member::MemberId;
use crate::domain::standing::GatedAct;
use crate::domain::state::CommentState;
use crate::domain::subject::MAX_PINS;
use crate::write::change::Change;
use crate::write::command_output::Effect;
use crate::write::lock_set::LockSet;
use crate::write::unit_of_work::UnitOfWork;

/// A request to pin or to unpin a root.
#[derive(Debug, Clone)]
pub struct PinComment {
    /// The member that pins or unpins the comment; empty for a moderator.
    pub member: MemberId,
    /// True to pin, false to unpin.
    pub pinned: bool,
}

#[async_trait]
impl Request for PinComment {
    type At = CommentLocation;
    type Verb = CommandKind;
    type Value = CommentView;

    async fn verb(self, at: &CommentLocation, _: RequestContext<'_>) -> Result<CommandKind> {
        let Self { member, pinned } = self;
        let target = at.clone();
        Ok(if pinned { Pin { target, member }.into() } else { Unpin { target, member }.into() })
    }

    fn value(effect: Effect) -> Result<CommentView> {
        comment_of(effect)
    }
}

/// Pins a visible root. A pinned root keeps its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pin {
    /// The comment.
    pub target: CommentLocation,
    /// The member that pins the comment; empty for a moderator.
    pub member: MemberId,
}

/// Unpins a root. A root that is not pinned stays unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpin {
    /// The comment.
    pub target: CommentLocation,
    /// The member that unpins the comment; empty for a moderator.
    pub member: MemberId,
}

fn lock_set(target: &CommentLocation) -> LockSet {
    LockSet { comments: vec![target.id], content: Some(target.id), ..LockSet::default() }
}

/// Returns the parts of a fingerprint.
fn pin_body(location: &CommentLocation, member: &MemberId) -> Vec<Cow<'static, [u8]>> {
    let by_moderator = is_moderator(member).then_some(Cow::Borrowed(&b"moderator"[..]));
    [id_part(location.id)].into_iter().chain(by_moderator).collect()
}

fn gated_act(member: &MemberId) -> GatedAct {
    if is_moderator(member) { GatedAct::Open } else { GatedAct::Other }
}

fn is_moderator(member: &MemberId) -> bool {
    member.as_str().is_empty()
}

/// Checks that the owner of the subject or a moderator may pin or unpin the comment, and returns
/// the state that they see: a moderator sees the true one, and may act in any state of the subject.
fn check_actor(
    unit: &UnitOfWork,
    command: &Command,
    location: &CommentLocation,
    member: &MemberId,
) -> Result<CommentState> {
    let (comment, state) = if is_moderator(member) {
        let comment = target(unit, command, location.id)?;
        (comment, comment.lifecycle.state)
    } else {
        undeleted(unit, command, location.id, member)?
    };
    if state == CommentState::Deleted {
        return Err(Error::CommentNotFound);
    }
    if !is_moderator(member) {
        let is_owner = unit.subject(&command.subject).is_some_and(|s| s.is_owned_by(member));
        if !is_owner {
            return Err(Error::MemberNotAllowed);
        }
        writable(unit, command)?;
    }
    if comment.is_root() { Ok(state) } else { Err(Error::invalid("id", "only a root comment can be pinned")) }
}

impl Verb for Pin {
    fn comment_id(&self) -> Option<CommentId> {
        Some(self.target.id)
    }

    fn gated_act(&self) -> GatedAct {
        gated_act(&self.member)
    }

    fn lock_set(&self) -> LockSet {
        lock_set(&self.target)
    }

    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        pin_body(&self.target, &self.member)
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        let state = check_actor(unit, command, &self.target, &self.member)?;
        if !state.is_visible() {
            return Err(Error::StateConflict(state));
        }
        let is_full = unit
            .subject(&command.subject)
            .is_some_and(|s| s.pins.len() >= MAX_PINS && !s.pins.contains(&self.target.id));
        if is_full { Err(Error::PinLimitReached) } else { Ok(()) }
    }

    fn changes(&self, unit: &UnitOfWork, command: &Command) -> Vec<Change> {
        let Some(subject) = unit.subject(&command.subject).filter(|s| !s.pins.contains(&self.target.id)) else {
            return Vec::new();
        };
        let mut subject = subject.clone();
        subject.pins.push(self.target.id);
        vec![Change::ReplaceSubject(subject)]
    }
}

impl Verb for Unpin {
    fn comment_id(&self) -> Option<CommentId> {
        Some(self.target.id)
    }

    fn gated_act(&self) -> GatedAct {
        gated_act(&self.member)
    }

    fn lock_set(&self) -> LockSet {
        lock_set(&self.target)
    }

    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        pin_body(&self.target, &self.member)
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        check_actor(unit, command, &self.target, &self.member).map(drop)
    }

    fn changes(&self, unit: &UnitOfWork, command: &Command) -> Vec<Change> {
        unpin_change(unit, command, self.target.id).into_iter().collect()
    }
}

/// Returns the change that removes the pin of a comment; `None` if it is not pinned.
pub(super) fn unpin_change(unit: &UnitOfWork, command: &Command, id: CommentId) -> Option<Change> {
    let subject = unit.subject(&command.subject).filter(|s| s.pins.contains(&id))?;
    let mut subject = subject.clone();
    subject.pins.retain(|pin| *pin != id);
    Some(Change::ReplaceSubject(subject))
}
