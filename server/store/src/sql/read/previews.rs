//! The most liked replies of several roots at once, filled up with the oldest.

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

use super::listed::{listed, together};
use super::rows::{along, comments_of, key};
use crate::error::StoreError;
use crate::sql::among::PRIMARY;
use crate::sql::chunks::padded;
use crate::sql::entity::comment_index::{Column, Entity, Model};
use crate::sql::entity::comment_rank;
use crate::sql::pool::Tx;
use crate::sql::row;

/// No comment has this root: it fills lists up to a known size without a row.
const NOBODY: i64 = -1;

/// The previews of some roots.
#[derive(Debug, Default)]
pub(super) struct Previews {
    found: HashMap<CommentId, Found>,
    size: usize,
}

/// What was found for the preview of a root.
#[derive(Debug, Default)]
struct Found {
    /// Listed replies, each once, in the order of previews.
    replies: Vec<Comment>,
    /// The places of those on its board: (likes, floor).
    board: Vec<(i32, i32)>,
    /// The floors of its oldest.
    oldest: Vec<i32>,
    /// Whether these are all its listed replies.
    whole: bool,
}

impl Found {
    fn add_oldest(&mut self, reply: Comment) {
        self.oldest.push(reply.floor);
        self.replies.push(reply);
    }

    fn add_liked(&mut self, likes: i32, reply: Comment) {
        self.board.push((likes, reply.floor));
        // What is deleted leaves its board a little later than the list.
        if reply.listed {
            self.replies.push(reply);
        }
    }

    fn visible(&self) -> i32 {
        self.replies.iter().map(|reply| i32::from(reply.state.is_visible())).sum()
    }
}

impl Previews {
    /// Reads what the previews of at most `size` replies are chosen from, for each root that has any: the first `size` of
    /// its board, and one more than `size` of its oldest listed replies, to know whether there are more.
    ///
    /// Most threads are no longer than that. So the lowest floors of all roots are read at first, in one statement along
    /// one key, and what is left is asked for where that was not the whole thread: a bounded range for each root, which
    /// costs the optimiser more than the rows.
    pub(super) async fn read(tx: &Tx, subject: SubjectId, roots: &[&Comment], size: u8) -> Result<Self, StoreError> {
        let mut previews = Self { size: usize::from(size), ..Self::default() };
        if size == 0 {
            return Ok(previews);
        }
        // A listed reply is visible or stands above a visible one: without anything visible below there is none.
        let mut roots: Vec<_> = roots.iter().filter(|root| root.live_below > 0).copied().collect();
        roots.sort_unstable_by_key(|root| root.id);
        roots.dedup_by_key(|root| root.id);
        let ids: Vec<i64> = roots.iter().map(|root| root.id.get()).collect();
        for list in padded(&ids) {
            for reply in comments_of(lowest(tx, subject, list, i32::from(size) + 1).all(tx).await?)? {
                previews.found.entry(reply.thread_id()).or_default().add_oldest(reply);
            }
        }
        let (mut popular, mut holed) = (Vec::new(), Vec::new());
        for root in roots {
            let found = previews.found.entry(root.id).or_default();
            // All that is visible stands among them, and so does all that is listed for the sake of it.
            found.whole = found.visible() >= root.live_below;
            if !found.whole {
                popular.push(root.id.get());
                if found.oldest.len() <= previews.size {
                    holed.push(root.id.get());
                }
            }
        }
        previews.take(tx, &popular, |root| most_liked(tx, root, usize::from(size))).await?;
        previews.take(tx, &holed, |root| oldest(tx, subject, root, usize::from(size) + 1)).await?;
        previews.found.retain(|_, found| !found.replies.is_empty());
        for found in previews.found.values_mut() {
            found.replies.sort_by_key(preview_order);
            found.replies.dedup_by_key(|reply| reply.floor);
            found.oldest.sort_unstable();
            found.oldest.dedup();
        }
        Ok(previews)
    }

    /// Takes what one select for each root gives.
    async fn take(&mut self, tx: &Tx, roots: &[i64], of: impl Fn(i64) -> SelectStatement) -> Result<(), StoreError> {
        for mut list in padded(roots) {
            // The copies that pad the list would bring their replies twice.
            let distinct = list.iter().collect::<HashSet<_>>().len();
            list[distinct..].fill(NOBODY);
            let Some(ids) = together(list.into_iter().map(&of).collect()) else { continue };
            let statement = tx.get_database_backend().build(&rows_of(tx, ids));
            for row in tx.query_all_raw(statement).await? {
                let reply = row::comment(Model::from_query_result(&row, "")?)?;
                let found = self.found.entry(reply.thread_id()).or_default();
                let score: f64 = row.try_get("", SCORE)?;
                // A board keeps its first by the least score, so whatever stands on one has a negative one.
                if score < 0.0 {
                    found.add_liked(RankIndex::likes_on_previews(score), reply);
                } else {
                    found.add_oldest(reply);
                }
            }
        }
        Ok(())
    }

    /// The preview of a root, and whether it has more listed replies.
    pub(super) fn of(&self, root: &Comment) -> (&[Comment], bool) {
        match self.found.get(&root.id) {
            Some(Found { replies, .. }) => (&replies[..replies.len().min(self.size)], replies.len() > self.size),
            None => (&[], self.size == 0 && root.live_below > 0),
        }
    }

    /// All that was read, with the root of each; of those that only tell of more, only where the `whole` choice is asked for.
    pub(super) fn all(&self, whole: bool) -> impl Iterator<Item = &Comment> {
        let most = if whole { usize::MAX } else { self.size };
        self.found.values().flat_map(move |found| found.replies.iter().take(most))
    }

    /// What the preview of each root was chosen from.
    pub(super) fn choices(&self, view: impl Fn(&Comment) -> CommentView) -> Vec<PreviewCandidates> {
        let choice = |(root, found): (&CommentId, &Found)| {
            let on_board = found.board.len() >= self.size;
            let more = !found.whole && found.oldest.len() > self.size;
            PreviewCandidates {
                root: *root,
                replies: found.replies.iter().map(&view).collect(),
                high: found.oldest.last().copied().filter(|_| more).unwrap_or(i32::MAX),
                place: found
                    .board
                    .iter()
                    .copied()
                    .min_by_key(|(likes, floor)| (*likes, Reverse(*floor)))
                    .filter(|_| on_board),
            }
        };
        self.found.iter().map(choice).collect()
    }
}

/// The score on a board that a select tells; 0 for what it did not find on one.
const SCORE: &str = "score";

/// The listed replies of roots up to a floor.
fn lowest(tx: &Tx, subject: SubjectId, roots: Vec<i64>, floor: i32) -> Select<Entity> {
    let replies = Entity::find()
        .filter(Column::Part.eq(tx.part()))
        .filter(Column::SubjectId.eq(subject.get()))
        .filter(Column::RootId.is_in(roots))
        .filter(Column::Listed.eq(1))
        .filter(Column::Floor.lte(floor));
    along(replies, key::LISTED)
}

/// The ids of the oldest listed replies of a root; whole rows of each would make a union of very long lines.
fn oldest(tx: &Tx, subject: SubjectId, root: i64, limit: usize) -> SelectStatement {
    let first = listed(tx, subject, root).order_by_asc(Column::Floor).limit(limit as u64);
    // As a double, as the other side has it.
    first.select_only().column(Column::Id).expr_as(Expr::cust("0e0"), SCORE).into_query()
}

/// The ids of the most liked replies of a root, as its board knows them, with their scores.
fn most_liked(tx: &Tx, root: i64, limit: usize) -> SelectStatement {
    use comment_rank::{Column as On, Entity};
    let board = Entity::find()
        .select_only()
        .column_as(On::CommentId, "id")
        .column_as(On::Score, SCORE)
        .filter(On::Part.eq(tx.part()))
        .filter(On::SubjectId.eq(root))
        .filter(On::Sort.eq(RankIndex::Previews.code()))
        .order_by_asc(On::Score)
        .order_by_asc(On::Floor)
        .limit(limit as u64);
    along(board, PRIMARY).into_query()
}

/// The rows whose ids a select gives, and their scores.
fn rows_of(tx: &Tx, ids: SelectStatement) -> SelectStatement {
    let same = Expr::col(("first", Column::Id)).equals((Entity, Column::Id));
    let mut rows = Entity::find().into_query();
    rows.expr_as(Expr::col(("first", SCORE)), SCORE);
    rows.join_subquery(JoinType::InnerJoin, ids, "first", same);
    rows.and_where(Column::Part.eq(tx.part()));
    rows
}
