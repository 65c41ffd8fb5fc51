//! The most liked replies of several roots at once, filled up with the oldest.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use riposte_core::comment::CommentView;
use riposte_core::page::Choice;
use riposte_core::rank::{Board, preview_order};
use riposte_core::{Comment, CommentId, SubjectId};
use sea_orm::sea_query::{Expr, ExprTrait, JoinType, SelectStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
};

use super::listed::{listed, together};
use super::rows::along;
use crate::error::Fault;
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
}

impl Previews {
    /// Reads what the previews of at most `size` replies are chosen from, for each root that has any: the first `size` of
    /// its board, and one more than `size` of its oldest listed replies, to know whether there are more. One statement:
    /// two bounded ranges for each root.
    pub(super) async fn read(tx: &Tx, subject: SubjectId, roots: &[&Comment], size: u8) -> Result<Self, Fault> {
        let size = usize::from(size);
        let mut previews = Self { size, ..Self::default() };
        // A listed reply is visible or stands above a visible one: without anything visible below there is none.
        let mut ids: Vec<i64> = roots.iter().filter(|root| root.live_below > 0).map(|root| root.id.get()).collect();
        ids.sort_unstable();
        ids.dedup();
        if size == 0 {
            return Ok(previews);
        }
        for mut list in padded(&ids) {
            // The copies that pad the list would bring their replies twice.
            let distinct = list.iter().collect::<HashSet<_>>().len();
            list[distinct..].fill(NOBODY);
            let both = |root| [most_liked(tx, root, size), oldest(tx, subject, root, size + 1)];
            let Some(ids) = together(list.into_iter().flat_map(both).collect()) else { continue };
            let statement = tx.get_database_backend().build(&rows_of(tx, ids));
            for row in tx.query_all_raw(statement).await? {
                previews.take(Model::from_query_result(&row, "")?, row.try_get("", SCORE)?)?;
            }
        }
        for found in previews.found.values_mut() {
            found.replies.sort_by_key(preview_order);
            found.replies.dedup_by_key(|reply| reply.floor);
        }
        Ok(previews)
    }

    /// Takes a reply that stands on its board with a score, or without one is among the oldest.
    fn take(&mut self, row: Model, score: f64) -> Result<(), Fault> {
        let reply = row::comment(row)?;
        let found = self.found.entry(reply.thread_id()).or_default();
        if score < 0.0 {
            found.board.push((Board::likes_on_previews(score), reply.floor));
        } else {
            found.oldest.push(reply.floor);
        }
        // What is deleted leaves its board a little later than the list.
        if reply.listed {
            found.replies.push(reply);
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
    pub(super) fn choices(&self, view: impl Fn(&Comment) -> CommentView) -> Vec<Choice> {
        let choice = |(root, found): (&CommentId, &Found)| {
            let (on_board, oldest) = (found.board.len() >= self.size, found.oldest.len() > self.size);
            Choice {
                root: *root,
                replies: found.replies.iter().map(&view).collect(),
                high: found.oldest.iter().copied().max().filter(|_| oldest).unwrap_or(i32::MAX),
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
        .filter(On::Sort.eq(Board::Previews.code()))
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
