//! Histories. The oracle derives a member's history from the comments themselves and stores only
//! the version up to which each history row is updated.

use async_trait::async_trait;
use riposte_core::event::{ChangeKind, SequencedEvent};
use riposte_core::ports::{MemberHistories, RebuildProgress};
use riposte_core::{CommentId, Result, SubjectKey};

use super::Model;
use super::recount::Recount;
use super::tables::Tables;

impl Tables {
    /// Updates one history row. Returns `true` if it was missing or outdated.
    fn update_history(&mut self, id: CommentId) -> bool {
        let Some(version) = self.comment(id).map(|(_, row)| row.comment.lifecycle.version) else { return false };
        self.histories.insert(id, version) != Some(version)
    }
}

#[async_trait]
impl MemberHistories for Model {
    async fn apply(&self, _source: usize, events: &[SequencedEvent]) -> Result<()> {
        let mut tables = self.tables();
        for change in events.iter().flat_map(|sequenced| &sequenced.event.changes.comments) {
            if [ChangeKind::Created, ChangeKind::Edited, ChangeKind::StateChanged].contains(&change.kind) {
                tables.update_history(change.id);
            }
        }
        Ok(())
    }

    async fn rebuild(&self, key: &SubjectKey, after: Option<CommentId>, limit: usize) -> Result<RebuildProgress> {
        let mut tables = self.tables();
        let Some(recount) = tables.subject_table(key).map(Recount::new) else { return Ok(RebuildProgress::default()) };
        let ids: Vec<CommentId> =
            recount.exported_after(after).take(limit).map(|row| row.comment.reference.id).collect();
        let changed = ids.iter().filter(|id| tables.update_history(**id)).count();
        let next = ids.last().copied().filter(|_| ids.len() == limit);
        Ok(RebuildProgress { comments: ids.len(), changed, next })
    }
}
