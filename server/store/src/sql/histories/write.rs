//! The history rows of one data source: missing rows are inserted, rows of an older version are
//! replaced.

use std::collections::HashMap;

use riposte_core::{CommentId, Partition};
use sea_orm::sea_query::{ExprTrait, OnConflict};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};

use crate::error::StoreError;
use crate::on_shard::OnShard;
use crate::sql::chunks::{padded_chunks, padded_chunks_of, sized_chunks};
use crate::sql::entity::member_comment::{Column, Entity};
use crate::sql::grouping::{by_table, parts};
use crate::sql::keys_join::{KEYS_MAX, PRIMARY, join_keys};
use crate::sql::pool::SourceTx;
use crate::sql::row::{self, HistoryEntry, history_model};
use crate::sql::transact::TransactionBody;

/// Adds the rows of new comments without reading first. An existing row stays, because its state is
/// the same or later. Returns the number of rows sent.
#[derive(Debug)]
pub(super) struct AddEntries(Vec<HistoryEntry>);

/// Writes history rows and returns the number that were missing or outdated.
#[derive(Debug)]
pub(super) struct ReplaceEntries(Vec<HistoryEntry>);

impl From<Vec<HistoryEntry>> for AddEntries {
    fn from(rows: Vec<HistoryEntry>) -> Self {
        Self(rows)
    }
}

impl From<Vec<HistoryEntry>> for ReplaceEntries {
    fn from(rows: Vec<HistoryEntry>) -> Self {
        Self(rows)
    }
}

impl TransactionBody for AddEntries {
    type Output = usize;
    const NAME: &'static str = "add to member history";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        for (partition, rows) in by_table_in_key_order(tx, &self.0) {
            for chunk in sized_chunks(rows.into_iter().map(history_model).collect()) {
                let keep_existing = OnConflict::columns(KEY_COLUMNS).update_column(Column::CommentId).to_owned();
                let insert = Entity::insert_many(chunk).on_conflict(keep_existing);
                insert.exec_without_returning(&tx.on(partition)).await?;
            }
        }
        Ok(self.0.len())
    }
}

impl TransactionBody for ReplaceEntries {
    type Output = usize;
    const NAME: &'static str = "write member history";

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        let mut changed = 0;
        for (partition, rows) in by_table_in_key_order(tx, &self.0) {
            changed += write_table(&tx.on(partition), &rows).await?;
        }
        Ok(changed)
    }
}

/// Groups the rows by table, each group in key order, so that two transactions wait for each other
/// and never deadlock.
fn by_table_in_key_order<'r>(
    tx: &SourceTx,
    rows: &'r [HistoryEntry],
) -> impl Iterator<Item = (Partition, Vec<&'r HistoryEntry>)> {
    by_table(rows, tx.tables().index, |entry| entry.partition()).map(|(partition, mut rows)| {
        rows.sort_unstable_by_key(|entry| entry.key());
        (partition, rows)
    })
}

async fn write_table<C: ConnectionTrait>(db: &OnShard<C>, rows: &[&HistoryEntry]) -> Result<usize, StoreError> {
    let existing = existing_rows(db, rows).await?;
    let stored = |entry: &&&HistoryEntry| existing.get(&entry.id);
    let missing: Vec<_> =
        rows.iter().filter(|entry| stored(entry).is_none()).map(|entry| history_model(entry)).collect();
    let outdated = rows.iter().filter(|entry| stored(entry).is_some_and(|stored| stored.is_outdated_by(entry)));
    let outdated: Vec<&HistoryEntry> = outdated.copied().collect();
    // A missing row cannot be locked, so it is only inserted. If another transaction inserted it
    // first, the key rejects the insert, and the retry finds a row that may be newer than this one.
    let count = missing.len();
    for chunk in sized_chunks(missing) {
        Entity::insert_many(chunk).exec_without_returning(db).await?;
    }
    Ok(count + replace(db, &outdated).await?)
}

/// Replaces outdated rows, if they are still outdated once they are locked.
async fn replace<C: ConnectionTrait>(db: &OnShard<C>, outdated: &[&HistoryEntry]) -> Result<usize, StoreError> {
    let locked = lock_rows(db, outdated).await?;
    let still_outdated =
        outdated.iter().filter(|entry| locked.get(&entry.id).is_some_and(|stored| stored.is_outdated_by(entry)));
    let rows: Vec<_> = still_outdated.map(|entry| history_model(entry)).collect();
    let count = rows.len();
    for chunk in sized_chunks(rows) {
        let replace_existing =
            OnConflict::columns(KEY_COLUMNS).update_columns([Column::State, Column::Version]).to_owned();
        Entity::insert_many(chunk).on_conflict(replace_existing).exec_without_returning(db).await?;
    }
    Ok(count)
}

const KEY_COLUMNS: [Column; 4] = [Column::ObjectType, Column::MemberId, Column::CreateTime, Column::CommentId];

/// The state and version of a comment in its history row.
struct HistoryRow {
    state: i8,
    version: i64,
}

impl HistoryRow {
    /// Returns whether the comment has changed since this row was written. One version has one
    /// state; a row that contradicts this was damaged.
    fn is_outdated_by(&self, entry: &HistoryEntry) -> bool {
        self.version < entry.version || self.version == entry.version && self.state != entry.state.code()
    }
}

type ExistingRows = HashMap<CommentId, HistoryRow>;

/// Loads the existing rows. Most do not exist yet, because most events are about new comments.
async fn existing_rows<C: ConnectionTrait>(
    db: &OnShard<C>,
    rows: &[&HistoryEntry],
) -> Result<ExistingRows, StoreError> {
    let mut existing = ExistingRows::new();
    for list in padded_chunks_of(KEYS_MAX, rows) {
        let key = |entry: &&HistoryEntry| {
            let (object_type, member, time, id) = entry.key();
            [row::bytes(object_type).into(), row::bytes(member).into(), time.into(), id.get().into()]
        };
        let select = rows_of(&list);
        let select = join_keys(select, db.get_database_backend(), PRIMARY, KEY_COLUMNS, list.iter().map(key).collect());
        for (id, state, version) in select.into_tuple().all(db).await? {
            existing.insert(row::id(id)?, HistoryRow { state, version });
        }
    }
    Ok(existing)
}

/// Loads a few rows as [`existing_rows`] and locks them, in key order.
async fn lock_rows<C: ConnectionTrait>(db: &OnShard<C>, rows: &[&HistoryEntry]) -> Result<ExistingRows, StoreError> {
    let mut existing = ExistingRows::new();
    for list in padded_chunks(rows) {
        let any = list.iter().fold(Condition::any(), |any, entry| any.add(key_condition(entry)));
        let found = KEY_COLUMNS.iter().fold(rows_of(&list).filter(any), |select, column| select.order_by_asc(*column));
        for (id, state, version) in found.lock_exclusive().into_tuple().all(db).await? {
            existing.insert(row::id(id)?, HistoryRow { state, version });
        }
    }
    Ok(existing)
}

fn rows_of(list: &[&HistoryEntry]) -> Select<Entity> {
    let part = Column::Part.is_in(parts(list.iter().map(|entry| entry.partition())));
    Entity::find().select_only().columns([Column::CommentId, Column::State, Column::Version]).filter(part)
}

fn key_condition(entry: &HistoryEntry) -> Condition {
    let (object_type, member, time, id) = entry.key();
    let author = Column::ObjectType.eq(row::bytes(object_type)).and(Column::MemberId.eq(row::bytes(member)));
    Condition::all().add(author).add(Column::CreateTime.eq(time).and(Column::CommentId.eq(id.get())))
}
