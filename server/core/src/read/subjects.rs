//! Subjects by their keys, and the listing of all subjects.

use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::SubjectId;
use crate::domain::object_type::{ObjectType, Policy};
use crate::domain::page::SubjectCursor;
use crate::domain::subject::{Subject, SubjectKey, SubjectState};
use crate::domain::time::Millis;
use crate::read::Comments;

impl Comments {
    /// Returns a subject whose lists may be shown. A subject of a type with auto_create is at
    /// version 0 before its first comment.
    ///
    /// # Errors
    /// Those of [`Comments::policy`]; [`Error::SubjectNotFound`], also for a deleted subject;
    /// [`Error::SubjectHidden`].
    pub(super) async fn listable_subject(&self, caller: &Caller, key: &SubjectKey) -> Result<Subject> {
        let subject = existing(key, self.subjects(caller, std::slice::from_ref(key), 0).await?.pop().flatten())?;
        check_listable(&subject, 0)?;
        Ok(subject)
    }

    /// Returns a subject that can be watched: its lists may be shown. One that only auto_create
    /// implies is at version and revision 0.
    ///
    /// # Errors
    /// Those of [`Comments::policy`]; [`Error::SubjectNotFound`], also for a deleted subject;
    /// [`Error::SubjectHidden`].
    pub async fn watchable(&self, caller: &Caller, key: &SubjectKey) -> Result<Subject> {
        self.listable_subject(caller, key).await
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
        let primary = found.iter().find_map(|subject| self.primary_if_behind(min_revision, subject.as_ref()));
        if let Some(primary) = primary {
            found = primary.subjects(keys).await?;
        }
        let found = found.into_iter().zip(keys).zip(policies);
        let subjects: Vec<_> =
            found.map(|((subject, key), policy)| subject.or_else(|| implied_subject(key, policy))).collect();
        for subject in &subjects {
            check_revision(min_revision, subject.as_ref().map_or(0, |s| s.revision))?;
        }
        Ok(subjects)
    }

    /// Checks that data of the comments of this subject, such as likes and revisions, may be
    /// listed.
    pub(super) async fn check_subject_listable(&self, key: &SubjectKey) -> Result<()> {
        let subject = self.reader.subjects(std::slice::from_ref(key)).await?.pop().flatten();
        check_listable(&subject.ok_or(Error::CommentNotFound)?, 0)
    }

    /// Checks that the caller may list the subjects of a type, or of all types if none is named.
    ///
    /// # Errors
    /// [`Error::ObjectTypeUnknown`], [`Error::CallerNotAllowed`].
    pub fn check_may_list(&self, caller: &Caller, object_type: Option<&ObjectType>) -> Result<()> {
        match object_type {
            Some(object_type) => self.policy(caller, object_type).map(drop),
            None if caller.may_use_all() => Ok(()),
            None => Err(Error::CallerNotAllowed),
        }
    }

    /// Returns the subjects of a type, or of all types if none is named. A full listing contains
    /// each of them once, in no guaranteed order.
    ///
    /// # Errors
    /// [`Error::ObjectTypeUnknown`], [`Error::CallerNotAllowed`].
    pub async fn list_subjects(
        &self,
        caller: &Caller,
        object_type: Option<&ObjectType>,
        after: SubjectCursor,
        limit: usize,
    ) -> Result<(Vec<Subject>, Option<SubjectCursor>)> {
        self.check_may_list(caller, object_type)?;
        self.reader.list_subjects(object_type, after, limit).await
    }

    /// Returns the ids and keys of the subjects that [`Comments::list_subjects`] returns, also of
    /// those with an unreadable row.
    ///
    /// # Errors
    /// [`Error::ObjectTypeUnknown`], [`Error::CallerNotAllowed`].
    pub async fn subject_keys(
        &self,
        caller: &Caller,
        object_type: Option<&ObjectType>,
        after: SubjectCursor,
        limit: usize,
    ) -> Result<(Vec<(SubjectId, SubjectKey)>, Option<SubjectCursor>)> {
        self.check_may_list(caller, object_type)?;
        self.reader.subject_keys(object_type, after, limit).await
    }
}

/// Returns the subject that a type with auto_create shows before its first comment.
pub(super) fn implied_subject(key: &SubjectKey, policy: &Policy) -> Option<Subject> {
    let zero = Millis(0);
    let id = SubjectId::new(i64::MAX)?;
    policy.auto_create.then(|| Subject { version: 0, ..Subject::new(id, key.clone(), zero) })
}

/// Returns a subject that was read and is not deleted.
///
/// # Errors
/// [`Error::SubjectNotCreated`], [`Error::SubjectNotFound`].
pub(super) fn existing(key: &SubjectKey, found: Option<Subject>) -> Result<Subject> {
    let subject = found.ok_or_else(|| key.not_created())?;
    if subject.delete_time.is_some() { Err(Error::SubjectNotFound) } else { Ok(subject) }
}

/// Checks that a result is at least at the revision that the caller has seen.
pub(super) fn check_revision(min: i64, current: i64) -> Result<()> {
    if current >= min { Ok(()) } else { Err(Error::RevisionNotReached { current }) }
}

/// Checks that lists of this subject may be shown, at this revision.
pub(super) fn check_listable(subject: &Subject, min_revision: i64) -> Result<()> {
    match subject.state {
        SubjectState::Hidden => Err(Error::SubjectHidden),
        SubjectState::Active | SubjectState::ReadOnly => check_revision(min_revision, subject.revision),
    }
}
