//! The verb SetSubjectMode: a moderator decides which new comments of a subject wait for review.

use std::borrow::Cow;

use async_trait::async_trait;

use super::update_subject::SubjectModes;
use super::{Command, Request, RequestContext, Verb, existing, subject_of};
use crate::domain::error::Result;
use crate::domain::object_type::ModerationMode;
use crate::domain::subject::{Subject, SubjectKey};
use crate::write::change::Change;
use crate::write::command_output::Effect;
use crate::write::lock_set::LockSet;
use crate::write::unit_of_work::UnitOfWork;

/// Sets the mode of a subject. [`UpdateSubject`](super::UpdateSubject) cannot loosen it afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SetSubjectMode {
    /// The mode; `None` is the mode of the object type.
    pub mode: Option<ModerationMode>,
    /// The policy of the object type, as far as modes of subjects are concerned.
    pub modes: SubjectModes,
}

#[async_trait]
impl Request for SetSubjectMode {
    type At = SubjectKey;
    type Verb = SetSubjectMode;
    type Value = Subject;

    async fn verb(self, _: &SubjectKey, context: RequestContext<'_>) -> Result<SetSubjectMode> {
        Ok(Self { modes: SubjectModes::of(context.policy), ..self })
    }

    fn value(effect: Effect) -> Result<Subject> {
        subject_of(effect)
    }
}

impl Verb for SetSubjectMode {
    fn lock_set(&self) -> LockSet {
        // A later command of the batch may create a comment, which then waits.
        let database_time = self.mode.is_some_and(|mode| mode.new_state().may_be_unpublished());
        LockSet { database_time, ..LockSet::default() }
    }

    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        vec![Cow::Owned(vec![self.mode.map_or(0, |mode| mode.code() as u8)])]
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        existing(unit, command)?;
        self.modes.check(self.mode)
    }

    fn changes(&self, unit: &UnitOfWork, command: &Command) -> Vec<Change> {
        let Some(subject) = unit.subject(&command.subject) else { return Vec::new() };
        vec![Change::ReplaceSubject(Subject {
            moderation: self.mode,
            mode_by_moderator: self.mode.is_some(),
            version: subject.version.saturating_add(1),
            update_time: command.now,
            ..subject.clone()
        })]
    }
}
