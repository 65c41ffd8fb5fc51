//! Maintenance of counts and of derived rows: repair and rebuild.

use std::sync::Arc;

use crate::domain::caller::Caller;
use crate::domain::error::{Error, Result};
use crate::domain::ids::CommentId;
use crate::domain::subject::SubjectKey;
use crate::ports::{Clock, CountRepair, MemberHistories, RankIndexes, Reader, RebuildProgress, RepairReport};

/// The maintenance of a platform, over its ports.
#[derive(Debug, Clone)]
pub struct Maintenance {
    /// Reads.
    pub reader: Arc<dyn Reader>,
    /// The current time.
    pub clock: Arc<dyn Clock>,
    /// The member histories, for rebuilds.
    pub histories: Arc<dyn MemberHistories>,
    /// The rank indexes, for rebuilds.
    pub rank_indexes: Arc<dyn RankIndexes>,
    /// The repair of counts.
    pub repairer: Arc<dyn CountRepair>,
}

impl Maintenance {
    /// Sets every count of a subject to the value computed from its rows. If all agree, nothing
    /// changes.
    ///
    /// # Errors
    /// [`Error::SubjectNotFound`].
    pub async fn repair(&self, caller: &Caller, key: &SubjectKey) -> Result<RepairReport> {
        caller.check_type(key.object_type())?;
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
        self.check_exists(caller, key).await?;
        self.histories.rebuild(key, after, limit).await
    }

    /// Updates the rank indexes with the next comments of a subject, at most `limit`, after
    /// `after`.
    ///
    /// # Errors
    /// [`Error::SubjectNotFound`].
    pub async fn rebuild_ranks(
        &self,
        caller: &Caller,
        key: &SubjectKey,
        after: Option<CommentId>,
        limit: usize,
    ) -> Result<RebuildProgress> {
        self.check_exists(caller, key).await?;
        self.rank_indexes.rebuild(key, after, limit).await
    }

    /// Checks that the subject exists, deleted or not, and that the caller may know it.
    async fn check_exists(&self, caller: &Caller, key: &SubjectKey) -> Result<()> {
        caller.check_type(key.object_type())?;
        let subject = self.reader.subjects(std::slice::from_ref(key)).await?.pop().flatten();
        subject.map(drop).ok_or(Error::SubjectNotFound)
    }
}
