//! Ranked orders. As in every store, the rank indexes have the scores of the comments at their last
//! update. All orders are computed by sorting.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use async_trait::async_trait;
use riposte_core::comment::Comment;
use riposte_core::event::{ChangeKind, SequencedEvent};
use riposte_core::page::ListOrder;
use riposte_core::ports::{RankIndexes, RankingSnapshots, RebuildProgress};
use riposte_core::rank::{
    RankCandidate, RankIndex, RankVersion, RankedList, Ranking, RankingConfig, ScoreInputs, list_of, ranked_floors,
    scores,
};
use riposte_core::{CommentId, Millis, Result, SubjectKey};

use super::Model;
use super::recount::Recount;
use super::tables::{SubjectTable, Tables};

/// The version of a ranking snapshot: the revision of the subject or root, and the number of
/// changes of the rank indexes.
type SnapshotVersion = (i64, i64);

/// The rank indexes and the ranking snapshots.
#[derive(Debug, Clone, Default)]
pub(super) struct Ranks {
    /// The rank indexes that contain each comment, with its score in each.
    scores: BTreeMap<CommentId, Vec<(RankIndex, f64)>>,
    /// The number of updates of the rank indexes of each list.
    changes: BTreeMap<CommentId, i64>,
    snapshots: BTreeMap<(CommentId, i8), Vec<(Ranking, SnapshotVersion)>>,
}

impl Ranks {
    /// Returns the first `limit` comments of a rank index, by score and then by floor. The order is
    /// ascending if `ascending` is true, and otherwise descending.
    pub(super) fn first<'c>(
        &self,
        index: RankIndex,
        comments: Vec<&'c Comment>,
        ascending: bool,
        limit: usize,
    ) -> Vec<&'c Comment> {
        let score = |comment: &Comment| {
            let scores = self.scores.get(&comment.reference.id)?;
            scores.iter().find(|(scored, _)| *scored == index).map(|(_, score)| *score)
        };
        let mut ranked: Vec<_> = comments.into_iter().filter_map(|comment| Some((score(comment)?, comment))).collect();
        ranked.sort_by(|(a, one), (b, other)| a.total_cmp(b).then(one.reference.floor.cmp(&other.reference.floor)));
        if !ascending {
            ranked.reverse();
        }
        ranked.into_iter().take(limit).map(|(_, comment)| comment).collect()
    }
}

impl Tables {
    /// Updates the rank indexes for one comment. Returns `true` if its entries changed.
    fn rank(&mut self, id: CommentId, config: &RankingConfig) -> bool {
        let Some((subject_table, row)) = self.comment(id) else { return false };
        let scores = scores(&row.comment, config.hot(subject_table.subject.key.object_type()));
        let list = list_of(&row.comment);
        *self.ranks.changes.entry(list).or_default() += 1;
        let before = self.ranks.scores.insert(id, scores.clone()).unwrap_or_default();
        before != scores
    }

    /// Returns the current state of a list: its id, its next floor, its revision, and its comments.
    fn listing(&self, list: &RankedList) -> Option<(CommentId, i32, i64, Vec<Comment>)> {
        let subject_table = self.open_subject_table(list.subject())?;
        let recount = Recount::new(subject_table);
        let of_list = subject_table.rows.values().filter(|row| row.comment.reference.root_id == list.root());
        let mut comments: Vec<Comment> = of_list.map(|row| recount.comment(&row.comment)).collect();
        comments.sort_by_key(|comment| comment.reference.floor);
        let Some(root) = list.root() else {
            let SubjectTable { subject, .. } = subject_table;
            return Some((CommentId::from(subject.id), subject.next_floor, subject.revision, comments));
        };
        let root = &subject_table.rows.get(&root)?.comment;
        root.is_root().then_some((root.reference.id, root.next_floor, root.lifecycle.revision, comments))
    }
}

#[async_trait]
impl RankIndexes for Model {
    async fn apply(&self, _source: usize, events: &[SequencedEvent]) -> Result<()> {
        let mut tables = self.tables();
        for change in events.iter().flat_map(|sequenced| &sequenced.event.changes.comments) {
            if ![ChangeKind::Edited, ChangeKind::PinChanged, ChangeKind::Noted].contains(&change.kind) {
                let parent = tables.comment(change.id).and_then(|(_, row)| row.comment.reference.parent_id);
                for id in change.root.into_iter().chain(parent).chain([change.id]) {
                    tables.rank(id, &self.shared.ranking);
                }
            }
        }
        Ok(())
    }

    async fn rebuild(&self, key: &SubjectKey, after: Option<CommentId>, limit: usize) -> Result<RebuildProgress> {
        let mut tables = self.tables();
        let Some(recount) = tables.subject_table(key).map(Recount::new) else { return Ok(RebuildProgress::default()) };
        let ids: Vec<CommentId> =
            recount.exported_after(after).take(limit).map(|row| row.comment.reference.id).collect();
        let changed = ids.iter().filter(|id| tables.rank(**id, &self.shared.ranking)).count();
        let next = ids.last().copied().filter(|_| ids.len() == limit);
        Ok(RebuildProgress { comments: ids.len(), changed, next })
    }
}

#[async_trait]
impl RankingSnapshots for Model {
    async fn current(&self, list: &RankedList, now: Millis) -> Result<Option<(Ranking, i32)>> {
        let mut tables = self.tables();
        let Some((id, next_floor, revision, comments)) = tables.listing(list) else { return Ok(None) };
        let version = (revision, tables.ranks.changes.get(&id).copied().unwrap_or(0));
        let key = (id, list.rank_index().code());
        let last = tables.ranks.snapshots.get(&key).and_then(|snapshots| snapshots.last()).cloned();
        let last = last.map(|(ranking, made_from)| RankVersion { ranking, changed: made_from != version });
        if let Some(last) = last.as_ref().filter(|last| last.is_current(now)) {
            return Ok(Some((last.ranking.clone(), next_floor)));
        }
        let depth = self.shared.ranking.depth;
        let first = tables.ranks.first(list.rank_index(), comments.iter().collect(), false, depth);
        let newest = comments.iter().rev().filter(|comment| comment.lifecycle.listed).take(depth);
        let selected: BTreeSet<CommentId> =
            first.into_iter().chain(newest).map(|comment| comment.reference.id).collect();
        let selected = comments
            .iter()
            .filter(|comment| selected.contains(&comment.reference.id) && comment.lifecycle.state.is_visible());
        let candidates: Vec<RankCandidate> =
            selected.map(|c| (c.reference.id, c.reference.floor, ScoreInputs::of(c))).collect();
        let floors =
            ranked_floors(list.rank_index(), self.shared.ranking.hot(list.subject().object_type()), candidates, depth);
        let epoch = Ranking::epoch_after(last.map(|last| last.ranking.epoch), now);
        let ranking = Ranking::new(epoch, now, floors);
        tables.ranks.snapshots.entry(key).or_default().push((ranking.clone(), version));
        Ok(Some((ranking, next_floor)))
    }

    async fn snapshot(&self, list: &RankedList, epoch: i64) -> Result<Option<Ranking>> {
        let tables = self.tables();
        let Some((id, ..)) = tables.listing(list) else { return Ok(None) };
        let snapshots = tables.ranks.snapshots.get(&(id, list.rank_index().code()));
        Ok(snapshots.into_iter().flatten().map(|(ranking, _)| ranking).find(|ranking| ranking.epoch == epoch).cloned())
    }

    async fn unranked(
        &self,
        list: &RankedList,
        ranking: &Ranking,
        floors: Range<i32>,
        order: ListOrder,
        limit: usize,
    ) -> Result<Vec<i32>> {
        let tables = self.tables();
        let Some((.., comments)) = tables.listing(list) else { return Ok(Vec::new()) };
        let mut within: Vec<i32> = comments
            .iter()
            .filter(|c| c.lifecycle.listed)
            .map(|c| c.reference.floor)
            .filter(|floor| floors.contains(floor))
            .collect();
        if order == ListOrder::Newest {
            within.reverse();
        }
        Ok(ranking.unranked(within).into_iter().take(limit).collect())
    }

    async fn trim(&self, _source: usize, before: Millis, limit: usize) -> Result<usize> {
        let mut tables = self.tables();
        let mut trimmed = 0;
        for snapshots in tables.ranks.snapshots.values_mut() {
            snapshots.retain(|(ranking, _)| {
                let is_trimmed = ranking.create_time < before && trimmed < limit;
                trimmed += usize::from(is_trimmed);
                !is_trimmed
            });
        }
        Ok(trimmed)
    }
}
