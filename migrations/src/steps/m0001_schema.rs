//! The table of applied steps: one row for each step, with the layout that its tables were created
//! for.

use crate::step::MigrationStep;
use crate::table::{TableSpec, TableSpread};
use sea_orm_migration::schema::{big_integer, small_integer, var_binary};

pub(super) const STEP: MigrationStep = MigrationStep { name: "m0001_schema", tables, rows: || None, dropped: &[] };

fn tables() -> Vec<TableSpec> {
    vec![TableSpec {
        name: "riposte_schema",
        spread: TableSpread::Once,
        columns: vec![
            var_binary("step", 64),
            small_integer("subject_tables"),
            small_integer("index_tables"),
            small_integer("source"),
            small_integer("sources"),
            small_integer("first_table"),
            small_integer("last_table"),
            big_integer("applied_at"),
        ],
        primary: &["step"],
        keys: &[],
    }]
}
