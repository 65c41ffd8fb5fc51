//! Bugs between commits and their copies.

use std::sync::Arc;

use async_trait::async_trait;
use riposte_cache::{
    Away, Cache, Change, Committed, Cursor, Fill, Filled, Kind, Likes, Lookup, Member, Opened, PageAsk, PageHit,
    Prints, Ticket,
};
use riposte_core::comment::CommentView;
use riposte_core::{CommentId, LikeValue, Partition, Subject, SubjectId, SubjectKey};

use super::Bug;

/// Copies with a bug.
#[derive(Debug)]
pub(super) struct Planted {
    pub(super) inner: Arc<dyn Cache>,
    pub(super) bug: Bug,
}

/// The partitions whose copies hear nothing.
fn is_deaf(at: Partition) -> bool {
    at.get().is_multiple_of(2)
}

#[async_trait]
impl Cache for Planted {
    async fn subjects(&self, keys: &[SubjectKey]) -> Result<Vec<Lookup<Option<Subject>>>, Away> {
        self.inner.subjects(keys).await
    }

    async fn comments(&self, ids: &[CommentId]) -> Result<Vec<Lookup<Option<CommentView>>>, Away> {
        self.inner.comments(ids).await
    }

    async fn page(&self, ask: &PageAsk) -> Result<Lookup<Option<PageHit>>, Away> {
        self.inner.page(ask).await
    }

    async fn states(&self, who: &Member, ids: &[CommentId]) -> Result<Lookup<Option<Vec<Option<LikeValue>>>>, Away> {
        self.inner.states(who, ids).await
    }

    async fn open(&self, key: &SubjectKey, kind: Kind, token: u64) -> Result<Opened, Away> {
        self.inner.open(key, kind, token).await
    }

    async fn name(&self, key: &SubjectKey, id: SubjectId) -> Result<(), Away> {
        self.inner.name(key, id).await
    }

    async fn absent(&self, key: &SubjectKey, token: u64) -> Result<(), Away> {
        self.inner.absent(key, token).await
    }

    async fn fill(&self, ticket: &Ticket, fill: &Fill) -> Result<Filled, Away> {
        self.inner.fill(ticket, fill).await
    }

    async fn close(&self, ticket: &Ticket) -> Result<(), Away> {
        self.inner.close(ticket).await
    }

    async fn apply(&self, changes: &[Change]) -> Result<(), Away> {
        let heard = |change: &&Change| self.bug != Bug::CommitsUnheard || !is_deaf(change.subject.key.partition());
        let heard: Vec<Change> = changes.iter().filter(heard).cloned().collect();
        if heard.is_empty() { Ok(()) } else { self.inner.apply(&heard).await }
    }

    async fn like(&self, likes: &[Likes]) -> Result<(), Away> {
        if self.bug == Bug::LikesUnheard { Ok(()) } else { self.inner.like(likes).await }
    }

    async fn doubt(&self, members: &[Member], token: u64) -> Result<(), Away> {
        if self.bug == Bug::LikersUnheard { Ok(()) } else { self.inner.doubt(members, token).await }
    }

    async fn settle(&self, members: &[Member], token: u64) -> Result<(), Away> {
        if self.bug == Bug::LikersUnheard { Ok(()) } else { self.inner.settle(members, token).await }
    }

    async fn open_states(&self, who: &Member, token: u64) -> Result<bool, Away> {
        self.inner.open_states(who, token).await
    }

    async fn fill_states(&self, who: &Member, token: u64, values: &[(CommentId, LikeValue)]) -> Result<(), Away> {
        self.inner.fill_states(who, token, values).await
    }

    async fn exist(&self, who: &Member, ids: &[CommentId]) -> Result<(), Away> {
        self.inner.exist(who, ids).await
    }

    async fn cursors(&self, partitions: &[Partition]) -> Result<Vec<Option<Cursor>>, Away> {
        self.inner.cursors(partitions).await
    }

    async fn advance(&self, at: Partition, from: Cursor, to: Cursor, told: &Committed) -> Result<bool, Away> {
        let mut told = told.clone();
        if self.bug == Bug::CommitsUnheard && is_deaf(at) {
            told.revisions.clear();
        }
        if self.bug == Bug::LikesUnheard {
            told.likes.clear();
        }
        if self.bug == Bug::LikersUnheard {
            told.likers.clear();
        }
        self.inner.advance(at, from, to, &told).await
    }

    async fn renew(&self, partition: Partition, at: Cursor, generation: u64) -> Result<(), Away> {
        self.inner.renew(partition, at, generation).await
    }

    async fn forget(&self, key: &SubjectKey) -> Result<(), Away> {
        self.inner.forget(key).await
    }

    fn is_away(&self) -> bool {
        self.inner.is_away()
    }

    fn prints(&self) -> Option<&dyn Prints> {
        self.inner.prints()
    }
}
