//! A step, and the work it means for one data source.

use crate::table::{TableSpec, TableSpread};
use riposte_core::Partition;
use riposte_store::DataSources;
use riposte_store::shard::TableSlot;
use sea_orm_migration::sea_orm::Statement;
use sea_orm_migration::sea_query::{self, Alias, InsertStatement};

/// One meaning, applied once in every data source. It never changes after its release.
#[derive(Debug)]
pub(crate) struct MigrationStep {
    pub(crate) name: &'static str,
    pub(crate) tables: fn() -> Vec<TableSpec>,
    /// Rows that the tables start with.
    pub(crate) rows: fn() -> Option<InsertStatement>,
    /// Tables of earlier steps, once in each data source, whose place these take.
    pub(crate) dropped: &'static [&'static str],
}

/// One physical table to make or to drop.
#[derive(Debug, Clone)]
pub(crate) struct TableChange {
    /// Its name, for people.
    pub(crate) table: String,
    pub(crate) slot: TableSlot,
    pub(crate) statements: Vec<Statement>,
}

impl TableChange {
    /// Everything a step means for a source, in order.
    pub(crate) fn of(step: &MigrationStep, sources: &DataSources, source: usize) -> Vec<Self> {
        let backend = sources.all()[source].write_pool().get_database_backend();
        let map = sources.map();
        let mut work = Vec::new();
        for table in (step.tables)() {
            let slots: Vec<TableSlot> = match table.spread {
                TableSpread::Once => vec![map.slot(Partition::number(0))],
                TableSpread::Subjects => map.subject_slots(source).collect(),
                TableSpread::Index => map.index_slots(source).collect(),
            };
            let statements = table.statements(backend);
            work.extend(slots.into_iter().map(|slot| Self {
                table: slot.bind(table.name.to_owned()),
                slot,
                statements: statements.clone(),
            }));
        }
        if let (Some(last), Some(rows)) = (work.last_mut(), (step.rows)()) {
            last.statements.push(backend.build(&rows));
        }
        work.extend(step.dropped.iter().map(|table| Self {
            table: (*table).to_owned(),
            slot: map.slot(Partition::number(0)),
            statements: vec![backend.build(sea_query::Table::drop().table(Alias::new(*table)).if_exists())],
        }));
        work
    }

    /// The statements with the names of their tables.
    pub(crate) fn bound(&self) -> impl Iterator<Item = String> + '_ {
        self.statements.iter().map(|statement| self.slot.bind(statement.to_string()))
    }
}
