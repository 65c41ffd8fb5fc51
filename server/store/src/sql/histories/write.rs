//! The history rows of one data source: missing rows are inserted, rows of an older version are
//! replaced.

use std::collections::HashMap;

use riposte_core::{CommentId, Partition};
use sea_orm::sea_query::{ExprTrait, OnConflict};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select, Value};

use crate::error::StoreError;
use crate::sql::chunks::LIST_MAX;
use crate::sql::entity::member_comment::{Column, Entity};
use crate::sql::grouping::{by_table, parts};
use crate::sql::keys_join::{KEYS_MAX, KeyForm, PRIMARY, join_keys};
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
    const BEGINS_WITH_PHASE: bool = true;

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        let mut inserts = tx.phase();
        for (partition, rows) in by_table_in_key_order(tx, &self.0) {
            let keep_existing = OnConflict::columns(KEY_COLUMNS).update_column(Column::CommentId).to_owned();
            inserts.upsert(partition, rows.into_iter().map(history_model).collect(), keep_existing);
        }
        tx.run(inserts).await?;
        Ok(self.0.len())
    }
}

impl TransactionBody for ReplaceEntries {
    type Output = usize;
    const NAME: &'static str = "write member history";
    const BEGINS_WITH_PHASE: bool = true;

    async fn run(&self, tx: &SourceTx) -> Result<Self::Output, StoreError> {
        let tables: Vec<_> = by_table_in_key_order(tx, &self.0).collect();
        let existing = existing_rows(tx, &tables).await?;
        // A missing row cannot be locked, so it is only inserted. If another transaction inserted
        // it first, the key rejects the insert, and the retry finds a row that may be newer.
        let mut count = 0;
        let (mut inserts_and_locks, mut locks) = (tx.phase(), Vec::new());
        let form = inserts_and_locks.key_form();
        for (partition, rows) in tables {
            let stored = |entry: &&HistoryEntry| existing.get(&entry.id);
            let missing: Vec<_> = rows.iter().filter(|entry| stored(entry).is_none()).copied().collect();
            count += missing.len();
            inserts_and_locks.insert(partition, missing.into_iter().map(history_model).collect());
            let outdated = rows.into_iter().filter(|entry| stored(entry).is_some_and(|row| row.is_outdated_by(entry)));
            let outdated: Vec<HistoryEntry> = outdated.cloned().collect();
            if !outdated.is_empty() {
                let slot = inserts_and_locks
                    .select_lists(partition, LIST_MAX, outdated.clone(), move |list| lock_rows(&list, form));
                locks.push((partition, outdated, slot));
            }
        }
        let mut locked = tx.run(inserts_and_locks).await?;
        let mut replacements = tx.phase();
        for (partition, outdated, slot) in locks {
            let locked = rows_by_id(locked.tuples(slot)?)?;
            let is_outdated =
                |entry: &&HistoryEntry| locked.get(&entry.id).is_some_and(|row| row.is_outdated_by(entry));
            let rows: Vec<_> = outdated.iter().filter(is_outdated).map(history_model).collect();
            count += rows.len();
            let replace_existing =
                OnConflict::columns(KEY_COLUMNS).update_columns([Column::State, Column::Version]).to_owned();
            replacements.upsert(partition, rows, replace_existing);
        }
        tx.run(replacements).await?;
        Ok(count)
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

/// Loads the existing rows of all tables. Most do not exist yet, because most events are about new
/// comments.
async fn existing_rows(tx: &SourceTx, tables: &[(Partition, Vec<&HistoryEntry>)]) -> Result<ExistingRows, StoreError> {
    let mut reads = tx.phase();
    let form = reads.key_form();
    let mut slots = Vec::with_capacity(tables.len());
    for (partition, rows) in tables {
        let entries = rows.iter().copied().cloned().collect();
        slots.push(reads.select_lists(*partition, KEYS_MAX, entries, move |list: Vec<HistoryEntry>| {
            join_keys(rows_of(&list), form, PRIMARY, KEY_COLUMNS, list.iter().map(key_values).collect())
        }));
    }
    let mut results = tx.run(reads).await?;
    let mut existing = ExistingRows::new();
    for slot in slots {
        existing.extend(rows_by_id(results.tuples(slot)?)?);
    }
    Ok(existing)
}

/// Selects a few rows and locks them, in key order.
fn lock_rows(list: &[HistoryEntry], form: KeyForm) -> Select<Entity> {
    let rows = if form == KeyForm::Tuples {
        join_keys(rows_of(list), form, PRIMARY, KEY_COLUMNS, list.iter().map(key_values).collect())
    } else {
        rows_of(list).filter(list.iter().fold(Condition::any(), |any, entry| any.add(key_condition(entry))))
    };
    KEY_COLUMNS.iter().fold(rows, |select, column| select.order_by_asc(*column)).lock_exclusive()
}

fn rows_by_id(rows: Vec<(i64, i8, i64)>) -> Result<ExistingRows, StoreError> {
    let row = |(id, state, version)| Ok((row::id(id)?, HistoryRow { state, version }));
    rows.into_iter().map(row).collect()
}

fn rows_of(list: &[HistoryEntry]) -> Select<Entity> {
    let part = Column::Part.is_in(parts(list.iter().map(|entry| entry.partition())));
    Entity::find().select_only().columns([Column::CommentId, Column::State, Column::Version]).filter(part)
}

fn key_values(entry: &HistoryEntry) -> [Value; 4] {
    let (object_type, member, time, id) = entry.key();
    [row::bytes(object_type).into(), row::bytes(member).into(), time.into(), id.get().into()]
}

fn key_condition(entry: &HistoryEntry) -> Condition {
    let (object_type, member, time, id) = entry.key();
    let author = Column::ObjectType.eq(row::bytes(object_type)).and(Column::MemberId.eq(row::bytes(member)));
    Condition::all().add(author).add(Column::CreateTime.eq(time).and(Column::CommentId.eq(id.get())))
}
