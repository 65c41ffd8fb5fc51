//! The member histories, derived from the comments and stored in the partitions of their authors.

mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::event::{ChangeKind, SequencedEvent};
use riposte_core::ports::{MemberHistories, RebuildProgress};
use riposte_core::{CommentId, Result, SubjectKey};

use super::pool::DataSources;
use super::read::SqlReader;
use super::row::HistoryEntry;
use super::transact::{self, TransactionBody};

/// The highest number of history rows that one transaction locks.
const AT_ONCE: usize = 512;

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
    async fn bring<U>(&self, found: Vec<HistoryEntry>) -> Result<usize>
    where
        U: TransactionBody<Output = usize> + From<Vec<HistoryEntry>>,
    {
        let mut by_source: BTreeMap<usize, Vec<HistoryEntry>> = BTreeMap::new();
        for one in found {
            by_source.entry(self.sources.map().source(one.home())).or_default().push(one);
        }
        let mut changed = 0;
        for (source, rows) in by_source {
            for rows in rows.chunks(AT_ONCE) {
                changed += transact::write(&self.sources, source, U::from(rows.to_vec())).await?;
            }
        }
        Ok(changed)
    }
}

#[async_trait]
impl MemberHistories for SqlHistories {
    async fn apply(&self, _source: usize, events: &[SequencedEvent]) -> Result<()> {
        let changes = || events.iter().flat_map(|sequenced| &sequenced.event.changes.comments);
        let changed: BTreeSet<CommentId> = changes().filter(|one| moves(one.what)).map(|one| one.id).collect();
        let created = changes().filter(|one| one.what == ChangeKind::Created).map(|one| one.id);
        let created: BTreeSet<CommentId> = created.filter(|id| !changed.contains(id)).collect();
        let found = self.reader.authored(created.into_iter().collect()).await?;
        self.bring::<write::Add>(found).await?;
        let found = self.reader.authored(changed.into_iter().collect()).await?;
        self.bring::<write::WriteHistory>(found).await.map(|_| ())
    }

    async fn rebuild(&self, key: &SubjectKey, after: Option<CommentId>, limit: usize) -> Result<RebuildProgress> {
        let found = self.reader.comments_under(key, after, limit).await?;
        let (comments, last) = (found.len(), found.last().map(|comment| comment.reference.id));
        let authored = found.into_iter().map(|comment| HistoryEntry::of(key.object_type().clone(), comment));
        let changed = self.bring::<write::WriteHistory>(authored.collect()).await?;
        Ok(RebuildProgress { comments, changed, next: last.filter(|_| comments == limit) })
    }
}

/// Returns whether such a change updates an existing history row: its state, or the version that
/// guards it.
fn moves(what: ChangeKind) -> bool {
    match what {
        ChangeKind::Edited | ChangeKind::StateChanged => true,
        ChangeKind::Created | ChangeKind::PinChanged | ChangeKind::Recounted | ChangeKind::Liked => false,
    }
}
