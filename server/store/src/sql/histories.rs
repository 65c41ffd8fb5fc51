//! The member histories, derived from the comments and stored in the partitions of their authors.

mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::event::{ChangeKind, SequencedEvent};
use riposte_core::ports::{MemberHistories, RebuildProgress};
use riposte_core::{CommentId, Partition, Result, SubjectKey};

use super::pool::DataSources;
use super::read::SqlReader;
use super::row::HistoryEntry;
use super::transact::{self, TransactionBody};

/// The highest number of history rows that one transaction locks.
const ROWS_PER_TRANSACTION: usize = 2_048;

/// The [`MemberHistories`] over SQL.
#[derive(Debug)]
pub(crate) struct SqlHistories {
    sources: Arc<DataSources>,
    reader: Arc<SqlReader>,
}

impl SqlHistories {
    /// Creates the histories in `sources`, whose comments come from `reader`.
    pub(crate) fn new(sources: Arc<DataSources>, reader: Arc<SqlReader>) -> Self {
        Self { sources, reader }
    }

    /// Writes the missing history entries, one transaction after the other, and returns the number
    /// of rows written.
    async fn write_entries<U>(&self, found: Vec<HistoryEntry>) -> Result<usize>
    where
        U: TransactionBody<Output = usize> + From<Vec<HistoryEntry>>,
    {
        let mut transactions: BTreeMap<(usize, Option<Partition>), Vec<HistoryEntry>> = BTreeMap::new();
        for entry in found {
            let partition = entry.partition();
            let confined = self.sources.is_confined().then_some(partition);
            transactions.entry((self.sources.map().source(partition), confined)).or_default().push(entry);
        }
        let mut changed = 0;
        for ((source, _), mut rows) in transactions {
            while !rows.is_empty() {
                let rest = rows.split_off(rows.len().min(ROWS_PER_TRANSACTION));
                changed += transact::write(&self.sources, source, U::from(std::mem::replace(&mut rows, rest))).await?;
            }
        }
        Ok(changed)
    }
}

#[async_trait]
impl MemberHistories for SqlHistories {
    async fn apply(&self, _source: usize, events: &[SequencedEvent]) -> Result<()> {
        let changes = || events.iter().flat_map(|sequenced| &sequenced.event.changes.comments);
        let changed: BTreeSet<CommentId> =
            changes().filter(|change| updates_row(change.kind)).map(|change| change.id).collect();
        let created = changes().filter(|change| change.kind == ChangeKind::Created).map(|change| change.id);
        let created: BTreeSet<CommentId> = created.filter(|id| !changed.contains(id)).collect();
        let found = self.reader.authored(created.into_iter().collect()).await?;
        self.write_entries::<write::AddEntries>(found).await?;
        let found = self.reader.authored(changed.into_iter().collect()).await?;
        self.write_entries::<write::ReplaceEntries>(found).await.map(|_| ())
    }

    async fn rebuild(&self, key: &SubjectKey, after: Option<CommentId>, limit: usize) -> Result<RebuildProgress> {
        let found = self.reader.comments_under(key, after, limit).await?;
        let (comments, last) = (found.len(), found.last().map(|comment| comment.reference.id));
        let authored = found.into_iter().map(|comment| HistoryEntry::of(key.object_type().clone(), comment));
        let changed = self.write_entries::<write::ReplaceEntries>(authored.collect()).await?;
        Ok(RebuildProgress { comments, changed, next: last.filter(|_| comments == limit) })
    }
}

/// Returns whether such a change updates the existing history row of its comment: the state, or the
/// version that protects the row from older writes.
fn updates_row(what: ChangeKind) -> bool {
    match what {
        ChangeKind::Edited | ChangeKind::StateChanged => true,
        ChangeKind::Created
        | ChangeKind::PinChanged
        | ChangeKind::Recounted
        | ChangeKind::Liked
        | ChangeKind::Noted => false,
    }
}
