//! The verb CreateSubject.

use std::borrow::Cow;

use async_trait::async_trait;

use super::{Command, Request, RequestContext, Verb, subject_of, subject_parts};
use crate::domain::error::{Error, Result};
use crate::domain::ids::SubjectId;
use crate::domain::member::MemberId;
use crate::domain::subject::{Metadata, Subject, SubjectKey, SubjectState};
use crate::domain::time::Millis;
use crate::write::change::Change;
use crate::write::command_output::Effect;
use crate::write::lock_set::LockSet;
use crate::write::unit_of_work::UnitOfWork;

/// A request to create a subject.
#[derive(Debug, Clone)]
pub struct NewSubject {
    /// The member that may pin and delete comments under it.
    pub owner: Option<MemberId>,
    /// The metadata of the caller.
    pub metadata: Metadata,
}

/// Creates a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateSubject {
    /// Its internal id.
    pub id: SubjectId,
    /// The member that may pin and delete comments under it.
    pub owner: Option<MemberId>,
    /// The state, which decides the calls that the subject accepts.
    pub state: SubjectState,
    /// The metadata of the caller.
    pub metadata: Metadata,
    /// The time of creation; earlier than now for an imported subject.
    pub create_time: Millis,
}

/// A request to import a subject, with its owner and state.
#[derive(Debug, Clone)]
pub struct ImportedSubject {
    /// Its owner.
    pub owner: Option<MemberId>,
    /// Its state.
    pub state: SubjectState,
    /// The metadata of the caller.
    pub metadata: Metadata,
    /// The time of creation; `None` for the present time.
    pub create_time: Option<Millis>,
}

impl ImportedSubject {
    /// Returns the verb of the command.
    pub(crate) fn verb(&self, id: SubjectId, now: Millis) -> CreateSubject {
        let Self { owner, state, metadata, create_time } = self.clone();
        CreateSubject { id, owner, state, metadata, create_time: create_time.unwrap_or(now) }
    }
}

#[async_trait]
impl Request for NewSubject {
    type At = SubjectKey;
    type Verb = CreateSubject;
    type Value = Subject;

    async fn verb(self, at: &SubjectKey, context: RequestContext<'_>) -> Result<CreateSubject> {
        let Self { owner, metadata } = self;
        let id = context.ids.subject(at.partition()).await?;
        let create_time = context.now;
        Ok(CreateSubject { id, owner, state: SubjectState::Active, metadata, create_time })
    }

    fn value(effect: Effect) -> Result<Subject> {
        subject_of(effect)
    }
}

impl Verb for CreateSubject {
    fn lock_set(&self) -> LockSet {
        LockSet::default()
    }

    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        subject_parts(&self.metadata, self.owner.as_ref()).collect()
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        if unit.subject(&command.subject).is_some() { Err(Error::SubjectAlreadyExists) } else { Ok(()) }
    }

    fn changes(&self, _: &UnitOfWork, command: &Command) -> Vec<Change> {
        let mut subject = Subject::new(self.id, command.subject.clone(), command.now);
        subject.owner.clone_from(&self.owner);
        subject.state = self.state;
        subject.metadata.clone_from(&self.metadata);
        subject.create_time = self.create_time;
        vec![Change::CreateSubject(subject)]
    }
}
