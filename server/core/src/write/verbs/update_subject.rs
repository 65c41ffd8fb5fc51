//! The verb UpdateSubject, and the change of a subject's mode.

use std::borrow::Cow;

use async_trait::async_trait;

use super::{Command, Request, RequestContext, Verb, existing, match_etag, subject_of, subject_parts};
use crate::domain::error::{ConflictCause, Error, Result};
use crate::domain::member::MemberId;
use crate::domain::object_type::{ModerationMode, Policy};
use crate::domain::subject::{Metadata, Subject, SubjectKey, SubjectState};
use crate::write::change::Change;
use crate::write::command_output::Effect;
use crate::write::lock_set::LockSet;
use crate::write::unit_of_work::UnitOfWork;

/// Changes some parts of a subject; `None` leaves a part unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UpdateSubject {
    /// The owner; `Some(None)` removes the owner.
    pub owner: Option<Option<MemberId>>,
    /// The state.
    pub state: Option<SubjectState>,
    /// The metadata of the caller, replaced as a whole.
    pub metadata: Option<Metadata>,
    /// The mode of new comments; `Some(None)` is the mode of the object type.
    pub moderation: Option<Option<ModerationMode>>,
    /// The policy of the object type, as far as modes of subjects are concerned.
    pub modes: SubjectModes,
    /// The expected etag; an empty one matches any.
    pub etag: String,
}

/// The modes that a subject of an object type may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SubjectModes {
    /// The mode of the type.
    pub of_type: ModerationMode,
    /// `true` if the comments of members are counted, so that new ones are known.
    pub counts_members: bool,
}

impl SubjectModes {
    /// Returns the modes that a policy allows.
    #[must_use]
    pub fn of(policy: &Policy) -> Self {
        Self { of_type: policy.moderation, counts_members: policy.counts_members() }
    }

    /// Checks that a subject may have a mode.
    pub(super) fn check(self, mode: Option<ModerationMode>) -> Result<()> {
        let is_known = self.counts_members || mode != Some(ModerationMode::PreNewMembers);
        if is_known { Ok(()) } else { Err(Error::StateConflictBecause(ConflictCause::Mode)) }
    }

    /// Checks that a mode is not looser than the one that a moderator set.
    fn check_looser(self, subject: &Subject, mode: Option<ModerationMode>) -> Result<()> {
        let is_looser = self.of_type.under(mode) < self.of_type.under(subject.moderation);
        if subject.mode_by_moderator && is_looser {
            return Err(Error::StateConflictBecause(ConflictCause::Mode));
        }
        Ok(())
    }
}

#[async_trait]
impl Request for UpdateSubject {
    type At = SubjectKey;
    type Verb = UpdateSubject;
    type Value = Subject;

    async fn verb(self, _: &SubjectKey, context: RequestContext<'_>) -> Result<UpdateSubject> {
        Ok(Self { modes: SubjectModes::of(context.policy), ..self })
    }

    fn value(effect: Effect) -> Result<Subject> {
        subject_of(effect)
    }
}

impl Verb for UpdateSubject {
    fn lock_set(&self) -> LockSet {
        // A later command of the batch may create a comment, which then waits: its review needs the
        // time of the database.
        let database_time = self.moderation.flatten().is_some_and(|mode| mode.new_state().may_be_unpublished());
        LockSet { database_time, ..LockSet::default() }
    }

    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        let state = self.state.map_or(0, |s| s.code() as u8);
        let flags = vec![self.owner.is_some() as u8, self.metadata.is_some() as u8, state];
        let owner = self.owner.as_ref().and_then(Option::as_ref);
        let head = [Cow::Owned(flags), Cow::Borrowed(self.etag.as_bytes())];
        // A request without a mode has the fingerprint that it had in versions without modes.
        let moderation = self.moderation.map(|mode| vec![mode.map_or(0, |mode| mode.code() as u8)]);
        let parts = head.into_iter().chain(subject_parts(self.metadata.iter().flatten(), owner));
        parts.chain(moderation.map(Cow::Owned)).collect()
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        let subject = existing(unit, command)?;
        match_etag(&self.etag, subject.etag())?;
        let Some(mode) = self.moderation else { return Ok(()) };
        self.modes.check(mode)?;
        self.modes.check_looser(subject, mode)
    }

    fn changes(&self, unit: &UnitOfWork, command: &Command) -> Vec<Change> {
        let Some(subject) = unit.subject(&command.subject) else { return Vec::new() };
        let mut subject = subject.clone();
        if let Some(owner) = &self.owner {
            subject.owner.clone_from(owner);
        }
        if let Some(state) = self.state {
            subject.state = state;
        }
        if let Some(metadata) = &self.metadata {
            subject.metadata.clone_from(metadata);
        }
        if let Some(moderation) = self.moderation {
            subject.moderation = moderation;
            subject.mode_by_moderator &= moderation.is_some();
        }
        subject.version = subject.version.saturating_add(1);
        subject.update_time = command.now;
        vec![Change::ReplaceSubject(subject)]
    }
}
