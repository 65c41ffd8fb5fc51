//! CreateSubject and UpdateSubject.

use super::{Command, LockSet, Verb, existing, match_etag};
use crate::change::Change;
use crate::error::{Error, Result};
use crate::ids::SubjectId;
use crate::member::MemberId;
use crate::subject::{Metadata, Subject, SubjectState};
use crate::time::Millis;
use crate::unit_of_work::UnitOfWork;

/// Brings a subject into being.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateSubject {
    /// Its internal id.
    pub id: SubjectId,
    /// Who may pin and delete under it.
    pub owner: Option<MemberId>,
    /// What it allows.
    pub state: SubjectState,
    /// The caller's own fields.
    pub metadata: Metadata,
    /// When it came into being; earlier than now for an imported one.
    pub create_time: Millis,
}

/// Changes the named parts of a subject; `None` leaves a part as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpdateSubject {
    /// The owner; `Some(None)` takes the owner away.
    pub owner: Option<Option<MemberId>>,
    /// The state.
    pub state: Option<SubjectState>,
    /// The caller's own fields, as a whole.
    pub metadata: Option<Metadata>,
    /// The etag that was seen; empty = whichever.
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
