//! The circumstances of a row.

use std::fmt;

/// The make of a database server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Database {
    MariaDb,
    MySql,
}

/// The number of tables that the rows of the service are spread over. The bare loop always has one
/// of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Tables {
    /// 8 of subjects, 32 of everything else: a new database
    Default,
    /// 50 of subjects, 200 of everything else: the reference layout
    Many,
    /// One of each
    One,
}

/// The circumstances under which a row is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Variant {
    pub(super) database: Database,
    /// The binlog is flushed with each commit if `true`.
    pub(super) sync_binlog: bool,
    pub(super) tables: Tables,
    /// Server and load have cores of their own if `true`.
    pub(super) pinned: bool,
}

impl Variant {
    /// The first variant of every row: MariaDB, sync_binlog=0, the tables of a new database, no
    /// reserved core.
    pub(super) const PLAIN: Self =
        Self { database: Database::MariaDb, sync_binlog: false, tables: Tables::Default, pinned: false };
    /// The same with one table of each kind.
    #[cfg(test)]
    pub(super) const SINGLE: Self = Self { tables: Tables::One, ..Self::PLAIN };

    pub(super) fn is_mysql(self) -> bool {
        self.database == Database::MySql
    }

    /// Returns the number of subject tables and the number of all other tables.
    pub(super) fn table_counts(self) -> (u16, u16) {
        match self.tables {
            Tables::Default => (8, 32),
            Tables::Many => (50, 200),
            Tables::One => (1, 1),
        }
    }

    /// Returns the same numbers under the names of the service's keys.
    pub(super) fn shard_counts(self) -> [String; 2] {
        let (subjects, index) = self.table_counts();
        [format!("store.subject_tables={subjects}"), format!("store.index_tables={index}")]
    }

    /// Returns `true` if both variants are the same for the bare loop, which has no shards.
    pub(super) fn same_for_the_bare_loop(self, other: Self) -> bool {
        Self { tables: other.tables, pinned: other.pinned, ..self } == other
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let database = match self.database {
            Database::MariaDb => "MariaDB",
            Database::MySql => "MySQL",
        };
        let (subjects, index) = self.table_counts();
        let pinned = if self.pinned { ", pinned" } else { "" };
        write!(f, "{database}, sync_binlog={}, {subjects}/{index}/{index} tables{pinned}", u8::from(self.sync_binlog))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_is_named_in_one_line() {
        assert_eq!(Variant::PLAIN.to_string(), "MariaDB, sync_binlog=0, 8/32/32 tables");
        assert_eq!(Variant::SINGLE.to_string(), "MariaDB, sync_binlog=0, 1/1/1 tables");
        let other = Variant { database: Database::MySql, sync_binlog: true, tables: Tables::Many, pinned: true };
        assert_eq!(other.to_string(), "MySQL, sync_binlog=1, 50/200/200 tables, pinned");
    }

    #[test]
    fn the_bare_loop_cares_for_the_database_and_not_for_our_tables() {
        let many = Variant { tables: Tables::Many, ..Variant::PLAIN };
        assert!(many.same_for_the_bare_loop(Variant::PLAIN));
        assert!(!Variant { sync_binlog: true, ..many }.same_for_the_bare_loop(Variant::PLAIN));
    }
}
