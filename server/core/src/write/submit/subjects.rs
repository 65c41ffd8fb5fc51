//! The verbs of subjects: create, change, delete, restore.

use crate::domain::error::Result;
use crate::domain::member::MemberId;
use crate::domain::subject::{Metadata, Subject, SubjectKey, SubjectState};
use crate::write::submit::{CommandDraft, Mutations, WriteContext, WriteOutput};
use crate::write::verbs::{CommandKind, CreateSubject, DeleteSubject, UndeleteSubject, UpdateSubject};

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

impl Mutations {
    /// Creates a subject.
    ///
    /// # Errors
    /// `Error::SubjectAlreadyExists`, also for a deleted one.
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
    /// `Error::SubjectNotFound`, `Error::EtagMismatch`.
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
    /// `Error::SubjectNotFound`, also for a deleted one; `Error::EtagMismatch`.
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
    /// `Error::SubjectNotFound`; `Error::SubjectAlreadyExists` if it is not deleted.
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
}

fn metadata_parts<'a>(metadata: &'a Metadata, owner: Option<&'a MemberId>) -> Vec<&'a [u8]> {
    let owner = owner.map_or("", MemberId::as_str);
    [owner].into_iter().chain(metadata.iter().flat_map(|(k, v)| [k.as_str(), v.as_str()])).map(str::as_bytes).collect()
}
