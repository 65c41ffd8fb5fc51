//! The verbs DeleteSubject and UndeleteSubject. The deletion is soft: no row
//! below the subject changes.

use std::borrow::Cow;

use async_trait::async_trait;

use super::{Command, Request, RequestContext, Verb, existing, match_etag, subject_of};
use crate::domain::error::{Error, Result};
use crate::domain::subject::{Subject, SubjectKey};
use crate::domain::time::Millis;
use crate::write::change::Change;
use crate::write::command_output::Effect;
use crate::write::lock_set::LockSet;
use crate::write::unit_of_work::UnitOfWork;

/// Deletes a subject. The subject and everything below it are no longer found, but no row is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeleteSubject {
    /// The expected etag; an empty one matches any.
    pub etag: String,
}

/// Restores a deleted subject unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndeleteSubject;

#[async_trait]
impl Request for DeleteSubject {
    type At = SubjectKey;
    type Verb = DeleteSubject;
    type Value = Subject;

    async fn verb(self, _: &SubjectKey, _: RequestContext<'_>) -> Result<DeleteSubject> {
        Ok(self)
    }

    fn value(effect: Effect) -> Result<Subject> {
        subject_of(effect)
    }
}

#[async_trait]
impl Request for UndeleteSubject {
    type At = SubjectKey;
    type Verb = UndeleteSubject;
    type Value = Subject;

    async fn verb(self, _: &SubjectKey, _: RequestContext<'_>) -> Result<UndeleteSubject> {
        Ok(self)
    }

    fn value(effect: Effect) -> Result<Subject> {
        subject_of(effect)
    }
}

/// Returns the change that sets or clears the time of deletion.
fn deletion_change(unit: &UnitOfWork, command: &Command, delete_time: Option<Millis>) -> Vec<Change> {
    let Some(subject) = unit.subject(&command.subject) else { return Vec::new() };
    let mut subject = subject.clone();
    subject.delete_time = delete_time;
    subject.version = subject.version.saturating_add(1);
    subject.update_time = command.now;
    vec![Change::ReplaceSubject(subject)]
}

impl Verb for DeleteSubject {
    fn lock_set(&self) -> LockSet {
        LockSet::default()
    }

    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        vec![self.etag.as_bytes().into()]
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        match_etag(&self.etag, existing(unit, command)?.etag())
    }

    fn changes(&self, unit: &UnitOfWork, command: &Command) -> Vec<Change> {
        deletion_change(unit, command, Some(command.now))
    }
}

impl Verb for UndeleteSubject {
    fn lock_set(&self) -> LockSet {
        LockSet::default()
    }

    fn body(&self) -> Vec<Cow<'_, [u8]>> {
        vec![Cow::Borrowed(&[])]
    }

    fn check(&self, unit: &UnitOfWork, command: &Command) -> Result<()> {
        let subject = unit.subject(&command.subject).ok_or(Error::SubjectNotFound)?;
        if subject.delete_time.is_some() { Ok(()) } else { Err(Error::SubjectAlreadyExists) }
    }

    fn changes(&self, unit: &UnitOfWork, command: &Command) -> Vec<Change> {
        deletion_change(unit, command, None)
    }
}
