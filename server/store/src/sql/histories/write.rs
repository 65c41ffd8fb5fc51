//! The history rows of one data source: missing rows are inserted, rows of an older version are
//! replaced.

use std::collections::HashMap;

use riposte_core::{CommentId, Partition};
use sea_orm::sea_query::{ExprTrait, OnConflict};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use crate::error::StoreError;
use crate::on_shard::OnShard;
use crate::sql::among::{MOST, PRIMARY, among};
use crate::sql::chunks::{cut, padded, padded_to};
use crate::sql::entity::member_comment::{Column, Entity};
use crate::sql::grouping::{by_table, parts};
use crate::sql::pool::SourceTx;
use crate::sql::row::{self, HistoryEntry, history_model};
use crate::sql::transact::TransactionBody;

/// Adds the rows of new comments without reading first. An existing row stays, because its state is
/// the same or later. Returns the number of rows sent.
#[derive(Debug)]
pub(super) struct Add(Vec<HistoryEntry>);

/// Writes history rows and returns the number that were missing or outdated.
#[derive(Debug)]
pub(super) struct WriteHistory(Vec<HistoryEntry>);

impl From<Vec<HistoryEntry>> for Add {
    fn from(rows: Vec<HistoryEntry>) -> Self {
        Self(rows)
    }
}

impl From<Vec<HistoryEntry>> for WriteHistory {
    fn from(rows: Vec<HistoryEntry>) -> Self {
        Self(rows)
    }
}

impl TransactionBody for Add {
    type Output = usize;
    const NAME: &'static str = "add to member history";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        for (partition, rows) in in_place(tx, &self.0) {
            for piece in cut(rows.into_iter().map(history_model).collect()) {
                let left = OnConflict::columns(KEY).update_column(Column::CommentId).to_owned();
                let insert = Entity::insert_many(piece).on_conflict(left);
                insert.exec_without_returning(&tx.on(partition)).await?;
            }
        }
        Ok(self.0.len())
    }
}

impl TransactionBody for WriteHistory {
    type Output = usize;
    const NAME: &'static str = "write member history";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        let mut changed = 0;
        for (partition, rows) in in_place(tx, &self.0) {
            changed += table(&tx.on(partition), &rows).await?;
        }
        Ok(changed)
    }
}

/// Groups the rows by table, each group in key order, so that two transactions wait for each other
/// and never deadlock.
fn in_place<'r>(tx: &SourceTx, rows: &'r [HistoryEntry]) -> impl Iterator<Item = (Partition, Vec<&'r HistoryEntry>)> {
    by_table(rows, tx.tables().index, |one| one.home()).map(|(partition, mut rows)| {
        rows.sort_unstable_by_key(|one| one.place());
        (partition, rows)
    })
}

async fn table<C: ConnectionTrait>(db: &OnShard<C>, rows: &[&HistoryEntry]) -> Result<usize, StoreError> {
    let there = known(db, rows).await?;
    let known = |one: &&&HistoryEntry| there.get(&one.id);
    let missing: Vec<_> = rows.iter().filter(|one| known(one).is_none()).map(|one| history_model(one)).collect();
    let behind = rows.iter().filter(|one| known(one).is_some_and(|known| known.is_behind(one)));
    let behind: Vec<&HistoryEntry> = behind.copied().collect();
    // A row that does not exist cannot be locked, so a missing one is inserted and nothing else. If
    // another transaction was faster, the key rejects the insert, and the retry finds a row that
    // may be newer than this one.
    let count = missing.len();
    for piece in cut(missing) {
        Entity::insert_many(piece).exec_without_returning(db).await?;
    }
    Ok(count + replace(db, &behind).await?)
}

/// Replaces outdated rows, if they are still outdated once they are locked.
async fn replace<C: ConnectionTrait>(db: &OnShard<C>, behind: &[&HistoryEntry]) -> Result<usize, StoreError> {
    let locked = locked(db, behind).await?;
    let still = behind.iter().filter(|one| locked.get(&one.id).is_some_and(|known| known.is_behind(one)));
    let rows: Vec<_> = still.map(|one| history_model(one)).collect();
    let count = rows.len();
    for piece in cut(rows) {
        let newer = OnConflict::columns(KEY).update_columns([Column::State, Column::Version]).to_owned();
        Entity::insert_many(piece).on_conflict(newer).exec_without_returning(db).await?;
    }
    Ok(count)
}

const KEY: [Column; 4] = [Column::ObjectType, Column::MemberId, Column::CreateTime, Column::CommentId];

/// The state and version of a comment in its history row.
struct HistoryRow {
    state: i8,
    version: i64,
}

impl HistoryRow {
    /// Returns whether the comment has changed since this row was written. One version has one
    /// state; a row that contradicts this was damaged.
    fn is_behind(&self, one: &HistoryEntry) -> bool {
        self.version < one.version || self.version == one.version && self.state != one.state.code()
    }
}

type There = HashMap<CommentId, HistoryRow>;

/// Loads the existing rows. Most do not exist yet, because most events are about new comments.
async fn known<C: ConnectionTrait>(db: &OnShard<C>, rows: &[&HistoryEntry]) -> Result<There, StoreError> {
    let mut there = There::new();
    for list in padded_to(MOST, rows) {
        let key = |one: &&HistoryEntry| {
            let (object_type, member, time, id) = one.place();
            [row::bytes(object_type).into(), row::bytes(member).into(), time.into(), id.get().into()]
        };
        let select = rows_of(&list);
        let select = among(select, db.get_database_backend(), PRIMARY, KEY, list.iter().map(key).collect());
        for (id, state, version) in select.into_tuple().all(db).await? {
            there.insert(row::id(id)?, HistoryRow { state, version });
        }
    }
    Ok(there)
}

/// Loads a few rows as [`known`] and locks them, in key order.
async fn locked<C: ConnectionTrait>(db: &OnShard<C>, rows: &[&HistoryEntry]) -> Result<There, StoreError> {
    let mut there = There::new();
    for list in padded(rows) {
        let any = list.iter().fold(Condition::any(), |any, one| any.add(named(one)));
        let found = KEY.iter().fold(rows_of(&list).filter(any), |select, column| select.order_by_asc(*column));
        for (id, state, version) in found.lock_exclusive().into_tuple().all(db).await? {
            there.insert(row::id(id)?, HistoryRow { state, version });
        }
    }
    Ok(there)
}

fn rows_of(list: &[&HistoryEntry]) -> Select<Entity> {
    let part = Column::Part.is_in(parts(list.iter().map(|one| one.home())));
    Entity::find().select_only().columns([Column::CommentId, Column::State, Column::Version]).filter(part)
}

fn named(one: &HistoryEntry) -> Condition {
    let (object_type, member, time, id) = one.place();
    let author = Column::ObjectType.eq(row::bytes(object_type)).and(Column::MemberId.eq(row::bytes(member)));
    Condition::all().add(author).add(Column::CreateTime.eq(time).and(Column::CommentId.eq(id.get())))
}
