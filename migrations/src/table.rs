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

/// A table. The name of a spread table ends in a marker that is bound to the table number.
#[derive(Debug)]
pub(crate) struct TableSpec {
    pub(crate) name: &'static str,
    pub(crate) spread: TableSpread,
    pub(crate) columns: Vec<ColumnDef>,
    pub(crate) primary: &'static [&'static str],
    pub(crate) keys: &'static [IndexSpec],
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

impl TableSpec {
    /// Returns the statements that create the table; each can run again. MySQL has no CREATE INDEX
    /// IF NOT EXISTS, so there the keys are part of the table; SQLite has keys only as separate
    /// statements.
    pub(crate) fn statements(&self, backend: DbBackend) -> Vec<Statement> {
        let mut create = sea_query::Table::create();
        create.table(Alias::new(self.name)).if_not_exists();
        for column in &self.columns {
            create.col(column.clone());
        }
        create.primary_key(index(self.primary).primary());
        if backend != DbBackend::MySql {
            let keys = self
                .keys
                .iter()
                .map(|key| backend.build(&self.key(key).table(Alias::new(self.name)).if_not_exists().to_owned()));
            return std::iter::once(backend.build(&create)).chain(keys).collect();
        }
        // utf8mb4_bin: no text of the schema is compared by the rules of a language.
        create.engine("InnoDB").character_set("utf8mb4").collate("utf8mb4_bin");
        for key in self.keys {
            create.index(&mut self.key(key));
        }
        vec![backend.build(&create)]
    }

    fn key(&self, key: &IndexSpec) -> IndexCreateStatement {
        let mut statement = index(key.columns);
        statement.name(format!("{}_{}", self.name, key.name));
        if key.unique {
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
