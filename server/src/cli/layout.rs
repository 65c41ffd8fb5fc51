//! The layout of the tables: what it costs each database server, and what it allows.

use riposte_store::{DataSources, StoreKind};

/// The memory of a database server for one open table: its definition, a handler and its entry in
/// InnoDB's dictionary. MariaDB 10.11 takes 30 KiB, and 6 KiB for each further connection that uses
/// the table at the same time.
const TABLE_MEMORY: u64 = 32 * 1024;

/// The layout of an open store that has followed its database.
pub(super) struct LayoutCost {
    kind: StoreKind,
    subject_tables: u16,
    index_tables: u16,
    sources: Vec<SourceCost>,
}

/// The part of one data source.
struct SourceCost {
    first_table: i16,
    last_table: i16,
    tables: u64,
}

impl LayoutCost {
    /// Returns the layout of these sources. `tables` returns the number of all tables of one of
    /// them.
    pub(super) fn of(kind: StoreKind, sources: &DataSources, tables: impl Fn(usize) -> usize) -> Self {
        let map = sources.map();
        let source = |source: usize| {
            let subject_tables: Vec<i16> = map.subject_slots(source).map(|slot| slot.part()).collect();
            SourceCost {
                first_table: subject_tables.first().copied().unwrap_or(-1),
                last_table: subject_tables.last().copied().unwrap_or(-1),
                tables: tables(source) as u64,
            }
        };
        Self {
            kind,
            subject_tables: map.tables().subject,
            index_tables: map.tables().index,
            sources: (0..sources.all().len()).map(source).collect(),
        }
    }

    /// Returns the number of tables of a source.
    pub(super) fn tables(&self, source: usize) -> u64 {
        self.sources.get(source).map_or(0, |source| source.tables)
    }

    /// Returns the layout and the number of sources that it allows.
    pub(super) fn summary(&self) -> String {
        let counts = format!("{}/{} tables (subject/index)", self.subject_tables, self.index_tables);
        match self.kind {
            StoreKind::Sqlite | StoreKind::Vitess => counts,
            StoreKind::Mysql => {
                format!("{counts} over {} of at most {} data sources", self.sources.len(), self.subject_tables)
            }
        }
    }

    /// Returns the cost of one source, if its server keeps tables open.
    pub(super) fn of_source(&self, source: usize) -> Option<String> {
        let SourceCost { first_table, last_table, tables } = self.sources.get(source)?;
        (self.kind == StoreKind::Mysql).then(|| {
            format!(
                "subject tables {first_table}-{last_table}, {tables} tables in all; keeping them open takes \
                 table_definition_cache, table_open_cache and innodb_open_files of at least {tables}, and some {} \
                 MiB of the server's memory",
                (tables * TABLE_MEMORY).div_ceil(1 << 20),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{LayoutCost, SourceCost, StoreKind};

    #[test]
    fn a_layout_states_its_sources_tables_and_memory() {
        let half = |first_table| SourceCost { first_table, last_table: first_table + 24, tables: 1_130 };
        let cost = LayoutCost {
            kind: StoreKind::Mysql,
            subject_tables: 50,
            index_tables: 200,
            sources: vec![half(0), half(25)],
        };
        assert_eq!(cost.summary(), "50/200 tables (subject/index) over 2 of at most 50 data sources");
        let text = cost.of_source(1).unwrap();
        assert!(text.starts_with("subject tables 25-49, 1130 tables in all"), "{text}");
        assert!(text.ends_with("of at least 1130, and some 36 MiB of the server's memory"), "{text}");
        assert_eq!((cost.tables(1), cost.tables(2)), (1_130, 0));
        let file = LayoutCost { kind: StoreKind::Sqlite, subject_tables: 1, index_tables: 1, sources: vec![half(0)] };
        assert_eq!((file.summary(), file.of_source(0)), ("1/1 tables (subject/index)".to_owned(), None));
    }
}
