//! Commits that change members' likes: the cached likes are invalidated before the commit, and may
//! be filled again after it.

use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::Writer;
use riposte_core::{Command, CommandOutput, Result};

use crate::invalid_partitions::InvalidPartitions;
use crate::port::{Cache, SubjectMember};

/// A [`Writer`] that invalidates cached likes. If the cache is unavailable when the invalidation
/// should begin or end, the partition begins a new generation once the cache is available again.
#[derive(Debug)]
pub struct CachedWriter {
    inner: Arc<dyn Writer>,
    cache: Arc<dyn Cache>,
    owed: InvalidPartitions,
}

impl CachedWriter {
    /// Commits through `inner`, and invalidates the likes in `cache`.
    #[must_use]
    pub fn new(inner: Arc<dyn Writer>, cache: Arc<dyn Cache>, owed: InvalidPartitions) -> Self {
        Self { inner, cache, owed }
    }
}

#[async_trait]
impl Writer for CachedWriter {
    async fn commit(&self, batch: &[Command]) -> Result<Vec<Result<CommandOutput>>> {
        let liking = |command: &Command| {
            let (_, member) = command.verb.needs().like?;
            Some(SubjectMember { key: command.subject.clone(), member })
        };
        let mut members: Vec<SubjectMember> = batch.iter().filter_map(liking).collect();
        if members.is_empty() {
            return self.inner.commit(batch).await;
        }
        members.sort_unstable_by(|a, b| (&a.key, &a.member).cmp(&(&b.key, &b.member)));
        members.dedup();
        let token = rand::random();
        let doubted = self.cache.begin_invalidation(&members, token).await.is_ok();
        let outcome = self.inner.commit(batch).await;
        let settled = doubted && self.cache.end_invalidation(&members, token).await.is_ok();
        if !settled {
            self.owed.owe(members.iter().map(|who| who.key.partition()));
        }
        outcome
    }
}
