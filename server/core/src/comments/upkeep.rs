//! Maintenance of counts and event consumers: verify, repair, rebuild.

use crate::caller::Caller;
use crate::comments::{Comments, allowed};
use crate::error::{Error, Result};
use crate::ids::CommentId;
use crate::page::CountReport;
use crate::ports::{RebuildProgress, RepairReport};
use crate::subject::SubjectKey;

impl Comments {
    /// Compares every count of a subject with the rows it counts.
    ///
    /// # Errors
    /// [`Error::SubjectNotFound`].
    pub async fn verify(&self, caller: &Caller, key: &SubjectKey) -> Result<CountReport> {
        self.stands(caller, key).await?;
        self.reader.verify(key).await
    }

    /// Sets every count of a subject to the value that its rows give. If all agree, nothing
    /// changes.
    ///
    /// # Errors
    /// [`Error::SubjectNotFound`].
    pub async fn repair(&self, caller: &Caller, key: &SubjectKey) -> Result<RepairReport> {
        allowed(caller, key.object_type())?;
        self.repairer.repair(key, self.clock.now()).await?.ok_or(Error::SubjectNotFound)
    }

    /// Updates the member histories with the next comments of a subject, at most `limit`, after
    /// `after`.
    ///
    /// # Errors
    /// [`Error::SubjectNotFound`].
    pub async fn rebuild_history(
        &self,
        caller: &Caller,
        key: &SubjectKey,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<RebuildProgress> {
        self.stands(caller, key).await?;
        self.histories.rebuild(key, after, limit).await
    }

    /// Updates the rank indexes with the next comments of a subject, at most `limit`, after
    /// `after`.
    ///
    /// # Errors
    /// [`Error::SubjectNotFound`].
    pub async fn rebuild_boards(
        &self,
        caller: &Caller,
        key: &SubjectKey,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<RebuildProgress> {
        self.stands(caller, key).await?;
        self.boards.rebuild(key, after, limit).await
    }

    /// Checks that the subject exists, deleted or not, and that the caller may know it.
    async fn stands(&self, caller: &Caller, key: &SubjectKey) -> Result<()> {
        allowed(caller, key.object_type())?;
        let subject = self.reader.subjects(std::slice::from_ref(key)).await?.pop().flatten();
        subject.map(drop).ok_or(Error::SubjectNotFound)
    }
}
