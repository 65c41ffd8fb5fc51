//! Ranked orders. As in every store, the rank indexes of the oracle hold the state of the comments
//! at the last update. All orders are computed by sorting.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use async_trait::async_trait;
use riposte_core::comment::Comment;
use riposte_core::event::{ChangeKind, SequencedEvent};
use riposte_core::page::ListOrder;
use riposte_core::ports::{RankIndexes, Rankings, RebuildProgress};
use riposte_core::rank::{
    RankCandidate, RankIndex, RankVersion, RankedList, Ranking, RankingConfig, ScoreInputs, freeze, list_of, standings,
};
use riposte_core::{CommentId, Millis, Result, SubjectKey};

use super::Model;
use super::audit::Counted;
use super::tables::{SubjectTable, Tables};

/// The version of a ranking snapshot: the revision of the subject or root, and the number of
/// changes of the rank indexes.
type Print = (i64, i64);

/// The rank indexes and the ranking snapshots.
#[derive(Debug, Clone, Default)]
pub(super) struct Ranks {
    /// The rank indexes that contain each comment, with its score in each.
    stands: BTreeMap<CommentId, Vec<(RankIndex, f64)>>,
    changes: BTreeMap<CommentId, i64>,
    frozen: BTreeMap<(CommentId, i8), Vec<(Ranking, Print)>>,
}

impl Ranks {
    /// Returns the first `most` comments of a rank index, by score and then by floor. The order is
    /// ascending if `up` is true, and otherwise descending.
    pub(super) fn first<'c>(
        &self,
        board: RankIndex,
        comments: Vec<&'c Comment>,
        up: bool,
        most: usize,
    ) -> Vec<&'c Comment> {
        let score = |comment: &Comment| {
            let stands = self.stands.get(&comment.reference.id)?;
            stands.iter().find(|(on, _)| *on == board).map(|(_, score)| *score)
        };
        let mut on: Vec<_> = comments.into_iter().filter_map(|comment| Some((score(comment)?, comment))).collect();
        on.sort_by(|(a, one), (b, other)| a.total_cmp(b).then(one.reference.floor.cmp(&other.reference.floor)));
        if !up {
            on.reverse();
        }
        on.into_iter().take(most).map(|(_, comment)| comment).collect()
    }
}

impl Tables {
    /// Updates the rank indexes for one comment. Returns `true` if its entries changed.
    fn rank(&mut self, id: CommentId, rules: &RankingConfig) -> bool {
        let Some((subject_table, row)) = self.home(id) else { return false };
        let stands = standings(&row.comment, rules.hot(subject_table.subject.key.object_type()));
        let list = list_of(&row.comment);
        *self.ranks.changes.entry(list).or_default() += 1;
        let before = self.ranks.stands.insert(id, stands.clone()).unwrap_or_default();
        before != stands
    }

    /// Returns the current state of a list: its id, its next floor, its revision, and its comments.
    fn listing(&self, list: &RankedList) -> Option<(CommentId, i32, i64, Vec<Comment>)> {
        let subject_table = self.open_subject_table(list.subject())?;
        let counted = Counted::new(subject_table);
        let of_list = subject_table.rows.values().filter(|row| row.comment.reference.root_id == list.root());
        let mut comments: Vec<Comment> = of_list.map(|row| counted.comment(&row.comment)).collect();
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
            if ![ChangeKind::Edited, ChangeKind::PinChanged].contains(&change.what) {
                let parent = tables.home(change.id).and_then(|(_, row)| row.comment.reference.parent_id);
                for id in change.root.into_iter().chain(parent).chain([change.id]) {
                    tables.rank(id, &self.shared.rules);
                }
            }
        }
        Ok(())
    }

    async fn rebuild(&self, key: &SubjectKey, after: Option<CommentId>, limit: usize) -> Result<RebuildProgress> {
        let mut tables = self.tables();
        let Some(counted) = tables.subject_table(key).map(Counted::new) else { return Ok(RebuildProgress::default()) };
        let ids: Vec<CommentId> = counted.behind(after).take(limit).map(|row| row.comment.reference.id).collect();
        let changed = ids.iter().filter(|id| tables.rank(**id, &self.shared.rules)).count();
        let next = ids.last().copied().filter(|_| ids.len() == limit);
        Ok(RebuildProgress { comments: ids.len(), changed, next })
    }
}

#[async_trait]
impl Rankings for Model {
    async fn current(&self, list: &RankedList, now: Millis) -> Result<Option<(Ranking, i32)>> {
        let mut tables = self.tables();
        let Some((id, next_floor, revision, comments)) = tables.listing(list) else { return Ok(None) };
        let fingerprint = (revision, tables.ranks.changes.get(&id).copied().unwrap_or(0));
        let key = (id, list.board().code());
        let last = tables.ranks.frozen.get(&key).and_then(|frozen| frozen.last()).cloned();
        let standing = last.map(|(ranking, from)| RankVersion { ranking, changed: from != fingerprint });
        if let Some(last) = standing.as_ref().filter(|last| last.serves(now)) {
            return Ok(Some((last.ranking.clone(), next_floor)));
        }
        let depth = self.shared.rules.depth;
        let first = tables.ranks.first(list.board(), comments.iter().collect(), false, depth);
        let newest = comments.iter().rev().filter(|comment| comment.lifecycle.listed).take(depth);
        let chosen: BTreeSet<CommentId> = first.into_iter().chain(newest).map(|comment| comment.reference.id).collect();
        let chosen = comments
            .iter()
            .filter(|comment| chosen.contains(&comment.reference.id) && comment.lifecycle.state.is_visible());
        let candidates: Vec<RankCandidate> =
            chosen.map(|c| (c.reference.id, c.reference.floor, ScoreInputs::of(c))).collect();
        let floors = freeze(list.board(), self.shared.rules.hot(list.subject().object_type()), candidates, depth);
        let epoch = Ranking::epoch_after(standing.map(|last| last.ranking.epoch), now);
        let ranking = Ranking::new(epoch, now, floors);
        tables.ranks.frozen.entry(key).or_default().push((ranking.clone(), fingerprint));
        Ok(Some((ranking, next_floor)))
    }

    async fn frozen(&self, list: &RankedList, epoch: i64) -> Result<Option<Ranking>> {
        let tables = self.tables();
        let Some((id, ..)) = tables.listing(list) else { return Ok(None) };
        let frozen = tables.ranks.frozen.get(&(id, list.board().code()));
        Ok(frozen.into_iter().flatten().map(|(ranking, _)| ranking).find(|ranking| ranking.epoch == epoch).cloned())
    }

    async fn others(
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
        Ok(ranking.leaves(within).into_iter().take(limit).collect())
    }

    async fn trim(&self, _source: usize, before: Millis, limit: usize) -> Result<usize> {
        let mut tables = self.tables();
        let mut trimmed = 0;
        for frozen in tables.ranks.frozen.values_mut() {
            frozen.retain(|(ranking, _)| {
                let goes = ranking.made < before && trimmed < limit;
                trimmed += usize::from(goes);
                !goes
            });
        }
        Ok(trimmed)
    }
}
