//! Phases of a transaction: statements that depend on no result of each other and are sent
//! together, in lock order.

mod fuzz;
mod literal;
mod results;
mod run;
mod text;
mod text_run;

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use riposte_core::Partition;
use sea_orm::sea_query::OnConflict;
use sea_orm::{ActiveModelTrait, DbBackend, EntityTrait, Iterable, QueryTrait, Statement};

use super::chunks::{padded_chunks_of, sized_chunks};
use super::keys_join::KeyForm;
use super::pool::{DataSources, SourceTx};
use crate::shard::TableSlot;
pub use fuzz::statement_text;
pub(in crate::sql) use literal::add_argument;
pub(crate) use results::PhaseResults;
pub(crate) use run::CommitFailure;

/// The statements of one phase, in the order in which the database runs them. The caller adds them
/// in lock order: by table, then by id. A phase that writes runs to its end or fails as a whole,
/// because its transaction is then rolled back.
pub(crate) struct Phase {
    sources: Arc<DataSources>,
    backend: DbBackend,
    groups: Vec<StatementGroup>,
}

/// The place of a read's rows in the results of its phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowsSlot(usize);

/// The form in which the statements of a phase are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatementForm {
    /// One after the other, each prepared. A few sizes of lists keep the number of prepared
    /// statements low.
    Prepared,
    /// As queries of several statements with their values as literals.
    Text {
        /// The longest query, in bytes.
        len_max: usize,
    },
}

/// One read or write of a phase. A long list of items is several statements.
struct StatementGroup {
    /// The tables that the statements are bound to; `None` for tables that exist once.
    slot: Option<TableSlot>,
    kind: StatementKind,
    build: StatementBuilder,
}

/// A statement whose tables are named.
struct BoundStatement {
    statement: Statement,
    /// The number of rows that the statement must match.
    expected: Option<u64>,
}

/// Builds the statements of a group in a form.
type StatementBuilder = Box<dyn FnOnce(StatementForm) -> Vec<BoundStatement> + Send>;

/// The result that a group of statements has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StatementKind {
    Read,
    Write,
}

impl SourceTx {
    /// Creates a phase without statements.
    pub(crate) fn phase(&self) -> Phase {
        self.sources().phase()
    }
}

impl Phase {
    /// Returns the form of a list of keys for this database.
    pub(crate) fn key_form(&self) -> KeyForm {
        self.sources.key_form()
    }

    /// Adds the SELECTs that read `items` by lists of at most `size_max` items, which is a known
    /// size of [`chunks`](crate::sql::chunks). A list may repeat its last item. The rows of all
    /// lists are in one slot.
    pub(crate) fn select_lists<T, Q>(
        &mut self,
        at: impl Into<Option<Partition>>,
        size_max: usize,
        items: Vec<T>,
        select: impl Fn(Vec<T>) -> Q + Send + 'static,
    ) -> RowsSlot
    where
        T: Clone + Send + 'static,
        Q: QueryTrait,
    {
        let backend = self.backend;
        let statement = move |list| BoundStatement { statement: select(list).build(backend), expected: None };
        let build = move |form| lists(form, size_max, items).into_iter().map(&statement).collect();
        RowsSlot(self.push(at.into(), StatementKind::Read, Box::new(build)))
    }

    /// Adds an INSERT, UPDATE or DELETE. With `expected`, the phase fails unless the statement
    /// matches that many rows.
    pub(crate) fn write(&mut self, at: impl Into<Option<Partition>>, query: &impl QueryTrait, expected: Option<u64>) {
        let statement = query.build(self.backend);
        let build = move |_| vec![BoundStatement { statement, expected }];
        self.push(at.into(), StatementKind::Write, Box::new(build));
    }

    /// Adds the UPDATEs of the rows of `items`, each of which must match exactly one row. A list
    /// may repeat its last item.
    pub(crate) fn update_lists<T, Q>(
        &mut self,
        at: impl Into<Option<Partition>>,
        size_max: usize,
        items: Vec<T>,
        update: impl Fn(Vec<T>) -> Q + Send + 'static,
    ) where
        T: Clone + Eq + Hash + Send + 'static,
        Q: QueryTrait,
    {
        let expected = |list: &[T]| Some(list.iter().collect::<HashSet<_>>().len() as u64);
        self.write_lists(at.into(), (size_max, items), expected, update);
    }

    /// Adds the DELETEs of the rows of `items`, however many rows an item has. A list may repeat
    /// its last item.
    pub(crate) fn delete_lists<T, Q>(
        &mut self,
        at: impl Into<Option<Partition>>,
        size_max: usize,
        items: Vec<T>,
        delete: impl Fn(Vec<T>) -> Q + Send + 'static,
    ) where
        T: Clone + Send + 'static,
        Q: QueryTrait,
    {
        self.write_lists(at.into(), (size_max, items), |_| None, delete);
    }

    fn write_lists<T, Q>(
        &mut self,
        at: Option<Partition>,
        (size_max, items): (usize, Vec<T>),
        expected: fn(&[T]) -> Option<u64>,
        query: impl Fn(Vec<T>) -> Q + Send + 'static,
    ) where
        T: Clone + Send + 'static,
        Q: QueryTrait,
    {
        let backend = self.backend;
        let statement = move |list: Vec<T>| {
            let expected = expected(&list);
            BoundStatement { statement: query(list).build(backend), expected }
        };
        let build = move |form| lists(form, size_max, items).into_iter().map(&statement).collect();
        self.push(at, StatementKind::Write, Box::new(build));
    }

    /// Adds the INSERTs of new rows; nothing for no rows.
    pub(crate) fn insert<A>(&mut self, at: impl Into<Option<Partition>>, rows: Vec<A>)
    where
        A: ActiveModelTrait + Send + 'static,
    {
        self.insert_rows(at.into(), rows, None);
    }

    /// As [`Self::insert`], but rows that exist are changed as `on_conflict` says.
    pub(crate) fn upsert<A>(&mut self, at: impl Into<Option<Partition>>, rows: Vec<A>, on_conflict: OnConflict)
    where
        A: ActiveModelTrait + Send + 'static,
    {
        self.insert_rows(at.into(), rows, Some(on_conflict));
    }

    fn insert_rows<A>(&mut self, at: Option<Partition>, rows: Vec<A>, on_conflict: Option<OnConflict>)
    where
        A: ActiveModelTrait + Send + 'static,
    {
        if rows.is_empty() {
            return;
        }
        let backend = self.backend;
        let build = move |form| {
            let chunks: Vec<Vec<A>> = match form {
                StatementForm::Prepared => sized_chunks(rows).collect(),
                StatementForm::Text { len_max } => chunks_by_len(rows, len_max.min(INSERT_LEN_MAX)),
            };
            let insert = |chunk| {
                let mut insert = A::Entity::insert_many::<A, _>(chunk);
                if let Some(on_conflict) = &on_conflict {
                    insert = insert.on_conflict(on_conflict.clone());
                }
                BoundStatement { statement: insert.build(backend), expected: None }
            };
            chunks.into_iter().map(insert).collect()
        };
        self.push(at, StatementKind::Write, Box::new(build));
    }

    fn push(&mut self, at: Option<Partition>, kind: StatementKind, build: StatementBuilder) -> usize {
        let slot = at.map(|partition| self.sources.slot(partition));
        self.groups.push(StatementGroup { slot, kind, build });
        self.groups.len() - 1
    }
}

impl StatementGroup {
    /// Builds the statements, bound to their tables.
    fn into_statements(self, form: StatementForm) -> Vec<BoundStatement> {
        let mut statements = (self.build)(form);
        if let Some(slot) = self.slot {
            for BoundStatement { statement, .. } in &mut statements {
                statement.sql = slot.bind(std::mem::take(&mut statement.sql));
            }
        }
        statements
    }
}

/// Divides items into the lists of the statements of a form.
fn lists<T: Clone>(form: StatementForm, size_max: usize, mut items: Vec<T>) -> Vec<Vec<T>> {
    match form {
        StatementForm::Prepared => padded_chunks_of(size_max, &items).collect(),
        StatementForm::Text { .. } => std::iter::from_fn(|| {
            let rest = items.split_off(items.len().min(size_max));
            Some(std::mem::replace(&mut items, rest)).filter(|list| !list.is_empty())
        })
        .collect(),
    }
}

/// The bytes at which the rows of an INSERT in a text query are divided, so that a query with many
/// long texts stays below the limit of the server.
const INSERT_LEN_MAX: usize = 1 << 20;

/// Divides rows into chunks whose literals have at most `len_max` bytes; a longer row is alone.
fn chunks_by_len<A: ActiveModelTrait>(rows: Vec<A>, len_max: usize) -> Vec<Vec<A>> {
    let (mut chunks, mut len): (Vec<Vec<A>>, usize) = (Vec::new(), 0);
    for row in rows {
        let values = <A::Entity as EntityTrait>::Column::iter().filter_map(|column| row.get(column).into_value());
        let row_len: usize = values.map(|value| literal::literal_len_max(&value)).sum();
        len += row_len;
        match chunks.last_mut() {
            Some(chunk) if len <= len_max => chunk.push(row),
            Some(_) | None => {
                len = row_len;
                chunks.push(vec![row]);
            }
        }
    }
    chunks
}

#[cfg(test)]
mod tests;
