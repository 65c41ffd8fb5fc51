//! Ranked orders: the rank index, derived from the comments, and the ranking snapshots made from
//! it.

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
use riposte_core::ports::{CommentRows, RankIndexes, Rankings, RebuildProgress};
use riposte_core::rank::{RankedList, Ranking, RankingConfig, freeze, list_of};
use riposte_core::{Comment, CommentId, Millis, Result, SubjectId, SubjectKey};
use riposte_sync::KeyedLock;

use super::pool::DataSources;
use super::read::SqlReader;
use super::transact;
use rank_index::RankedComment;
use snapshot_cache::SnapshotCache;

/// The highest number of comments whose scores one transaction writes.
const AT_ONCE: usize = 512;

/// The [`RankIndexes`] and [`Rankings`] over SQL.
#[derive(Debug)]
pub(crate) struct SqlRanks {
    sources: Arc<DataSources>,
    reader: Arc<SqlReader>,
    rules: RankingConfig,
    /// One task at a time makes the next ranking of a list in this process.
    locks: KeyedLock<RankedList>,
    memory: SnapshotCache,
}

impl SqlRanks {
    /// Creates the rank indexes in `sources` under `rules`, read by `reader`.
    pub(crate) fn new(sources: Arc<DataSources>, reader: Arc<SqlReader>, rules: RankingConfig) -> Self {
        Self { sources, reader, rules, locks: KeyedLock::default(), memory: SnapshotCache::new() }
    }

    /// Updates the rank index for comments of one data source and returns the number whose scores
    /// changed.
    async fn bring(&self, source: usize, ranked: Vec<RankedComment>) -> Result<usize> {
        let mut changed = 0;
        for part in ranked.chunks(AT_ONCE) {
            let write = rank_index::WriteRankIndex { ranked: part.to_vec(), rules: self.rules.clone() };
            changed += transact::write(&self.sources, source, write).await?;
        }
        Ok(changed)
    }
}

impl SqlRanks {
    /// Returns the roots that are parents of other roots in these events, because they count them
    /// as replies. Only object types of a single level have such parents, or had a single level
    /// when the reply was written.
    async fn replied_to(&self, events: &[SequencedEvent]) -> Result<Vec<RankedComment>> {
        let of = |event: &Event, what| {
            let roots = event.changes.comments.iter().filter(|change| change.root.is_none());
            roots.filter(|change| change.what == what).map(|change| change.id).collect::<Vec<_>>()
        };
        let created =
            events.iter().map(|sequenced| (sequenced.event.subject, of(&sequenced.event, ChangeKind::Created)));
        let created: Vec<(SubjectId, Vec<CommentId>)> = created.filter(|(_, ids)| !ids.is_empty()).collect();
        let flat = self.flat(&created).await?;
        let created = created.into_iter().filter(|(subject, _)| flat.contains(subject));
        let mut roots: Vec<CommentId> = created.flat_map(|(_, ids)| ids).collect();
        roots.extend(events.iter().flat_map(|sequenced| of(&sequenced.event, ChangeKind::StateChanged)));
        let found = self.reader.locate(&roots).await?;
        let parents: Vec<CommentId> = found.into_iter().filter_map(|at| at?.parent_id).collect();
        let parents = self.reader.comments(&parents).await?.into_iter().flatten().map(|view| view.comment);
        let roots = parents.filter(Comment::is_root);
        Ok(roots.map(|root| RankedComment { list: list_of(&root), comment: root.reference.id }).collect())
    }

    /// Returns those of these subjects whose type has a single level. The types are mostly cached;
    /// otherwise they are found through one of the comments.
    async fn flat(&self, created: &[(SubjectId, Vec<CommentId>)]) -> Result<BTreeSet<SubjectId>> {
        let (mut flat, mut unknown) = (BTreeSet::new(), Vec::new());
        for (subject, ids) in created {
            match self.sources.identities().key(*subject) {
                Some(key) if self.rules.flat(key.object_type()) => _ = flat.insert(*subject),
                Some(_) => {}
                None => unknown.extend(ids.first().map(|first| (*subject, *first))),
            }
        }
        let firsts: Vec<CommentId> = unknown.iter().map(|(_, first)| *first).collect();
        let found = self.reader.locate(&firsts).await?;
        let subjects = unknown.into_iter().zip(found).filter_map(|((subject, _), at)| Some((subject, at?)));
        flat.extend(subjects.filter(|(_, at)| self.rules.flat(at.subject.object_type())).map(|(subject, _)| subject));
        Ok(flat)
    }
}

#[async_trait]
impl RankIndexes for SqlRanks {
    async fn apply(&self, source: usize, events: &[SequencedEvent]) -> Result<()> {
        let mut touched: BTreeSet<RankedComment> =
            events.iter().flat_map(|sequenced| touched(&sequenced.event)).collect();
        touched.extend(self.replied_to(events).await?);
        self.bring(source, touched.into_iter().collect()).await.map(|_| ())
    }

    async fn rebuild(&self, key: &SubjectKey, after: Option<CommentId>, limit: usize) -> Result<RebuildProgress> {
        let found = self.reader.comments_under(key, after, limit).await?;
        let (comments, last) = (found.len(), found.last().map(|comment| comment.reference.id));
        let ranked =
            found.iter().map(|comment| RankedComment { list: list_of(comment), comment: comment.reference.id });
        let mut ranked: Vec<RankedComment> = ranked.collect();
        ranked.sort_unstable();
        let changed = self.bring(self.sources.map().source(key.partition()), ranked).await?;
        Ok(RebuildProgress { comments, changed, next: last.filter(|_| comments == limit) })
    }
}

/// Returns the comments whose scores an event may have changed. A new comment has no score, but a
/// reply counts for its root.
fn touched(event: &Event) -> impl Iterator<Item = RankedComment> + '_ {
    let list = CommentId::from(event.subject);
    event.changes.comments.iter().flat_map(move |change| {
        let (own, of_root) = match change.what {
            ChangeKind::Created => (false, true),
            ChangeKind::StateChanged | ChangeKind::Recounted => (true, true),
            ChangeKind::Liked => (true, false),
            ChangeKind::Edited | ChangeKind::PinChanged => (false, false),
        };
        let root = change.root.filter(|_| of_root).map(|root| RankedComment { list, comment: root });
        let own = own.then(|| RankedComment { list: change.root.unwrap_or(list), comment: change.id });
        root.into_iter().chain(own)
    })
}

#[async_trait]
impl Rankings for SqlRanks {
    async fn current(&self, list: &RankedList, now: Millis) -> Result<Option<(Ranking, i32)>> {
        let Some(seen) = self.reader.seen(list, now, None).await? else { return Ok(None) };
        if let Some(last) = seen.last.as_ref().filter(|last| last.serves(now)) {
            return Ok(Some((last.ranking.clone(), seen.next_floor)));
        }
        let lock = self.locks.of(list);
        let _held = match (lock.try_lock(), seen.last.filter(|last| last.bridges(now))) {
            (Ok(held), _) => held,
            // Another task in this process already makes the next one.
            (Err(_), Some(last)) => return Ok(Some((last.ranking, seen.next_floor))),
            (Err(_), None) => lock.lock().await,
        };
        let Some(seen) = self.reader.seen(list, now, Some(self.rules.depth)).await? else { return Ok(None) };
        let last = seen.last.map(|last| last.ranking);
        let ranking = match (seen.draft, last) {
            (None, Some(last)) => last,
            (None, None) => return Ok(None),
            (Some(draft), last) => {
                let hot = self.rules.hot(list.subject().object_type());
                let floors = freeze(list.board(), hot, draft.candidates, self.rules.depth);
                let epoch = Ranking::epoch_after(last.map(|last| last.epoch), now);
                let ranking = Ranking::new(epoch, now, floors);
                let freeze = snapshot::InsertSnapshot {
                    list: list.clone(),
                    id: draft.list,
                    ranking,
                    fingerprint: draft.fingerprint,
                };
                transact::write(&self.sources, self.sources.map().source(draft.list.partition()), freeze).await?
            }
        };
        Ok(Some((ranking, seen.next_floor)))
    }

    async fn frozen(&self, list: &RankedList, epoch: i64) -> Result<Option<Ranking>> {
        if let Some(known) = self.memory.get(list, epoch) {
            return Ok(Some(known));
        }
        let found = self.reader.frozen(list, epoch).await?;
        found.iter().for_each(|ranking| self.memory.insert(list, ranking));
        Ok(found)
    }

    async fn others(
        &self,
        list: &RankedList,
        ranking: &Ranking,
        floors: Range<i32>,
        order: ListOrder,
        limit: usize,
    ) -> Result<Vec<i32>> {
        self.reader.others(list, ranking, floors, order, limit).await
    }

    async fn trim(&self, source: usize, before: Millis, limit: usize) -> Result<usize> {
        trim::trim(&self.sources, source, before, limit).await
    }
}
