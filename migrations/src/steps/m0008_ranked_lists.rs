//! Lists whose boards were written: who writes them locks this row first, and so everybody sees the comments as they are
//! when their turn has come; and whoever freezes a ranking sees by the number whether the boards have changed.

use crate::step::MigrationStep;
use crate::table::{TableSpec, TableSpread};
use sea_orm_migration::schema::{big_integer, small_integer};

pub(super) const STEP: MigrationStep =
    MigrationStep { name: "m0008_ranked_lists", tables, rows: || None, dropped: &[] };

fn tables() -> Vec<TableSpec> {
    vec![TableSpec {
        name: "comment_ranked_@",
        spread: TableSpread::Index,
        // A subject, or a root for the list of its replies. One of each may share a number, and then the row.
        columns: vec![big_integer("list_id"), small_integer("part"), big_integer("changes")],
        primary: &["list_id"],
        keys: &[],
    }]
}
