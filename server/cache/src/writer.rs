//! Commits that change members' likes. The cached likes are invalidated before the commit, and may
//! be filled again after it.

use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::Writer;
use riposte_core::{Batch, CommandOutput, LikeCommand, Result};

use crate::invalid_partitions::InvalidPartitions;
use crate::port::{Cache, SubjectMember};

/// A [`Writer`] that invalidates cached likes. If the cache is unavailable when the invalidation
/// should begin or end, the partition begins a new generation once the cache is available again.
#[derive(Debug)]
pub struct CachedWriter {
    inner: Arc<dyn Writer>,
    cache: Arc<dyn Cache>,
    invalid: InvalidPartitions,
}

impl CachedWriter {
    /// Commits through `inner`, and invalidates the likes in `cache`.
    #[must_use]
    pub fn new(inner: Arc<dyn Writer>, cache: Arc<dyn Cache>, invalid: InvalidPartitions) -> Self {
        Self { inner, cache, invalid }
    }
}

#[async_trait]
impl Writer for CachedWriter {
    async fn commit(&self, batch: &Batch) -> Result<Vec<Result<CommandOutput>>> {
        self.invalidating(batch, self.inner.commit(batch)).await
    }

    async fn commit_without_wait(&self, batch: &Batch) -> Result<Vec<Option<Result<CommandOutput>>>> {
        self.invalidating(batch, self.inner.commit_without_wait(batch)).await
    }
}

impl CachedWriter {
    /// Runs the commit of a batch. The cached likes that the batch may change are invalid
    /// meanwhile.
    async fn invalidating<T>(&self, batch: &Batch, commit: impl Future<Output = T>) -> T {
        let likes = match batch {
            Batch::Comments(_) => return commit.await,
            Batch::Likes(likes) => likes,
        };
        let liker = |command: &LikeCommand| SubjectMember {
            key: command.subject.clone(),
            member: command.verb.set().member.clone(),
        };
        let mut members: Vec<SubjectMember> = likes.iter().map(liker).collect();
        members.sort_unstable_by(|a, b| (&a.key, &a.member).cmp(&(&b.key, &b.member)));
        members.dedup();
        let token = rand::random();
        let begun = self.cache.begin_invalidation(&members, token).await.is_ok();
        let outcome = commit.await;
        let ended = begun && self.cache.end_invalidation(&members, token).await.is_ok();
        if !ended {
            self.invalid.renew(members.iter().map(|member| member.key.partition()));
        }
        outcome
    }
}
