//! Updates the cache after a commit and before its response, with absolute values.

use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::{CommitObserver, CommittedChange, CommittedComment};

use crate::invalid_partitions::InvalidPartitions;
use crate::port::{Cache, CommentUpdate, LikeCounts, ListUpdate, SubjectUpdate};
use crate::stats::{CacheEvent, CacheStats};

/// Applies committed changes to the cache. The relay reports the changes that do not reach the
/// cache in time.
#[derive(Debug)]
pub struct CacheUpdater {
    cache: Arc<dyn Cache>,
    invalid: InvalidPartitions,
    stats: CacheStats,
}

impl CacheUpdater {
    /// Applies changes to `cache`.
    #[must_use]
    pub fn new(cache: Arc<dyn Cache>, invalid: InvalidPartitions, stats: CacheStats) -> Self {
        Self { cache, invalid, stats }
    }
}

#[async_trait]
impl CommitObserver for CacheUpdater {
    async fn committed(&self, changed: Vec<CommittedChange>) {
        let (revised, liked): (Vec<_>, Vec<_>) = changed.into_iter().partition(|changed| changed.revised);
        let updates: Vec<SubjectUpdate> = revised.into_iter().map(subject_update).collect();
        let likes: Vec<LikeCounts> = liked
            .iter()
            .flat_map(|changed| &changed.comments)
            .map(|changed| LikeCounts::of(&changed.comment))
            .collect();
        let applied = if updates.is_empty() { Ok(()) } else { self.cache.apply(&updates).await };
        let liked = if likes.is_empty() { Ok(()) } else { self.cache.like(&likes).await };
        if applied.and(liked).is_err() {
            let partitions = updates.iter().map(|update| update.subject.key.partition());
            self.invalid.renew(partitions.chain(likes.iter().map(|likes| likes.id.partition())));
            self.stats.increment(CacheEvent::UpdateFailed);
        }
    }
}

fn subject_update(changed: CommittedChange) -> SubjectUpdate {
    let CommittedChange { subject, created, comments, .. } = changed;
    let mut lists: Vec<ListUpdate> = Vec::new();
    for CommittedComment { comment, was_listed, .. } in &comments {
        if comment.lifecycle.listed == *was_listed {
            continue;
        }
        let root = comment.reference.root_id;
        let index = lists.iter().position(|list| list.root == root).unwrap_or_else(|| {
            lists.push(ListUpdate { root, added: Vec::new(), removed: Vec::new() });
            lists.len() - 1
        });
        if comment.lifecycle.listed {
            lists[index].added.push((comment.reference.floor, comment.reference.id));
        } else {
            lists[index].removed.push(comment.reference.floor);
        }
    }
    let patch = |CommittedComment { comment, content, .. }| CommentUpdate { comment, content };
    SubjectUpdate { subject, created, lists, patches: comments.into_iter().map(patch).collect() }
}
