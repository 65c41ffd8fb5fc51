//! Members' histories: what the comments say, written where their authors' rows lie.

mod write;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::event::{Happened, Numbered};
use riposte_core::ports::{Histories, Rebuilt};
use riposte_core::{CommentId, Partition, Result, SubjectKey};

use super::pool::Sources;
use super::read::{Authored, SqlReader};
use super::transact;

/// The most history rows that one transaction locks.
const AT_ONCE: usize = 512;

/// The [`Histories`] over SQL.
#[derive(Debug)]
pub(crate) struct SqlHistories {
    sources: Arc<Sources>,
    reader: Arc<SqlReader>,
}

impl SqlHistories {
    /// The histories in `sources`, fed by `reader`.
    pub(crate) fn new(sources: Arc<Sources>, reader: Arc<SqlReader>) -> Self {
        Self { sources, reader }
    }

    /// Writes what histories lack, one transaction after the other, and answers how many rows were missing or behind.
    async fn bring(&self, found: Vec<Authored>) -> Result<usize> {
        let mut by_source: BTreeMap<usize, Vec<Authored>> = BTreeMap::new();
        for one in found {
            by_source.entry(self.sources.map().source(home(&one))).or_default().push(one);
        }
        let mut changed = 0;
        for (source, rows) in by_source {
            for rows in rows.chunks(AT_ONCE) {
                changed += transact::write(&self.sources, source, write::Write { rows: rows.to_vec() }).await?;
            }
        }
        Ok(changed)
    }
}

/// Where the history row of a comment lies: with its author, not with its subject.
fn home(authored: &Authored) -> Partition {
    Partition::of(authored.object_type.as_str(), authored.comment.member.as_str())
}

#[async_trait]
impl Histories for SqlHistories {
    async fn apply(&self, _source: usize, events: &[Numbered]) -> Result<()> {
        let changes = events.iter().flat_map(|numbered| &numbered.event.changes.comments);
        let seen: BTreeSet<CommentId> = changes.filter(|change| shows(change.what)).map(|change| change.id).collect();
        let found = self.reader.authored(seen.into_iter().collect()).await?;
        self.bring(found).await.map(|_| ())
    }

    async fn rebuild(&self, key: &SubjectKey, after: Option<CommentId>, limit: usize) -> Result<Rebuilt> {
        let found = self.reader.authored_under(key, after, limit).await?;
        let comments = found.len();
        let last = found.last().map(|authored| authored.comment.id);
        let changed = self.bring(found).await?;
        Ok(Rebuilt { comments, changed, next: last.filter(|_| comments == limit) })
    }
}

/// Whether a history row tells of such a change: of the state, or of the version that guards it.
fn shows(what: Happened) -> bool {
    match what {
        Happened::Created | Happened::Edited | Happened::StateChanged => true,
        Happened::PinChanged | Happened::Recounted | Happened::Liked => false,
    }
}
