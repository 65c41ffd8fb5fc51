//! Changes of tables that exist and may be large.
//!
//! A statement names the way in which the server makes the change, so that a change that would
//! rewrite a table fails. A query checks that a column or key is absent before a statement adds it,
//! because no statement that adds a column may run twice on both MySQL and MariaDB.

use crate::cost::StatementCost;
use crate::table::{ColumnSpec, IndexSpec, TableSpread};
use sea_orm_migration::prelude::{Alias, Table};
use sea_orm_migration::sea_orm::{DbBackend, Statement};

/// A new column of a table. It is nullable, so that earlier versions can still insert rows.
#[derive(Debug)]
pub(crate) struct AddColumn {
    pub(crate) table: &'static str,
    pub(crate) spread: TableSpread,
    pub(crate) column: ColumnSpec,
}

/// A new key of a table.
#[derive(Debug)]
pub(crate) struct AddIndex {
    pub(crate) table: &'static str,
    pub(crate) spread: TableSpread,
    pub(crate) index: IndexSpec,
}

/// A statement on one table. The name of a routed table has its marker.
#[derive(Debug, Clone)]
pub(crate) struct TableStatement {
    pub(crate) statement: Statement,
    /// A query that returns a row if the statement was run before; `None` if it can run again.
    pub(crate) applied_query: Option<Statement>,
    pub(crate) cost: StatementCost,
}

impl TableStatement {
    /// Creates a statement that can run again, on a table that is new or not used any more.
    pub(crate) fn new(statement: Statement) -> Self {
        Self { statement, applied_query: None, cost: StatementCost::Instant }
    }
}

impl AddColumn {
    /// Returns the statement that adds the column.
    pub(crate) fn statement(&self, backend: DbBackend) -> TableStatement {
        let Self { table, column, .. } = self;
        let alter = Table::alter().table(Alias::new(*table)).add_column(column.definition()).to_owned();
        let alter = backend.build(&alter);
        let name = column.name;
        if backend != DbBackend::MySql {
            let query = format!("SELECT 1 FROM pragma_table_info('{table}') WHERE name = '{name}'");
            let applied_query = Some(Statement::from_string(backend, query));
            return TableStatement { statement: alter, applied_query, cost: StatementCost::Instant };
        }
        TableStatement {
            statement: Statement::from_string(backend, format!("{}, ALGORITHM=INSTANT", alter.sql)),
            applied_query: Some(lookup(backend, "columns", table, &format!("column_name = '{name}'"))),
            cost: StatementCost::InstantColumn,
        }
    }
}

impl AddIndex {
    /// Returns the statement that builds the key.
    pub(crate) fn statement(&self, backend: DbBackend) -> TableStatement {
        let Self { table, index, .. } = self;
        let create = backend.build(&index.statement(table));
        let name = index.full_name(table);
        if backend != DbBackend::MySql {
            let query = format!("SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = '{name}'");
            let applied_query = Some(Statement::from_string(backend, query));
            return TableStatement { statement: create, applied_query, cost: StatementCost::LockedBuild };
        }
        TableStatement {
            statement: Statement::from_string(backend, format!("{} ALGORITHM=INPLACE LOCK=NONE", create.sql)),
            applied_query: Some(lookup(backend, "statistics", table, &format!("index_name = '{name}'"))),
            cost: StatementCost::OnlineBuild,
        }
    }
}

/// Returns the query for a column or a key in the server's own list.
fn lookup(backend: DbBackend, list: &str, table: &str, filter: &str) -> Statement {
    let condition = format!("table_schema = DATABASE() AND table_name = '{table}' AND {filter}");
    Statement::from_string(backend, format!("SELECT 1 FROM information_schema.{list} WHERE {condition} LIMIT 1"))
}
