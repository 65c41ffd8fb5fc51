//! The verbs CreateSubject and UpdateSubject.

use super::{Command, Verb, existing, match_etag};
use crate::domain::error::{Error, Result};
use crate::domain::ids::SubjectId;
use crate::domain::member::MemberId;
use crate::domain::subject::{Metadata, Subject, SubjectState};
use crate::domain::time::Millis;
use crate::write::change::Change;
use crate::write::lock_set::LockSet;
use crate::write::unit_of_work::UnitOfWork;

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

/// Changes the parts of a subject that are given; `None` leaves a part unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdateSubject {
    /// The owner; `Some(None)` removes the owner.
    pub owner: Option<Option<MemberId>>,
    /// The state.
    pub state: Option<SubjectState>,
    /// The metadata of the caller, replaced as a whole.
    pub metadata: Option<Metadata>,
    /// The expected etag; an empty one matches any.
    pub etag: String,
}

impl Verb for CreateSubject {
    fn needs(&self) -> LockSet {
        LockSet::default()
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

impl Verb for UpdateSubject {
    fn needs(&self) -> LockSet {
        LockSet::default()
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        match_etag(&self.etag, existing(unit, command)?.etag())
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
        subject.version += 1;
        subject.update_time = command.now;
        vec![Change::ReplaceSubject(subject)]
    }
}
