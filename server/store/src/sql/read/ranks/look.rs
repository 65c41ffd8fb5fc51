//! The last ranking of a list, and what the next one is frozen from.

use std::collections::HashSet;

use riposte_core::rank::{Candidate, RankedList, Ranking, Standing, Tally};
use riposte_core::{CommentId, CommentState, Millis, Partition};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use super::Listing;
use crate::error::Fault;
use crate::sql::among::PRIMARY;
use crate::sql::chunks::padded;
use crate::sql::entity::{comment_epoch, comment_index, comment_rank, comment_ranked};
use crate::sql::pool::Tx;
use crate::sql::read::listed::listed;
use crate::sql::read::{Query, along};
use crate::sql::row::{self, Print};

/// What a list looks like to whoever begins a walk.
#[derive(Debug)]
pub(in crate::sql) struct Seen {
    /// Its last ranking.
    pub(in crate::sql) last: Option<Standing>,
    /// The next floor of the list.
    pub(in crate::sql) next_floor: i32,
    /// What the next ranking is frozen from, if the last one does not serve.
    pub(in crate::sql) draft: Option<Draft>,
}

/// What a ranking is frozen from.
#[derive(Debug)]
pub(in crate::sql) struct Draft {
    /// The number that boards and rankings know the list by.
    pub(in crate::sql) list: CommentId,
    /// The state of the list.
    pub(in crate::sql) print: Print,
    /// Every comment that may be ranked, once.
    pub(in crate::sql) candidates: Vec<Candidate>,
}

#[derive(Debug)]
pub(super) struct Look {
    pub(super) list: RankedList,
    pub(super) now: Millis,
    pub(super) depth: Option<usize>,
}

impl Query for Look {
    type Answer = Option<Seen>;
    const NAME: &'static str = "look at ranking";

    fn partition(&self) -> Partition {
        self.list.subject().partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Answer, Fault> {
        let Some(listing) = Listing::of(tx, &self.list).await? else { return Ok(None) };
        let print = Print { revision: listing.revision, changes: changes(tx, listing.id()).await? };
        let last = along(rankings(tx, &self.list, listing.id()), PRIMARY).order_by_desc(comment_epoch::Column::Epoch);
        let last = last.limit(1).one(tx).await?.as_ref().map(row::ranking).transpose()?;
        let last = last.map(|(ranking, frozen)| Standing { ranking, changed: frozen != print });
        let serves = last.as_ref().is_some_and(|last| last.serves(self.now));
        let draft = match self.depth.filter(|_| !serves) {
            Some(depth) => {
                Some(Draft { list: listing.id(), print, candidates: self.candidates(tx, &listing, depth).await? })
            }
            None => None,
        };
        Ok(Some(Seen { last, next_floor: listing.next_floor, draft }))
    }
}

/// What a candidate is made of: id, floor, state, likes, dislikes, replies, time.
type Line = (i64, i32, i8, i32, i32, i32, i64);

impl Look {
    async fn candidates(&self, tx: &Tx, listing: &Listing, depth: usize) -> Result<Vec<Candidate>, Fault> {
        use comment_index::Column;
        let newest = lines(listed(tx, listing.subject, listing.root_id())).order_by_desc(Column::Floor);
        let mut found: Vec<Line> = newest.limit(depth as u64).into_tuple().all(tx).await?;
        let known: HashSet<i64> = found.iter().map(|line| line.0).collect();
        let mut first = self.first_of_board(tx, listing, depth).await?;
        first.retain(|id| !known.contains(id));
        for list in padded(&first) {
            let rows = comment_index::Entity::find().filter(Column::Part.eq(tx.part())).filter(Column::Id.is_in(list));
            found.extend(lines(rows).into_tuple::<Line>().all(tx).await?);
        }
        found.into_iter().filter(|line| visible(line.2)).map(candidate).collect()
    }

    /// The ids of the first `depth` comments of the board.
    async fn first_of_board(&self, tx: &Tx, listing: &Listing, depth: usize) -> Result<Vec<i64>, Fault> {
        use comment_rank::Column;
        let board = comment_rank::Entity::find()
            .select_only()
            .column(Column::CommentId)
            .filter(Column::Part.eq(tx.part()))
            .filter(Column::SubjectId.eq(listing.id().get()))
            .filter(Column::Sort.eq(self.list.board().code()))
            .order_by_desc(Column::Score)
            .order_by_desc(Column::Floor)
            .limit(depth as u64);
        Ok(along(board, PRIMARY).into_tuple().all(tx).await?)
    }
}

fn lines(rows: Select<comment_index::Entity>) -> Select<comment_index::Entity> {
    use comment_index::Column;
    let columns = [Column::Id, Column::Floor, Column::State, Column::LikeCount, Column::DislikeCount];
    rows.select_only().columns(columns).columns([Column::ReplyCount, Column::CreateTime])
}

/// A tombstone has no rank: it follows by its floor.
fn visible(state: i8) -> bool {
    CommentState::from_code(state).is_some_and(CommentState::is_visible)
}

fn candidate((id, floor, _, likes, dislikes, replies, time): Line) -> Result<Candidate, Fault> {
    Ok((row::id(id)?, floor, Tally { likes, dislikes, replies, time: Millis(time) }))
}

/// How often the boards of a list were written.
async fn changes(tx: &Tx, list: CommentId) -> Result<i64, Fault> {
    use comment_ranked::{Column, Entity};
    let changes = Entity::find().select_only().column(Column::Changes);
    let changes = changes.filter(Column::Part.eq(tx.part())).filter(Column::ListId.eq(list.get()));
    Ok(changes.into_tuple().one(tx).await?.unwrap_or(0))
}

/// The rankings of a list.
fn rankings(tx: &Tx, list: &RankedList, id: CommentId) -> Select<comment_epoch::Entity> {
    use comment_epoch::{Column, Entity};
    Entity::find()
        .filter(Column::Part.eq(tx.part()))
        .filter(Column::SubjectId.eq(id.get()))
        .filter(Column::Sort.eq(list.board().code()))
}

/// One ranking, by its number.
#[derive(Debug)]
pub(super) struct Frozen {
    pub(super) list: RankedList,
    pub(super) epoch: i64,
}

impl Query for Frozen {
    type Answer = Option<Ranking>;
    const NAME: &'static str = "read ranking";

    fn partition(&self) -> Partition {
        self.list.subject().partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Answer, Fault> {
        let Some(listing) = Listing::of(tx, &self.list).await? else { return Ok(None) };
        let row = rankings(tx, &self.list, listing.id()).filter(comment_epoch::Column::Epoch.eq(self.epoch));
        let found = row.one(tx).await?.as_ref().map(row::ranking).transpose()?;
        Ok(found.map(|(ranking, _)| ranking))
    }
}
