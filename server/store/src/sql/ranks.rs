//! Ranked orders: the rank index, which is derived from the comments, and the ranking snapshots,
//! which are computed from the index.

mod orphans;
mod rank_index;
mod snapshot;
mod snapshot_cache;
mod trim;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use riposte_core::event::{ChangeKind, Event, SequencedEvent};
use riposte_core::page::ListOrder;
use riposte_core::ports::{CommentRows, RankIndexes, RankingSnapshots, RebuildProgress};
use riposte_core::rank::{RankedList, Ranking, RankingConfig, list_of, ranked_floors};
use riposte_core::{Comment, CommentId, Millis, Result, SubjectId, SubjectKey};
use riposte_sync::KeyedLock;

use super::pool::DataSources;
use super::read::SqlReader;
use super::transact;
use rank_index::RankedComment;
use snapshot_cache::SnapshotCache;

/// The highest number of comments whose scores one transaction writes.
const COMMENTS_PER_TRANSACTION: usize = 512;

/// The [`RankIndexes`] and [`RankingSnapshots`] over SQL.
#[derive(Debug)]
pub(crate) struct SqlRanks {
    sources: Arc<DataSources>,
    reader: Arc<SqlReader>,
    config: RankingConfig,
    /// In this process, one task at a time computes the next ranking of a list.
    locks: KeyedLock<RankedList>,
    snapshots: SnapshotCache,
}

impl SqlRanks {
    /// Creates the rank indexes in `sources` under `config`, read by `reader`.
    pub(crate) fn new(sources: Arc<DataSources>, reader: Arc<SqlReader>, config: RankingConfig) -> Self {
        Self { sources, reader, config, locks: KeyedLock::default(), snapshots: SnapshotCache::new() }
    }

    /// Updates the rank index for comments of one data source and returns the number whose scores
    /// changed.
    async fn write_scores(&self, source: usize, mut ranked: Vec<RankedComment>) -> Result<usize> {
        let mut changed = 0;
        // The ids of lists contain their partitions, which a confined transaction must not mix.
        let is_confined = self.sources.is_confined();
        ranked.sort_unstable_by_key(|comment| (is_confined.then(|| comment.list.partition()), *comment));
        let groups = ranked.chunk_by(|a, b| !is_confined || a.list.partition() == b.list.partition());
        for chunk in groups.flat_map(|group| group.chunks(COMMENTS_PER_TRANSACTION)) {
            let write = rank_index::WriteRankIndex { ranked: chunk.to_vec(), config: self.config.clone() };
            changed += transact::write(&self.sources, source, write).await?;
        }
        Ok(changed)
    }
}

impl SqlRanks {
    /// Returns the parents of the roots in these events. In an object type of a single level, a
    /// reply is stored as a root with a parent, and counts as a reply of its parent. A type that
    /// had a single level when the reply was written has such parents too.
    async fn parents_of_roots(&self, events: &[SequencedEvent]) -> Result<Vec<RankedComment>> {
        let roots_with = |event: &Event, what| {
            let roots = event.changes.comments.iter().filter(|change| change.root.is_none());
            roots.filter(|change| change.kind == what).map(|change| change.id).collect::<Vec<_>>()
        };
        let created =
            events.iter().map(|sequenced| (sequenced.event.subject, roots_with(&sequenced.event, ChangeKind::Created)));
        let created: Vec<(SubjectId, Vec<CommentId>)> = created.filter(|(_, ids)| !ids.is_empty()).collect();
        let single_level = self.single_level_subjects(&created).await?;
        let created = created.into_iter().filter(|(subject, _)| single_level.contains(subject));
        let mut roots: Vec<CommentId> = created.flat_map(|(_, ids)| ids).collect();
        roots.extend(events.iter().flat_map(|sequenced| roots_with(&sequenced.event, ChangeKind::StateChanged)));
        let found = self.reader.locate(&roots).await?;
        let parents: Vec<CommentId> = found.into_iter().filter_map(|location| location?.parent_id).collect();
        let parents = self.reader.comments(&parents).await?.into_iter().flatten().map(|view| view.comment);
        let roots = parents.filter(Comment::is_root);
        Ok(roots.map(|root| RankedComment { list: list_of(&root), comment: root.reference.id }).collect())
    }

    /// Returns those of these subjects whose type has a single level. The types are mostly cached;
    /// otherwise they are found through one of the comments.
    async fn single_level_subjects(&self, created: &[(SubjectId, Vec<CommentId>)]) -> Result<BTreeSet<SubjectId>> {
        let (mut single_level, mut unknown) = (BTreeSet::new(), Vec::new());
        for (subject, ids) in created {
            match self.sources.subject_id_cache().key(*subject) {
                Some(key) if self.config.flat(key.object_type()) => _ = single_level.insert(*subject),
                Some(_) => {}
                None => unknown.extend(ids.first().map(|first| (*subject, *first))),
            }
        }
        let firsts: Vec<CommentId> = unknown.iter().map(|(_, first)| *first).collect();
        let found = self.reader.locate(&firsts).await?;
        let subjects = unknown.into_iter().zip(found).filter_map(|((subject, _), location)| Some((subject, location?)));
        single_level.extend(
            subjects
                .filter(|(_, location)| self.config.flat(location.subject.object_type()))
                .map(|(subject, _)| subject),
        );
        Ok(single_level)
    }
}

#[async_trait]
impl RankIndexes for SqlRanks {
    async fn apply(&self, source: usize, events: &[SequencedEvent]) -> Result<()> {
        let mut affected: BTreeSet<RankedComment> =
            events.iter().flat_map(|sequenced| affected(&sequenced.event)).collect();
        affected.extend(self.parents_of_roots(events).await?);
        self.write_scores(source, affected.into_iter().collect()).await.map(|_| ())
    }

    async fn rebuild(&self, key: &SubjectKey, after: Option<CommentId>, limit: usize) -> Result<RebuildProgress> {
        let found = self.reader.comments_under(key, after, limit).await?;
        let (comments, last) = (found.len(), found.last().map(|comment| comment.reference.id));
        let ranked =
            found.iter().map(|comment| RankedComment { list: list_of(comment), comment: comment.reference.id });
        let mut ranked: Vec<RankedComment> = ranked.collect();
        ranked.sort_unstable();
        let source = self.sources.map().source(key.partition());
        let mut changed = self.write_scores(source, ranked).await?;
        changed += self.remove_orphans(source, after.is_none(), &found).await?;
        Ok(RebuildProgress { comments, changed, next: last.filter(|_| comments == limit) })
    }
}

/// Returns the comments whose scores an event may have changed. A new comment has no score, but a
/// reply counts for its root.
fn affected(event: &Event) -> impl Iterator<Item = RankedComment> + '_ {
    let list = CommentId::from(event.subject);
    event.changes.comments.iter().flat_map(move |change| {
        let (own, of_root) = match change.kind {
            ChangeKind::Created => (false, true),
            ChangeKind::StateChanged | ChangeKind::Recounted => (true, true),
            ChangeKind::Liked => (true, false),
            ChangeKind::Edited | ChangeKind::PinChanged | ChangeKind::Noted => (false, false),
        };
        let root = change.root.filter(|_| of_root).map(|root| RankedComment { list, comment: root });
        let own = own.then(|| RankedComment { list: change.root.unwrap_or(list), comment: change.id });
        root.into_iter().chain(own)
    })
}

#[async_trait]
impl RankingSnapshots for SqlRanks {
    async fn current(&self, list: &RankedList, now: Millis) -> Result<Option<(Ranking, i32)>> {
        let Some(state) = self.reader.rank_state(list, now, None).await? else { return Ok(None) };
        if let Some(last) = state.last.as_ref().filter(|last| last.is_current(now)) {
            return Ok(Some((last.ranking.clone(), state.next_floor)));
        }
        let lock = self.locks.of(list);
        let _guard = match (lock.try_lock(), state.last.filter(|last| last.is_usable(now))) {
            (Ok(guard), _) => guard,
            // Another task in this process already computes the next one.
            (Err(_), Some(last)) => return Ok(Some((last.ranking, state.next_floor))),
            (Err(_), None) => lock.lock().await,
        };
        let Some(state) = self.reader.rank_state(list, now, Some(self.config.depth)).await? else { return Ok(None) };
        let last = state.last.map(|last| last.ranking);
        let ranking = match (state.draft, last) {
            (None, Some(last)) => last,
            (None, None) => return Ok(None),
            (Some(draft), last) => {
                let hot = self.config.hot(list.subject().object_type());
                let floors = ranked_floors(list.rank_index(), hot, draft.candidates, self.config.depth);
                let epoch = Ranking::epoch_after(last.map(|last| last.epoch), now);
                let ranking = Ranking::new(epoch, now, floors);
                let insert = snapshot::InsertSnapshot {
                    list: list.clone(),
                    id: draft.list,
                    ranking,
                    fingerprint: draft.fingerprint,
                };
                transact::write(&self.sources, self.sources.map().source(draft.list.partition()), insert).await?
            }
        };
        Ok(Some((ranking, state.next_floor)))
    }

    async fn snapshot(&self, list: &RankedList, epoch: i64) -> Result<Option<Ranking>> {
        if let Some(cached) = self.snapshots.get(list, epoch) {
            return Ok(Some(cached));
        }
        let found = self.reader.ranking_snapshot(list, epoch).await?;
        found.iter().for_each(|ranking| self.snapshots.insert(list, ranking));
        Ok(found)
    }

    async fn unranked(
        &self,
        list: &RankedList,
        ranking: &Ranking,
        floors: Range<i32>,
        order: ListOrder,
        limit: usize,
    ) -> Result<Vec<i32>> {
        self.reader.unranked_floors(list, ranking, floors, order, limit).await
    }

    async fn trim(&self, source: usize, before: Millis, limit: usize) -> Result<usize> {
        trim::trim(&self.sources, source, before, limit).await
    }
}
