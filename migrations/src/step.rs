//! A migration step, and the table changes that it makes in one data source.

use crate::alter::{AddColumn, AddIndex, TableStatement};
use crate::table::{TableSpec, TableSpread};
use riposte_core::Partition;
use riposte_store::DataSources;
use riposte_store::shard::{ShardMap, TableSlot};
use sea_orm_migration::sea_query::{self, Alias};

/// One schema change, applied once in every data source. It never changes after its release.
#[derive(Debug)]
pub(crate) struct MigrationStep {
    pub(crate) name: &'static str,
    /// The new tables.
    pub(crate) tables: &'static [TableSpec],
    /// The new columns of tables of earlier steps.
    pub(crate) columns: &'static [AddColumn],
    /// The new keys of tables of earlier steps.
    pub(crate) indexes: &'static [AddIndex],
    /// The tables of earlier steps that this step drops; each exists once in a data source.
    pub(crate) dropped: &'static [&'static str],
}

impl MigrationStep {
    /// Returns the number of tables that the step creates in a source.
    pub(crate) fn added_tables(&self, map: &ShardMap, source: usize) -> usize {
        let tables = SourceTables { map, source };
        self.tables.iter().map(|table| tables.slots(table.spread).len()).sum()
    }
}

/// The changes of one physical table.
#[derive(Debug, Clone)]
pub(crate) struct TableChange {
    /// The name of the table, for messages.
    pub(crate) table: String,
    pub(crate) slot: TableSlot,
    pub(crate) statements: Vec<TableStatement>,
}

impl TableChange {
    /// Returns all changes of a step in a source, in order.
    pub(crate) fn of(step: &MigrationStep, sources: &DataSources, source: usize) -> Vec<Self> {
        let backend = sources.all()[source].write_pool().get_database_backend();
        let tables = SourceTables { map: sources.map(), source };
        let mut changes = Vec::new();
        for table in step.tables {
            let statements = table.statements(backend).into_iter().chain(table.rows(backend));
            changes.extend(tables.for_each_table(
                table.name,
                table.spread,
                &statements.map(TableStatement::new).collect::<Vec<_>>(),
            ));
        }
        for added in step.columns {
            changes.extend(tables.for_each_table(added.table, added.spread, &[added.statement(backend)]));
        }
        for added in step.indexes {
            changes.extend(tables.for_each_table(added.table, added.spread, &[added.statement(backend)]));
        }
        for table in step.dropped {
            let drop = backend.build(sea_query::Table::drop().table(Alias::new(*table)).if_exists());
            changes.extend(tables.for_each_table(table, TableSpread::Once, &[TableStatement::new(drop)]));
        }
        changes
    }
}

/// The tables of one data source.
struct SourceTables<'a> {
    map: &'a ShardMap,
    source: usize,
}

impl SourceTables<'_> {
    /// Returns the same change for every physical table of that name.
    fn for_each_table(&self, table: &str, spread: TableSpread, statements: &[TableStatement]) -> Vec<TableChange> {
        let change =
            |slot: TableSlot| TableChange { table: slot.bind(table.to_owned()), slot, statements: statements.to_vec() };
        self.slots(spread).into_iter().map(change).collect()
    }

    /// Returns one slot for every physical table of a spread.
    fn slots(&self, spread: TableSpread) -> Vec<TableSlot> {
        match spread {
            TableSpread::Once => vec![self.map.slot(Partition::number(0))],
            TableSpread::Subjects => self.map.subject_slots(self.source).collect(),
            TableSpread::Index => self.map.index_slots(self.source).collect(),
        }
    }
}
