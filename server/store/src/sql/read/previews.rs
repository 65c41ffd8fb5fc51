//! The most liked replies of several roots at once, filled up with the oldest.

use std::collections::{HashMap, HashSet};

use riposte_core::rank::{Board, preview_order};
use riposte_core::{Comment, CommentId, SubjectId};
use sea_orm::sea_query::{Expr, ExprTrait, JoinType, SelectStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
};

use super::listed::{listed, together};
use super::rows::{along, comments_of};
use crate::error::Fault;
use crate::sql::among::PRIMARY;
use crate::sql::chunks::padded;
use crate::sql::entity::comment_index::{Column, Entity, Model};
use crate::sql::entity::comment_rank;
use crate::sql::pool::Tx;

/// No comment has this root: it fills lists up to a known size without a row.
const NOBODY: i64 = -1;

/// The previews of some roots.
#[derive(Debug, Default)]
pub(super) struct Previews {
    replies: HashMap<CommentId, Vec<Comment>>,
    size: usize,
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
            for reply in comments_of(Model::find_by_statement(statement).all(tx).await?)? {
                // What is deleted leaves its board a little later than the list.
                if reply.listed {
                    previews.replies.entry(reply.thread_id()).or_default().push(reply);
                }
            }
        }
        for replies in previews.replies.values_mut() {
            replies.sort_by_key(preview_order);
            replies.dedup_by_key(|reply| reply.floor);
        }
        Ok(previews)
    }

    /// The preview of a root, and whether it has more listed replies.
    pub(super) fn of(&self, root: &Comment) -> (&[Comment], bool) {
        match self.replies.get(&root.id) {
            Some(replies) => (&replies[..replies.len().min(self.size)], replies.len() > self.size),
            None => (&[], self.size == 0 && root.live_below > 0),
        }
    }

    /// All that was read for previews, the rows that only tell of more left out.
    pub(super) fn all(&self) -> impl Iterator<Item = &Comment> {
        self.replies.values().flat_map(|replies| replies.iter().take(self.size))
    }
}

/// The ids of the oldest listed replies of a root; whole rows of each would make a union of very long lines.
fn oldest(tx: &Tx, subject: SubjectId, root: i64, limit: usize) -> SelectStatement {
    let first = listed(tx, subject, root).order_by_asc(Column::Floor).limit(limit as u64);
    first.select_only().column(Column::Id).into_query()
}

/// The ids of the most liked replies of a root, as its board knows them.
fn most_liked(tx: &Tx, root: i64, limit: usize) -> SelectStatement {
    use comment_rank::{Column as On, Entity};
    let board = Entity::find()
        .select_only()
        .column_as(On::CommentId, "id")
        .filter(On::Part.eq(tx.part()))
        .filter(On::SubjectId.eq(root))
        .filter(On::Sort.eq(Board::Previews.code()))
        .order_by_asc(On::Score)
        .order_by_asc(On::Floor)
        .limit(limit as u64);
    along(board, PRIMARY).into_query()
}

/// The rows whose ids a select gives.
fn rows_of(tx: &Tx, ids: SelectStatement) -> SelectStatement {
    let same = Expr::col(("first", Column::Id)).equals((Entity, Column::Id));
    let mut rows = Entity::find().into_query();
    rows.join_subquery(JoinType::InnerJoin, ids, "first", same);
    rows.and_where(Column::Part.eq(tx.part()));
    rows
}
