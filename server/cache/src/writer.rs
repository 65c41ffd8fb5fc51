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
        match batch {
            Batch::Comments(_) => self.inner.commit(batch).await,
            Batch::Likes(likes) => self.commit_likes(batch, likes).await,
        }
    }
}

impl CachedWriter {
    async fn commit_likes(&self, batch: &Batch, likes: &[LikeCommand]) -> Result<Vec<Result<CommandOutput>>> {
        let liker = |command: &LikeCommand| SubjectMember {
            key: command.subject.clone(),
            member: command.verb.set().member.clone(),
        };
        let mut members: Vec<SubjectMember> = likes.iter().map(liker).collect();
        members.sort_unstable_by(|a, b| (&a.key, &a.member).cmp(&(&b.key, &b.member)));
        members.dedup();
        let token = rand::random();
        let begun = self.cache.begin_invalidation(&members, token).await.is_ok();
        let outcome = self.inner.commit(batch).await;
        let ended = begun && self.cache.end_invalidation(&members, token).await.is_ok();
        if !ended {
            self.invalid.renew(members.iter().map(|member| member.key.partition()));
        }
        outcome
    }
}
