//! The last ranking of a list, and the data for the next one.

use std::collections::HashSet;

use riposte_core::rank::{RankCandidate, RankVersion, RankedList, Ranking, ScoreInputs};
use riposte_core::{CommentId, CommentState, Millis, Partition};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use super::Listing;
use crate::error::StoreError;
use crate::sql::chunks::padded_chunks;
use crate::sql::entity::{comment_epoch, comment_index, comment_rank, comment_ranked};
use crate::sql::keys_join::PRIMARY;
use crate::sql::pool::Tx;
use crate::sql::read::listed::listed;
use crate::sql::read::{ReadQuery, force_index};
use crate::sql::row::{self, SnapshotFingerprint};

/// The rank state of a list at the beginning of a walk.
#[derive(Debug)]
pub(in crate::sql) struct ListRankState {
    /// The last ranking of the list.
    pub(in crate::sql) last: Option<RankVersion>,
    /// The next floor of the list.
    pub(in crate::sql) next_floor: i32,
    /// The data for the next ranking, if the last one is outdated.
    pub(in crate::sql) draft: Option<SnapshotDraft>,
}

/// The data from which a ranking is made.
#[derive(Debug)]
pub(in crate::sql) struct SnapshotDraft {
    /// The list id in the rank index and in rankings.
    pub(in crate::sql) list: CommentId,
    /// The state of the list.
    pub(in crate::sql) fingerprint: SnapshotFingerprint,
    /// Every comment that may be ranked, each once.
    pub(in crate::sql) candidates: Vec<RankCandidate>,
}

#[derive(Debug)]
pub(super) struct LoadRankState {
    pub(super) list: RankedList,
    pub(super) now: Millis,
    pub(super) depth: Option<usize>,
}

impl ReadQuery for LoadRankState {
    type Output = Option<ListRankState>;
    const NAME: &'static str = "load ranking snapshot";

    fn partition(&self) -> Partition {
        self.list.subject().partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        let Some(listing) = Listing::of(tx, &self.list).await? else { return Ok(None) };
        let fingerprint = SnapshotFingerprint { revision: listing.revision, changes: changes(tx, listing.id()).await? };
        let last =
            force_index(rankings(tx, &self.list, listing.id()), PRIMARY).order_by_desc(comment_epoch::Column::Epoch);
        let last = last.limit(1).one(tx).await?.as_ref().map(row::ranking).transpose()?;
        let last = last.map(|(ranking, snapshot)| RankVersion { ranking, changed: snapshot != fingerprint });
        let serves = last.as_ref().is_some_and(|last| last.is_current(self.now));
        let draft = match self.depth.filter(|_| !serves) {
            Some(depth) => Some(SnapshotDraft {
                list: listing.id(),
                fingerprint,
                candidates: self.candidates(tx, &listing, depth).await?,
            }),
            None => None,
        };
        Ok(Some(ListRankState { last, next_floor: listing.next_floor, draft }))
    }
}

/// The columns of a candidate: id, floor, state, likes, dislikes, replies, time.
type CandidateColumns = (i64, i32, i8, i32, i32, i32, i64);

impl LoadRankState {
    async fn candidates(&self, tx: &Tx, listing: &Listing, depth: usize) -> Result<Vec<RankCandidate>, StoreError> {
        use comment_index::Column;
        let newest = candidate_columns(listed(tx, listing.subject, listing.root_id())).order_by_desc(Column::Floor);
        let mut found: Vec<CandidateColumns> = newest.limit(depth as u64).into_tuple().all(tx).await?;
        let newest_ids: HashSet<i64> = found.iter().map(|columns| columns.0).collect();
        let mut first = self.top_of_rank_index(tx, listing, depth).await?;
        first.retain(|id| !newest_ids.contains(id));
        for list in padded_chunks(&first) {
            let rows = comment_index::Entity::find().filter(Column::Part.eq(tx.part())).filter(Column::Id.is_in(list));
            found.extend(candidate_columns(rows).into_tuple::<CandidateColumns>().all(tx).await?);
        }
        found.into_iter().filter(|columns| is_ranked(columns.2)).map(candidate).collect()
    }

    /// Returns the ids of the first `depth` comments of the rank index.
    async fn top_of_rank_index(&self, tx: &Tx, listing: &Listing, depth: usize) -> Result<Vec<i64>, StoreError> {
        use comment_rank::Column;
        let rows = comment_rank::Entity::find()
            .select_only()
            .column(Column::CommentId)
            .filter(Column::Part.eq(tx.part()))
            .filter(Column::SubjectId.eq(listing.id().get()))
            .filter(Column::Sort.eq(self.list.rank_index().code()))
            .order_by_desc(Column::Score)
            .order_by_desc(Column::Floor)
            .limit(depth as u64);
        Ok(force_index(rows, PRIMARY).into_tuple().all(tx).await?)
    }
}

fn candidate_columns(rows: Select<comment_index::Entity>) -> Select<comment_index::Entity> {
    use comment_index::Column;
    let columns = [Column::Id, Column::Floor, Column::State, Column::LikeCount, Column::DislikeCount];
    rows.select_only().columns(columns).columns([Column::ReplyCount, Column::CreateTime])
}

/// Returns whether a comment has a rank. A tombstone has none: it is placed by its floor.
fn is_ranked(state: i8) -> bool {
    CommentState::from_code(state).is_some_and(CommentState::is_visible)
}

fn candidate((id, floor, _, likes, dislikes, replies, time): CandidateColumns) -> Result<RankCandidate, StoreError> {
    Ok((row::id(id)?, floor, ScoreInputs { likes, dislikes, replies, time: Millis(time) }))
}

/// Returns the number of writes to the rank index of a list.
async fn changes(tx: &Tx, list: CommentId) -> Result<i64, StoreError> {
    use comment_ranked::{Column, Entity};
    let changes = Entity::find().select_only().column(Column::Changes);
    let changes = changes.filter(Column::Part.eq(tx.part())).filter(Column::ListId.eq(list.get()));
    Ok(changes.into_tuple().one(tx).await?.unwrap_or(0))
}

/// Selects the rankings of a list.
fn rankings(tx: &Tx, list: &RankedList, id: CommentId) -> Select<comment_epoch::Entity> {
    use comment_epoch::{Column, Entity};
    Entity::find()
        .filter(Column::Part.eq(tx.part()))
        .filter(Column::SubjectId.eq(id.get()))
        .filter(Column::Sort.eq(list.rank_index().code()))
}

/// Loads one ranking by its number.
#[derive(Debug)]
pub(super) struct LoadSnapshot {
    pub(super) list: RankedList,
    pub(super) epoch: i64,
}

impl ReadQuery for LoadSnapshot {
    type Output = Option<Ranking>;
    const NAME: &'static str = "read ranking";

    fn partition(&self) -> Partition {
        self.list.subject().partition()
    }

    async fn read(self, tx: &Tx) -> Result<Self::Output, StoreError> {
        let Some(listing) = Listing::of(tx, &self.list).await? else { return Ok(None) };
        let row = rankings(tx, &self.list, listing.id()).filter(comment_epoch::Column::Epoch.eq(self.epoch));
        let found = row.one(tx).await?.as_ref().map(row::ranking).transpose()?;
        Ok(found.map(|(ranking, _)| ranking))
    }
}
