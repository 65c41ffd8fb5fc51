//! A step, and the work it means for one data source.

use crate::table::{Spread, Table};
use riposte_core::Partition;
use riposte_store::Sources;
use riposte_store::shard::Slot;
use sea_orm_migration::sea_orm::Statement;
use sea_orm_migration::sea_query::{self, Alias, InsertStatement};

/// One meaning, applied once in every data source. It never changes after its release.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) tables: fn() -> Vec<Table>,
    /// Rows that the tables start with.
    pub(crate) rows: fn() -> Option<InsertStatement>,
    /// Tables of earlier steps, once in each data source, whose place these take.
    pub(crate) dropped: &'static [&'static str],
}

/// One physical table to make or to drop.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    /// Its name, for people.
    pub(crate) table: String,
    pub(crate) slot: Slot,
    pub(crate) statements: Vec<Statement>,
}

impl Work {
    /// Everything a step means for a source, in order.
    pub(crate) fn of(step: &Step, sources: &Sources, source: usize) -> Vec<Self> {
        let backend = sources.all()[source].write_pool().get_database_backend();
        let map = sources.map();
        let mut work = Vec::new();
        for table in (step.tables)() {
            let slots: Vec<Slot> = match table.spread {
                Spread::Once => vec![map.slot(Partition::number(0))],
                Spread::Subjects => map.subject_slots(source).collect(),
                Spread::Index => map.index_slots(source).collect(),
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
