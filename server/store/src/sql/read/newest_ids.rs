//! The ids of comments from the newest to the oldest: those of a subject, or those in all tables.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::try_join_all;
use riposte_core::ids::PARTITIONS;
use riposte_core::ports::NewestComments;
use riposte_core::{CommentId, Partition, Result, SubjectKey};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select, TryGetableMany};

use super::ReadQuery;
use super::rows::{force_index, index, subject};
use crate::error::{StoreError, StoreResult};
use crate::sql::entity::comment_index::{Column, Entity};
use crate::sql::pool::{DataSources, Tx};
use crate::sql::{row, task};

/// The name of the reads of all tables.
const NAME: &str = "read newest ids of comments";
/// The fewest ids that are read of a table at a time.
const TABLE_MIN: usize = 8;
/// The number of comments up to which those of a subject are found by its index and sorted. Those
/// of a larger subject are frequent enough in its table.
const SORTED_MAX: i64 = 50_000;

/// Reads about `limit` ids of all tables, and the bound of the next part.
///
/// Each table gives its newest ids. One that gave as many as were asked for may have more below the
/// last of them, so only ids from the highest such bound on are returned.
pub(super) async fn of_all_tables(
    sources: &Arc<DataSources>,
    range: &NewestComments,
    limit: usize,
) -> Result<(Vec<CommentId>, Option<CommentId>)> {
    let tables = usize::from(sources.map().tables().index);
    let of_table = TABLE_MIN.max(limit.div_ceil(tables) * 2).min(limit.max(1));
    let of_sources: BTreeSet<usize> = all_tables(sources).map(|at| sources.map().source(at)).collect();
    let reads = of_sources.into_iter().map(|source| of_source(Arc::clone(sources), source, range.clone(), of_table));
    let found: Vec<Vec<CommentId>> = try_join_all(reads).await?.into_iter().flatten().collect();
    let bound = found.iter().filter(|ids| ids.len() == of_table).filter_map(|ids| ids.last()).max().copied();
    let mut ids: Vec<CommentId> = found.into_iter().flatten().filter(|id| bound.is_none_or(|b| *id >= b)).collect();
    ids.sort_unstable_by(|a, b| b.cmp(a));
    Ok((ids, bound))
}

/// Returns a partition of each table of comments.
fn all_tables(sources: &DataSources) -> impl Iterator<Item = Partition> {
    (0..sources.map().tables().index).map(Partition::number)
}

/// Reads the newest ids of each table of a data source, in one round trip.
async fn of_source(
    sources: Arc<DataSources>,
    source: usize,
    range: NewestComments,
    of_table: usize,
) -> Result<Vec<Vec<CommentId>>> {
    let read_sources = Arc::clone(&sources);
    task::read(&sources, source, NAME, async move {
        let mut phase = read_sources.phase();
        let mut slots = Vec::new();
        for at in all_tables(&read_sources).filter(|at| read_sources.map().source(*at) == source) {
            let range = range.clone();
            let select = move |_: Vec<()>| newest(Entity::find(), &range, of_table);
            slots.push(phase.select_lists(at, 1, vec![()], select));
        }
        let mut results = read_sources.read_phase(source, phase).await?;
        slots.into_iter().map(|slot| results.rows(slot)?.iter().map(id_of).collect()).collect()
    })
    .await
}

fn id_of(row: &sea_orm::QueryResult) -> StoreResult<CommentId> {
    let (id,) = <(i64,)>::try_get_many_by_index(row).map_err(DbErr::from)?;
    Ok(row::id(id)?)
}

/// Returns the query for the newest ids of these rows in a range.
fn newest(rows: Select<Entity>, range: &NewestComments, limit: usize) -> Select<Entity> {
    let before = range.before.map_or(i64::MAX, CommentId::get);
    rows.select_only()
        .column(Column::Id)
        .filter(Column::Id.gt(CommentId::last_before(range.from, Partition::number(PARTITIONS - 1)).get()))
        .filter(Column::Id.lt(before))
        .order_by_desc(Column::Id)
        .limit(limit as u64)
}

/// Reads ids of one subject.
#[derive(Debug)]
pub(super) struct NewestOfSubject {
    pub(super) key: SubjectKey,
    pub(super) range: NewestComments,
    pub(super) limit: usize,
}

impl ReadQuery for NewestOfSubject {
    type Output = Vec<CommentId>;
    const NAME: &'static str = "read newest ids of a subject";

    fn partition(&self) -> Partition {
        self.key.partition()
    }

    async fn read(self, tx: &Tx) -> std::result::Result<Self::Output, StoreError> {
        let Some(subject) = subject(tx, &self.key).await? else { return Ok(Vec::new()) };
        let own = Entity::find().filter(Column::SubjectId.eq(subject.id.get()));
        let query = newest(own, &self.range, self.limit);
        let is_small = i64::from(subject.counts.comment_count) <= SORTED_MAX;
        let query = force_index(query, if is_small { index::FLOOR } else { "PRIMARY" });
        let ids: Vec<i64> = query.into_tuple().all(tx).await?;
        ids.into_iter().map(|id| Ok(row::id(id)?)).collect()
    }
}
