//! The most liked replies of several roots at once, completed with the oldest replies.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use riposte_core::comment::CommentView;
use riposte_core::page::PreviewCandidates;
use riposte_core::rank::{RankIndex, preview_order};
use riposte_core::{Comment, CommentId, SubjectId};
use sea_orm::sea_query::{Expr, ExprTrait, JoinType, SelectStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    Select,
};

use super::listed::{listed, union_all};
use super::rows::{comments_of, force_index, index};
use crate::error::StoreError;
use crate::sql::chunks::padded_chunks;
use crate::sql::entity::comment_index::{Column, Entity, Model};
use crate::sql::entity::comment_rank;
use crate::sql::keys_join::PRIMARY;
use crate::sql::pool::Tx;
use crate::sql::row;

/// A root id that no comment has. It pads lists to a known size without adding rows.
const NO_ROOT: i64 = -1;

/// The previews of some roots.
#[derive(Debug, Default)]
pub(super) struct Previews {
    by_root: HashMap<CommentId, RootReplies>,
    size: usize,
}

/// The data from which the preview of a root is chosen.
#[derive(Debug, Default)]
struct RootReplies {
    /// Listed replies, each once, in preview order.
    replies: Vec<Comment>,
    /// The (likes, floor) of each reply that was read from the rank index.
    by_likes: Vec<(i32, i32)>,
    /// The floors of the oldest replies.
    oldest: Vec<i32>,
    /// True if `replies` has all listed replies of the root.
    complete: bool,
}

impl RootReplies {
    fn add_oldest(&mut self, reply: Comment) {
        self.oldest.push(reply.reference.floor);
        self.replies.push(reply);
    }

    fn add_liked(&mut self, likes: i32, reply: Comment) {
        self.by_likes.push((likes, reply.reference.floor));
        // A deleted reply leaves the rank index a little later than the list.
        if reply.lifecycle.listed {
            self.replies.push(reply);
        }
    }

    fn visible_count(&self) -> i32 {
        self.replies.iter().map(|reply| i32::from(reply.lifecycle.state.is_visible())).sum()
    }
}

impl Previews {
    /// Reads the candidates for previews of at most `size` replies, for each root that has any: the
    /// first `size` of its rank index, and the oldest `size` + 1 of its listed replies; the extra
    /// one shows that there are more.
    ///
    /// Most threads have at most `size` + 1 replies. So the replies with the lowest floors of all
    /// roots are read first, in one statement along one index. For longer threads, one bounded
    /// range for each root reads the remaining candidates; planning these ranges costs more than
    /// reading their rows.
    pub(super) async fn read(tx: &Tx, subject: SubjectId, roots: &[&Comment], size: u8) -> Result<Self, StoreError> {
        let mut previews = Self { size: usize::from(size), ..Self::default() };
        if size == 0 {
            return Ok(previews);
        }
        // A listed reply is visible or has a visible one below it: a root without visible comments
        // below it has no listed replies.
        let mut roots: Vec<_> = roots.iter().filter(|root| root.counts.live_below > 0).copied().collect();
        roots.sort_unstable_by_key(|root| root.reference.id);
        roots.dedup_by_key(|root| root.reference.id);
        let ids: Vec<i64> = roots.iter().map(|root| root.reference.id.get()).collect();
        for list in padded_chunks(&ids) {
            for reply in comments_of(up_to_floor(tx, subject, list, i32::from(size) + 1).all(tx).await?)? {
                previews.by_root.entry(reply.thread_id()).or_default().add_oldest(reply);
            }
        }
        let (mut incomplete, mut lacks_oldest) = (Vec::new(), Vec::new());
        for root in roots {
            let found = previews.by_root.entry(root.reference.id).or_default();
            // A tombstone has a lower floor than the visible replies below it. So if all visible
            // replies were found, all listed replies were found.
            found.complete = found.visible_count() >= root.counts.live_below;
            if !found.complete {
                incomplete.push(root.reference.id.get());
                if found.oldest.len() <= previews.size {
                    lacks_oldest.push(root.reference.id.get());
                }
            }
        }
        previews.read_each(tx, &incomplete, |root| most_liked(tx, root, usize::from(size))).await?;
        previews.read_each(tx, &lacks_oldest, |root| oldest(tx, subject, root, usize::from(size) + 1)).await?;
        previews.by_root.retain(|_, found| !found.replies.is_empty());
        for found in previews.by_root.values_mut() {
            found.replies.sort_by_key(preview_order);
            found.replies.dedup_by_key(|reply| reply.reference.floor);
            found.oldest.sort_unstable();
            found.oldest.dedup();
        }
        Ok(previews)
    }

    /// Adds the rows of one select for each root.
    async fn read_each(
        &mut self,
        tx: &Tx,
        roots: &[i64],
        of: impl Fn(i64) -> SelectStatement,
    ) -> Result<(), StoreError> {
        for mut list in padded_chunks(roots) {
            // The repeated items that pad the list would return their replies twice.
            let distinct = list.iter().collect::<HashSet<_>>().len();
            list[distinct..].fill(NO_ROOT);
            let Some(ids) = union_all(list.into_iter().map(&of).collect()) else { continue };
            let statement = tx.get_database_backend().build(&rows_of(tx, ids));
            for row in tx.query_all_raw(statement).await? {
                let reply = row::comment(Model::from_query_result(&row, "")?)?;
                let found = self.by_root.entry(reply.thread_id()).or_default();
                let score: f64 = row.try_get("", SCORE)?;
                // The rank index puts the best reply at the lowest score, so every score in it is
                // negative.
                if score < 0.0 {
                    found.add_liked(RankIndex::preview_likes(score), reply);
                } else {
                    found.add_oldest(reply);
                }
            }
        }
        Ok(())
    }

    /// Returns the preview of a root, and whether the root has more listed replies.
    pub(super) fn for_root(&self, root: &Comment) -> (&[Comment], bool) {
        match self.by_root.get(&root.reference.id) {
            Some(RootReplies { replies, .. }) => (&replies[..replies.len().min(self.size)], replies.len() > self.size),
            None => (&[], self.size == 0 && root.counts.live_below > 0),
        }
    }

    /// Returns the replies of all previews; if `with_candidates` is true, all replies that were
    /// read.
    pub(super) fn all(&self, with_candidates: bool) -> impl Iterator<Item = &Comment> {
        let count_max = if with_candidates { usize::MAX } else { self.size };
        self.by_root.values().flat_map(move |found| found.replies.iter().take(count_max))
    }

    /// Returns the candidates of each root's preview.
    pub(super) fn candidates(&self, view: impl Fn(&Comment) -> CommentView) -> Vec<PreviewCandidates> {
        let candidates_of = |(root, found): (&CommentId, &RootReplies)| {
            let is_ranked = found.by_likes.len() >= self.size;
            let more = !found.complete && found.oldest.len() > self.size;
            PreviewCandidates {
                root: *root,
                replies: found.replies.iter().map(&view).collect(),
                high: found.oldest.last().copied().filter(|_| more).unwrap_or(i32::MAX),
                place: found
                    .by_likes
                    .iter()
                    .copied()
                    .min_by_key(|(likes, floor)| (*likes, Reverse(*floor)))
                    .filter(|_| is_ranked),
            }
        };
        self.by_root.iter().map(candidates_of).collect()
    }
}

/// The column of a reply's score in the rank index; 0 for a reply that was not read from it.
const SCORE: &str = "score";

/// Selects the listed replies of roots up to a floor.
fn up_to_floor(tx: &Tx, subject: SubjectId, roots: Vec<i64>, floor: i32) -> Select<Entity> {
    let replies = Entity::find()
        .filter(Column::Part.eq(tx.part()))
        .filter(Column::SubjectId.eq(subject.get()))
        .filter(Column::RootId.is_in(roots))
        .filter(Column::Listed.eq(1))
        .filter(Column::Floor.lte(floor));
    force_index(replies, index::LISTED)
}

/// Selects the ids of the oldest listed replies of a root; whole rows would make the union
/// statement very long.
fn oldest(tx: &Tx, subject: SubjectId, root: i64, limit: usize) -> SelectStatement {
    let first = listed(tx, subject, root).order_by_asc(Column::Floor).limit(limit as u64);
    // As a double, like the score on the other side of the union.
    first.select_only().column(Column::Id).expr_as(Expr::cust("0e0"), SCORE).into_query()
}

/// Selects the ids of the most liked replies of a root, by the rank index, with their scores.
fn most_liked(tx: &Tx, root: i64, limit: usize) -> SelectStatement {
    use comment_rank::{Column as RankColumn, Entity};
    let by_likes = Entity::find()
        .select_only()
        .column_as(RankColumn::CommentId, "id")
        .column_as(RankColumn::Score, SCORE)
        .filter(RankColumn::Part.eq(tx.part()))
        .filter(RankColumn::SubjectId.eq(root))
        .filter(RankColumn::Sort.eq(RankIndex::Previews.code()))
        .order_by_asc(RankColumn::Score)
        .order_by_asc(RankColumn::Floor)
        .limit(limit as u64);
    force_index(by_likes, PRIMARY).into_query()
}

/// Selects the rows for the ids of a select, and their scores.
fn rows_of(tx: &Tx, ids: SelectStatement) -> SelectStatement {
    let same = Expr::col(("first", Column::Id)).equals((Entity, Column::Id));
    let mut rows = Entity::find().into_query();
    rows.expr_as(Expr::col(("first", SCORE)), SCORE);
    rows.join_subquery(JoinType::InnerJoin, ids, "first", same);
    rows.and_where(Column::Part.eq(tx.part()));
    rows
}
