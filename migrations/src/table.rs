//! A table of the schema, defined once for both kinds of database.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{DbBackend, Statement};

/// The unit for which a physical table exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TableSpread {
    /// Once in each data source.
    Once,
    /// Once for each subject table.
    Subjects,
    /// Once for each index table.
    Index,
}

/// A table. The name of a spread table ends in a marker. The table number replaces the marker
/// before a statement runs.
#[derive(Debug)]
pub(crate) struct TableSpec {
    pub(crate) name: &'static str,
    pub(crate) spread: TableSpread,
    pub(crate) columns: &'static [ColumnSpec],
    pub(crate) primary: &'static [&'static str],
    pub(crate) keys: &'static [IndexSpec],
    pub(crate) numbered: Option<NumberedRows>,
}

/// A column.
#[derive(Debug)]
pub(crate) struct ColumnSpec {
    pub(crate) name: &'static str,
    pub(crate) kind: ColumnType,
    pub(crate) nullable: bool,
}

/// The type of a column.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ColumnType {
    BigInt,
    Int,
    SmallInt,
    TinyInt,
    Double,
    Text,
    Binary(u32),
    VarBinary(u32),
    /// A type that both kinds of database know by the same name.
    Named(&'static str),
}

/// A key of a table other than the primary key.
#[derive(Debug)]
pub(crate) struct IndexSpec {
    /// The suffix of the key's name, which names its purpose; the full name begins with the table's
    /// name.
    pub(crate) name: &'static str,
    pub(crate) unique: bool,
    pub(crate) columns: &'static [&'static str],
}

/// The rows that a table starts with: one for each number below `count`, with 0 and empty values in
/// the other columns.
#[derive(Debug)]
pub(crate) struct NumberedRows {
    pub(crate) column: &'static str,
    pub(crate) count: i16,
}

impl TableSpec {
    /// Returns the statements that create the table; each can run again. MySQL has no CREATE INDEX
    /// IF NOT EXISTS, so there the keys are part of the table; SQLite has keys only as separate
    /// statements.
    pub(crate) fn statements(&self, backend: DbBackend) -> Vec<Statement> {
        let mut create = sea_query::Table::create();
        create.table(Alias::new(self.name)).if_not_exists();
        for column in self.columns {
            create.col(column.definition());
        }
        create.primary_key(index(self.primary).primary());
        if backend != DbBackend::MySql {
            let keys = self.keys.iter().map(|key| backend.build(&key.statement(self.name).if_not_exists().to_owned()));
            return std::iter::once(backend.build(&create)).chain(keys).collect();
        }
        // utf8mb4_bin: no text of the schema is compared by the rules of a language.
        create.engine("InnoDB").character_set("utf8mb4").collate("utf8mb4_bin");
        for key in self.keys {
            create.index(&mut key.named(self.name));
        }
        vec![backend.build(&create)]
    }

    /// Returns the statement that inserts the rows that the table starts with; it can run again.
    pub(crate) fn rows(&self, backend: DbBackend) -> Option<Statement> {
        let NumberedRows { column: numbered_column, count } = self.numbered.as_ref()?;
        let mut insert = Query::insert();
        insert.into_table(Alias::new(self.name));
        insert.columns(self.columns.iter().map(|column| Alias::new(column.name)));
        for number in 0..*count {
            insert.values_panic(self.columns.iter().map(|column| match column.kind {
                _ if column.name == *numbered_column => number.into(),
                ColumnType::BigInt | ColumnType::Int | ColumnType::SmallInt | ColumnType::TinyInt => 0_i64.into(),
                ColumnType::Double => 0_f64.into(),
                ColumnType::Text | ColumnType::Named(_) => "".into(),
                ColumnType::Binary(_) | ColumnType::VarBinary(_) => Expr::from(Vec::<u8>::new()),
            }));
        }
        // Vitess refuses the assignment of a key to itself, so another column is named.
        let unchanged = self.columns.iter().find(|column| column.name != *numbered_column)?.name;
        let existing =
            OnConflict::column(Alias::new(*numbered_column)).do_nothing_on([Alias::new(unchanged)]).to_owned();
        insert.on_conflict(existing);
        Some(backend.build(&insert))
    }
}

impl ColumnSpec {
    /// Returns the definition of the column.
    pub(crate) fn definition(&self) -> ColumnDef {
        let mut column = ColumnDef::new(Alias::new(self.name));
        match self.kind {
            ColumnType::BigInt => column.big_integer(),
            ColumnType::Int => column.integer(),
            ColumnType::SmallInt => column.small_integer(),
            ColumnType::TinyInt => column.tiny_integer(),
            ColumnType::Double => column.double(),
            ColumnType::Text => column.text(),
            ColumnType::Binary(length) => column.binary_len(length),
            ColumnType::VarBinary(length) => column.var_binary(length),
            ColumnType::Named(name) => column.custom(Alias::new(name)),
        };
        if self.nullable { column.null() } else { column.not_null() }.to_owned()
    }
}

impl IndexSpec {
    /// Returns the full name of the key.
    pub(crate) fn full_name(&self, table: &str) -> String {
        format!("{table}_{}", self.name)
    }

    /// Returns the statement that creates the key of an existing table.
    pub(crate) fn statement(&self, table: &str) -> IndexCreateStatement {
        self.named(table).table(Alias::new(table)).to_owned()
    }

    fn named(&self, table: &str) -> IndexCreateStatement {
        let mut statement = index(self.columns);
        statement.name(self.full_name(table));
        if self.unique {
            statement.unique();
        }
        statement
    }
}

fn index(columns: &[&'static str]) -> IndexCreateStatement {
    let mut index = Index::create();
    for column in columns {
        index.col(Alias::new(*column));
    }
    index
}
