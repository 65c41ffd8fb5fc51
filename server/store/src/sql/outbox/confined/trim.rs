//! The deletion of old events, one partition at a time.

use riposte_core::Partition;
use riposte_core::ports::{TrimBounds, TrimReport};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use crate::error::StoreError;
use crate::shard::part;
use crate::sql::entity::{outbox_commit, outbox_revision};
use crate::sql::outbox::{positions, trim};
use crate::sql::pool::SourceTx;
use crate::sql::transact::TransactionBody;

/// Finds the commits that are old enough, and what their deletion reports.
#[derive(Debug)]
pub(super) struct FindExpired {
    pub(super) bounds: TrimBounds,
    pub(super) limit: usize,
    pub(super) position: i64,
}

impl TransactionBody for FindExpired {
    type Output = (Vec<i64>, TrimReport);
    const NAME: &'static str = "find old commits";
    const READS_PARTITIONS: bool = true;

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        // All positions count, also those of consumers that this version does not know.
        let stored = positions::read_all(&tx.unrouted()).await?;
        let expired = trim::expired_commits(tx, (self.bounds, self.limit), self.position, &stored).await?;
        Ok((expired.iter().map(|(id, _)| *id).collect(), trim::report(&expired, stored)))
    }
}

/// Deletes commits of one partition.
#[derive(Debug)]
pub(super) struct DeleteCommits {
    pub(super) partition: Partition,
    pub(super) ids: Vec<i64>,
}

impl TransactionBody for DeleteCommits {
    type Output = ();
    const NAME: &'static str = "trim outbox";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        let (part, ids) = (part(self.partition), || self.ids.iter().copied());
        let revisions = outbox_revision::Entity::delete_many().filter(outbox_revision::Column::Part.eq(part));
        revisions.filter(outbox_revision::Column::CommitId.is_in(ids())).exec(&tx.unrouted()).await?;
        let commits = outbox_commit::Entity::delete_many().filter(outbox_commit::Column::Part.eq(part));
        commits.filter(outbox_commit::Column::Id.is_in(ids())).exec(&tx.unrouted()).await?;
        Ok(())
    }
}
