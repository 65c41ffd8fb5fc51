//! A migration step, and the table changes that it makes in one data source.

use crate::table::{TableSpec, TableSpread};
use riposte_core::Partition;
use riposte_store::DataSources;
use riposte_store::shard::TableSlot;
use sea_orm_migration::sea_orm::Statement;
use sea_orm_migration::sea_query::{self, Alias, InsertStatement};

/// One schema change, applied once in every data source. It never changes after its release.
#[derive(Debug)]
pub(crate) struct MigrationStep {
    pub(crate) name: &'static str,
    pub(crate) tables: fn() -> Vec<TableSpec>,
    /// The rows that the tables start with.
    pub(crate) rows: fn() -> Option<InsertStatement>,
    /// The tables of earlier steps, one of each per data source, that this step replaces.
    pub(crate) dropped: &'static [&'static str],
}

/// One physical table to create or to drop.
#[derive(Debug, Clone)]
pub(crate) struct TableChange {
    /// The name of the table, for messages.
    pub(crate) table: String,
    pub(crate) slot: TableSlot,
    pub(crate) statements: Vec<Statement>,
}

impl TableChange {
    /// Returns all changes of a step in a source, in order.
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

    /// Returns the statements with the table names bound to the slot.
    pub(crate) fn bound(&self) -> impl Iterator<Item = String> + '_ {
        self.statements.iter().map(|statement| self.slot.bind(statement.to_string()))
    }
}
