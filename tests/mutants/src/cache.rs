//! Mutants between commits and the cache.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use riposte_cache::{
    Cache, CacheFill, CachedPage, CachedPageQuery, CommentUpdate, CommittedState, EntryLookup, FillLease, FillOutcome,
    FillScope, LeaseOutcome, LikeCounts, RelayCursor, RenderedPages, SubjectMember, SubjectUpdate, Unavailable,
};
use riposte_core::comment::CommentView;
use riposte_core::{CommentId, LikeValue, Partition, Subject, SubjectId, SubjectKey};

use crate::mutant::Mutant;

/// A cache with a mutant.
#[derive(Debug)]
pub(crate) struct MutantCache {
    inner: Arc<dyn Cache>,
    mutant: Mutant,
    /// The last text that a commit wrote to each comment.
    texts: Mutex<HashMap<CommentId, String>>,
    /// The last text of each subject that is no longer visible.
    hidden: Mutex<HashMap<SubjectId, String>>,
}

impl MutantCache {
    pub(crate) fn new(inner: Arc<dyn Cache>, mutant: Mutant) -> Self {
        Self { inner, mutant, texts: Mutex::default(), hidden: Mutex::default() }
    }

    /// Puts the last text that is no longer visible into the subject of a change.
    fn copy_hidden_text(&self, change: &mut SubjectUpdate) {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut hidden = self.hidden.lock().unwrap_or_else(PoisonError::into_inner);
        for CommentUpdate { comment, content } in &change.patches {
            if let Some(content) = content {
                texts.insert(comment.reference.id, content.text().to_owned());
            }
            if let Some(text) = texts.get(&comment.reference.id).filter(|_| !comment.lifecycle.state.is_visible()) {
                hidden.insert(change.subject.id, text.clone());
            }
        }
        if let Some(text) = hidden.get(&change.subject.id) {
            change.subject.metadata.insert("copied".to_owned(), text.clone());
        }
    }
}

/// Returns true for the partitions whose commits are not reported to the cache.
fn is_unreported(at: Partition) -> bool {
    at.get().is_multiple_of(2)
}

#[async_trait]
impl Cache for MutantCache {
    async fn subjects(&self, keys: &[SubjectKey]) -> Result<Vec<EntryLookup<Option<Subject>>>, Unavailable> {
        self.inner.subjects(keys).await
    }

    async fn comments(&self, ids: &[CommentId]) -> Result<Vec<EntryLookup<Option<CommentView>>>, Unavailable> {
        self.inner.comments(ids).await
    }

    async fn page(&self, query: &CachedPageQuery) -> Result<EntryLookup<Option<CachedPage>>, Unavailable> {
        self.inner.page(query).await
    }

    async fn states(
        &self,
        member: &SubjectMember,
        ids: &[CommentId],
    ) -> Result<EntryLookup<Option<Vec<Option<LikeValue>>>>, Unavailable> {
        self.inner.states(member, ids).await
    }

    async fn open(&self, key: &SubjectKey, kind: FillScope, token: u64) -> Result<LeaseOutcome, Unavailable> {
        self.inner.open(key, kind, token).await
    }

    async fn name(&self, key: &SubjectKey, id: SubjectId) -> Result<(), Unavailable> {
        self.inner.name(key, id).await
    }

    async fn absent(&self, key: &SubjectKey, token: u64) -> Result<(), Unavailable> {
        self.inner.absent(key, token).await
    }

    async fn fill(&self, lease: &FillLease, fill: &CacheFill) -> Result<FillOutcome, Unavailable> {
        self.inner.fill(lease, fill).await
    }

    async fn close(&self, lease: &FillLease) -> Result<(), Unavailable> {
        self.inner.close(lease).await
    }

    async fn apply(&self, changes: &[SubjectUpdate]) -> Result<(), Unavailable> {
        let applied = |change: &&SubjectUpdate| {
            self.mutant != Mutant::CommitsNotApplied || !is_unreported(change.subject.key.partition())
        };
        let mut applied: Vec<SubjectUpdate> = changes.iter().filter(applied).cloned().collect();
        if self.mutant == Mutant::PendingCopied {
            applied.iter_mut().for_each(|change| self.copy_hidden_text(change));
        }
        if applied.is_empty() { Ok(()) } else { self.inner.apply(&applied).await }
    }

    async fn like(&self, likes: &[LikeCounts]) -> Result<(), Unavailable> {
        if self.mutant == Mutant::LikesNotApplied { Ok(()) } else { self.inner.like(likes).await }
    }

    async fn begin_invalidation(&self, members: &[SubjectMember], token: u64) -> Result<(), Unavailable> {
        if self.mutant == Mutant::LikersNotInvalidated {
            Ok(())
        } else {
            self.inner.begin_invalidation(members, token).await
        }
    }

    async fn end_invalidation(&self, members: &[SubjectMember], token: u64) -> Result<(), Unavailable> {
        if self.mutant == Mutant::LikersNotInvalidated {
            Ok(())
        } else {
            self.inner.end_invalidation(members, token).await
        }
    }

    async fn open_states(&self, member: &SubjectMember, token: u64) -> Result<bool, Unavailable> {
        self.inner.open_states(member, token).await
    }

    async fn fill_states(
        &self,
        member: &SubjectMember,
        token: u64,
        values: &[(CommentId, LikeValue)],
    ) -> Result<(), Unavailable> {
        self.inner.fill_states(member, token, values).await
    }

    async fn record_existing(&self, member: &SubjectMember, ids: &[CommentId]) -> Result<(), Unavailable> {
        self.inner.record_existing(member, ids).await
    }

    async fn cursors(&self, partitions: &[Partition]) -> Result<Vec<Option<RelayCursor>>, Unavailable> {
        self.inner.cursors(partitions).await
    }

    async fn advance(
        &self,
        at: Partition,
        from: RelayCursor,
        to: RelayCursor,
        state: &CommittedState,
    ) -> Result<bool, Unavailable> {
        let mut state = state.clone();
        if self.mutant == Mutant::CommitsNotApplied && is_unreported(at) {
            state.revisions.clear();
        }
        if self.mutant == Mutant::LikesNotApplied {
            state.likes.clear();
        }
        if self.mutant == Mutant::LikersNotInvalidated {
            state.likers.clear();
        }
        self.inner.advance(at, from, to, &state).await
    }

    async fn renew(&self, partition: Partition, at: RelayCursor, generation: u64) -> Result<(), Unavailable> {
        self.inner.renew(partition, at, generation).await
    }

    async fn invalidate_subject(&self, key: &SubjectKey) -> Result<(), Unavailable> {
        self.inner.invalidate_subject(key).await
    }

    fn is_unavailable(&self) -> bool {
        self.inner.is_unavailable()
    }

    fn connection_changes(&self) -> u64 {
        self.inner.connection_changes()
    }

    fn rendered_pages(&self) -> Option<&dyn RenderedPages> {
        self.inner.rendered_pages()
    }
}
