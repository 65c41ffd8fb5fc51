//! Subjects: create, read, change, delete, restore.

use crate::caller::Caller;
use crate::comments::Comments;
use crate::comments::lists::shown;
use crate::comments::submit::{CommandDraft, WriteContext, WriteOutput};
use crate::error::{Error, Result};
use crate::member::MemberId;
use crate::object_type::Policy;
use crate::subject::{Metadata, Subject, SubjectKey, SubjectState};
use crate::verbs::{CommandKind, CreateSubject, DeleteSubject, UndeleteSubject, UpdateSubject};

/// A request to create a subject.
#[derive(Debug, Clone)]
pub struct NewSubject {
    /// Its key.
    pub key: SubjectKey,
    /// The member that may pin and delete comments under it.
    pub owner: Option<MemberId>,
    /// The metadata of the caller.
    pub metadata: Metadata,
}

/// The parts of a subject to change; `None` leaves a part unchanged.
#[derive(Debug, Clone, Default)]
pub struct SubjectPatch {
    /// The owner; `Some(None)` removes the owner.
    pub owner: Option<Option<MemberId>>,
    /// The state.
    pub state: Option<SubjectState>,
    /// The metadata of the caller, replaced as a whole.
    pub metadata: Option<Metadata>,
    /// The expected etag; an empty one matches any.
    pub etag: String,
}

impl Comments {
    /// Creates a subject.
    ///
    /// # Errors
    /// [`Error::SubjectAlreadyExists`], also for a deleted one.
    pub async fn create_subject(&self, asked: &WriteContext, new: NewSubject) -> Result<WriteOutput<Subject>> {
        self.policy(&asked.caller, new.key.object_type())?;
        let NewSubject { key, owner, metadata } = new;
        let body = metadata_parts(&metadata, owner.as_ref());
        let create = CreateSubject {
            id: self.ids.subject(key.partition()).await?,
            owner: owner.clone(),
            state: SubjectState::Active,
            metadata: metadata.clone(),
            create_time: self.clock.now(),
        };
        let draft = CommandDraft { subject: key, verb: create.into(), body };
        WriteOutput::<Subject>::subject(self.submit(asked, draft).await?)
    }

    /// Changes parts of a subject.
    ///
    /// # Errors
    /// [`Error::SubjectNotFound`], [`Error::EtagMismatch`].
    pub async fn update_subject(
        &self,
        asked: &WriteContext,
        key: SubjectKey,
        patch: SubjectPatch,
    ) -> Result<WriteOutput<Subject>> {
        self.policy(&asked.caller, key.object_type())?;
        let SubjectPatch { owner, state, metadata, etag } = patch;
        let named = [owner.is_some() as u8, metadata.is_some() as u8, state.map_or(0, |s| s.code() as u8)];
        let (owner_then, metadata_then) = (owner.clone().flatten(), metadata.clone().unwrap_or_default());
        let mut body = vec![&named[..], etag.as_bytes()];
        body.extend(metadata_parts(&metadata_then, owner_then.as_ref()));
        let verb = UpdateSubject { owner, state, metadata, etag: etag.clone() }.into();
        WriteOutput::<Subject>::subject(self.submit(asked, CommandDraft { subject: key, verb, body }).await?)
    }

    /// Deletes a subject. The deletion is soft: everything below the subject is kept.
    ///
    /// # Errors
    /// [`Error::SubjectNotFound`], also for a deleted one; [`Error::EtagMismatch`].
    pub async fn delete_subject(
        &self,
        asked: &WriteContext,
        key: SubjectKey,
        etag: String,
    ) -> Result<WriteOutput<Subject>> {
        let verb = DeleteSubject { etag: etag.clone() };
        self.subject_verb(asked, key, verb.into(), etag.as_bytes()).await
    }

    /// Restores a deleted subject.
    ///
    /// # Errors
    /// [`Error::SubjectNotFound`]; [`Error::SubjectAlreadyExists`] if it is not deleted.
    pub async fn undelete_subject(&self, asked: &WriteContext, key: SubjectKey) -> Result<WriteOutput<Subject>> {
        self.subject_verb(asked, key, UndeleteSubject.into(), b"").await
    }

    async fn subject_verb(
        &self,
        asked: &WriteContext,
        key: SubjectKey,
        verb: CommandKind,
        body: &[u8],
    ) -> Result<WriteOutput<Subject>> {
        self.policy(&asked.caller, key.object_type())?;
        let draft = CommandDraft { subject: key, verb, body: vec![body] };
        WriteOutput::<Subject>::subject(self.submit(asked, draft).await?)
    }

    /// Returns a subject whose lists may be shown. A subject of a type with auto_create is at
    /// version 0 before its first comment.
    ///
    /// # Errors
    /// [`Error::SubjectNotFound`], also for a deleted one; [`Error::SubjectHidden`].
    pub(super) async fn open_subject(&self, caller: &Caller, key: &SubjectKey) -> Result<Subject> {
        let found = self.subjects(caller, std::slice::from_ref(key), 0).await?.pop().flatten();
        let subject = found.filter(|subject| subject.delete_time.is_none()).ok_or(Error::SubjectNotFound)?;
        shown(&subject, 0)?;
        Ok(subject)
    }

    /// Returns a subject that can be watched: it exists, and its lists may be shown.
    ///
    /// # Errors
    /// [`Error::SubjectNotFound`], also for a deleted one, and for one that only auto_create
    /// implies; [`Error::SubjectHidden`].
    pub async fn watchable(&self, caller: &Caller, key: &SubjectKey) -> Result<Subject> {
        let subject = self.open_subject(caller, key).await?;
        if subject.version > 0 { Ok(subject) } else { Err(Error::SubjectNotFound) }
    }

    /// Returns subjects in the order of `keys`. A deleted one is returned with its `delete_time`;
    /// an absent one of a type with auto_create reads as empty, at revision 0.
    ///
    /// # Errors
    /// The error of the first key whose type the caller may not use; [`Error::RevisionNotReached`].
    pub async fn subjects(
        &self,
        caller: &Caller,
        keys: &[SubjectKey],
        min_revision: i64,
    ) -> Result<Vec<Option<Subject>>> {
        let policies = keys.iter().map(|k| self.policy(caller, k.object_type())).collect::<Result<Vec<_>>>()?;
        let mut found = self.reader.subjects(keys).await?;
        let behind = found.iter().find_map(|subject| self.behind(min_revision, subject.as_ref()));
        if let Some(origin) = behind {
            found = origin.subjects(keys).await?;
        }
        let answers = found.into_iter().zip(keys).zip(policies);
        let answers: Vec<_> =
            answers.map(|((subject, key), policy)| subject.or_else(|| implied(key, policy))).collect();
        for subject in &answers {
            reached(min_revision, subject.as_ref().map_or(0, |s| s.revision))?;
        }
        Ok(answers)
    }
}

/// Returns the subject that a type with auto_create shows before its first comment.
pub(super) fn implied(key: &SubjectKey, policy: &Policy) -> Option<Subject> {
    let zero = crate::Millis(0);
    let id = crate::SubjectId::new(i64::MAX)?;
    policy.auto_create.then(|| Subject { version: 0, ..Subject::new(id, key.clone(), zero) })
}

/// Refuses a revision that is older than the caller has seen.
pub(super) fn reached(min: i64, current: i64) -> Result<()> {
    if current >= min { Ok(()) } else { Err(Error::RevisionNotReached { current }) }
}

fn metadata_parts<'a>(metadata: &'a Metadata, owner: Option<&'a MemberId>) -> Vec<&'a [u8]> {
    let owner = owner.map_or("", MemberId::as_str);
    [owner].into_iter().chain(metadata.iter().flat_map(|(k, v)| [k.as_str(), v.as_str()])).map(str::as_bytes).collect()
}
