//! The selection of rows, their variants and their order.

use super::book::Book;
use super::row::Row;
use super::variant::{Database, Tables, Variant};
use anyhow::{Result, bail};
use clap::ValueEnum;

/// The selection of rows and variants.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct RowSelection {
    /// Measure only these rows, as in --rows create_hot,like_hot
    #[arg(long, value_name = "ROW", value_delimiter = ',', num_args = 1.., value_enum)]
    rows: Vec<Row>,
    /// Only with server and load on cores of their own
    #[arg(long, conflicts_with = "unpinned")]
    pinned: bool,
    /// Only with every core free for all processes
    #[arg(long)]
    unpinned: bool,
    /// Only with this number of tables
    #[arg(long, value_enum)]
    tables: Option<Tables>,
    /// Only with this sync_binlog
    #[arg(long, value_name = "0|1", value_parser = clap::value_parser!(u8).range(0..=1))]
    sync_binlog: Option<u8>,
    /// Also measure create_hot and like_hot on MySQL 9, whose server is fetched once and unpacked
    /// under .tools/
    #[arg(long)]
    pub(super) mysql: bool,
}

/// Returns the rows of a benchmark with their variants.
///
/// # Errors
///
/// Fails if the choice names a row that the benchmark does not have.
pub(super) fn plan(book: Book, selection: &RowSelection) -> Result<Vec<(Row, Variant)>> {
    if let Some(other) = selection.rows.iter().find(|row| row.book() != book) {
        bail!("{} is a row of `bench {}`", other.name(), other.book());
    }
    Ok(match book {
        Book::Write => writes(selection),
        Book::Read => reads(selection),
        Book::Events => events(selection),
    })
}

fn rows(book: Book) -> impl Iterator<Item = Row> {
    Row::value_variants().iter().copied().filter(move |row| row.book() == book)
}

/// The tables of the variants, in the order in which they are measured.
const LAYOUTS: [Tables; 3] = [Tables::Default, Tables::Many, Tables::One];

/// Returns every row in its own or the chosen variant, with each layout.
fn reads(selection: &RowSelection) -> Vec<(Row, Variant)> {
    let RowSelection { rows: chosen, pinned, unpinned, tables: _, sync_binlog, mysql } = selection;
    let variant = |row: Row, tables| Variant {
        database: if *mysql { Database::MySql } else { Database::MariaDb },
        sync_binlog: *sync_binlog == Some(1),
        tables,
        pinned: *pinned || (row.is_pinned() && !unpinned),
    };
    let rows = || rows(Book::Read).filter(|row| chosen.is_empty() || chosen.contains(row));
    let all = LAYOUTS.into_iter().flat_map(|tables| rows().map(move |row| (row, tables)));
    let wanted = all.filter(|(row, tables)| selection.wants_tables(*row, *tables));
    wanted.map(|(row, tables)| (row, variant(row, tables))).collect()
}

/// Returns every row with the tables of a new database, or with those of the choice.
fn events(selection: &RowSelection) -> Vec<(Row, Variant)> {
    let variant = Variant {
        database: if selection.mysql { Database::MySql } else { Database::MariaDb },
        sync_binlog: selection.sync_binlog == Some(1),
        tables: selection.tables.unwrap_or(Tables::Default),
        pinned: selection.pinned,
    };
    let chosen = |row: &Row| selection.rows.is_empty() || selection.rows.contains(row);
    rows(Book::Events).filter(chosen).map(|row| (row, variant)).collect()
}

/// Returns each layout, that of a new database first, then pinned cores, then MySQL.
fn writes(selection: &RowSelection) -> Vec<(Row, Variant)> {
    let plain = Variant::PLAIN;
    // Not every combination is measured: each is compared with the plain one, and a run should end.
    let mut circumstances: Vec<_> = LAYOUTS.into_iter().map(|tables| Variant { tables, ..plain }).collect();
    circumstances.push(Variant { pinned: true, ..plain });
    if let (true, Some(tables @ (Tables::Many | Tables::One))) = (selection.pinned, selection.tables) {
        circumstances.push(Variant { pinned: true, tables, ..plain });
    }
    let mut all = Vec::new();
    for variant in circumstances {
        for row in rows(Book::Write) {
            all.push((row, variant));
            if row.is_hot() {
                all.push((row, Variant { sync_binlog: true, ..variant }));
            }
        }
    }
    if selection.mysql {
        let mysql = Variant { database: Database::MySql, ..plain };
        all.extend(rows(Book::Write).filter(|row| row.is_hot()).map(|row| (row, mysql)));
    }
    all.retain(|(row, variant)| selection.wants(*row, *variant));
    all
}

impl RowSelection {
    fn wants(&self, row: Row, variant: Variant) -> bool {
        let row_wanted = self.rows.is_empty() || self.rows.contains(&row);
        if variant.is_mysql() {
            // The row has its own option, and exactly one variant of each exists.
            return row_wanted;
        }
        // Writing a million comments takes half a minute, and an idle service needs no cores.
        let same_pinned = matches!(row, Row::Create1m | Row::Idle);
        let worth_it = !(same_pinned && variant.pinned) || self.rows.contains(&row);
        let core_wanted = if variant.pinned { !self.unpinned } else { !self.pinned };
        let tables_wanted = self.wants_tables(row, variant.tables);
        let binlog_wanted = self.sync_binlog.is_none_or(|sync| (sync == 1) == variant.sync_binlog);
        row_wanted && worth_it && core_wanted && tables_wanted && binlog_wanted
    }

    /// Returns `true` if a row is measured with these tables.
    fn wants_tables(&self, row: Row, tables: Tables) -> bool {
        let meaningful = !(row.is_layout() && tables == Tables::One);
        meaningful && self.tables.map_or(!row.is_long() || tables == Tables::Default, |only| only == tables)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERYTHING: RowSelection = RowSelection {
        rows: Vec::new(),
        pinned: false,
        unpinned: false,
        tables: None,
        sync_binlog: None,
        mysql: false,
    };

    #[test]
    fn everything_is_each_layout_and_pinned_cores() {
        let all = writes(&EVERYTHING);
        let count = |tables, pinned| all.iter().filter(|(_, of)| (of.tables, of.pinned) == (tables, pinned)).count();
        assert_eq!([Tables::Default, Tables::Many, Tables::One].map(|tables| count(tables, false)), [13, 12, 10]);
        assert_eq!(count(Tables::Default, true), 11);
        assert_eq!(all.len(), 46);
        assert_eq!(writes(&RowSelection { mysql: true, ..EVERYTHING }).len(), 48);
        assert_eq!(all[0], (Row::CreateHot, Variant::PLAIN));
    }

    #[test]
    fn a_short_run_may_be_one_row() {
        let selection = RowSelection {
            rows: vec![Row::CreateHot],
            unpinned: true,
            tables: Some(Tables::One),
            sync_binlog: Some(0),
            ..EVERYTHING
        };
        assert_eq!(writes(&selection), [(Row::CreateHot, Variant::SINGLE)]);
    }

    #[test]
    fn mysql_is_added_to_any_other_variant() {
        let selection = RowSelection { rows: vec![Row::LikeHot], pinned: true, mysql: true, ..EVERYTHING };
        let rows = writes(&selection);
        assert_eq!(rows.len(), 3);
        assert!(rows[2].1.is_mysql());
    }

    #[test]
    fn both_at_once_is_measured_on_request() {
        let selection = RowSelection { pinned: true, tables: Some(Tables::Many), ..EVERYTHING };
        assert!(writes(&selection).iter().all(|(_, variant)| variant.pinned && variant.tables == Tables::Many));
        assert_eq!(writes(&selection).len(), 11);
    }

    #[test]
    fn every_read_row_comes_with_each_layout_and_a_long_one_only_with_the_first() {
        let all = plan(Book::Read, &EVERYTHING).unwrap();
        let count = |tables| all.iter().filter(|(_, variant)| variant.tables == tables).count();
        assert_eq!([Tables::Default, Tables::Many, Tables::One].map(count), [13, 8, 8]);
        assert_eq!(all[0], (Row::PageHot, Variant { pinned: true, ..Variant::PLAIN }));
        assert!(all.iter().all(|(row, variant)| variant.pinned == (*row == Row::PageHot)));
        let one = |row| RowSelection { rows: vec![row], tables: Some(Tables::Many), unpinned: true, ..EVERYTHING };
        for row in [Row::PageHot, Row::Mixed] {
            let many = Variant { tables: Tables::Many, ..Variant::PLAIN };
            assert_eq!(plan(Book::Read, &one(row)).unwrap(), [(row, many)]);
        }
    }

    #[test]
    fn every_row_of_events_comes_once_with_the_tables_of_a_new_database() {
        let all = plan(Book::Events, &EVERYTHING).unwrap();
        assert_eq!(all.len(), 10);
        assert!(all.iter().all(|(_, variant)| *variant == Variant::PLAIN));
        let one = RowSelection { rows: vec![Row::TopicLoad], pinned: true, ..EVERYTHING };
        assert_eq!(plan(Book::Events, &one).unwrap(), [(Row::TopicLoad, Variant { pinned: true, ..Variant::PLAIN })]);
    }

    #[test]
    fn a_row_of_another_benchmark_is_refused() {
        let selection = RowSelection { rows: vec![Row::PageHot], ..EVERYTHING };
        assert!(plan(Book::Write, &selection).is_err() && plan(Book::Read, &selection).is_ok());
    }
}
