//! The lists whose rank index was written. A writer of the rank index locks this row first and then
//! reads the comments, so it sees their latest state. `changes` shows the maker of a ranking
//! snapshot whether the index has changed.

use crate::step::MigrationStep;
use crate::table::{TableSpec, TableSpread};
use sea_orm_migration::schema::{big_integer, small_integer};

pub(super) const STEP: MigrationStep =
    MigrationStep { name: "m0008_ranked_lists", tables, rows: || None, dropped: &[] };

fn tables() -> Vec<TableSpec> {
    vec![TableSpec {
        name: "comment_ranked_@",
        spread: TableSpread::Index,
        // The id of a subject, or of a root for the list of its replies. A subject and a root may
        // have the same number; they then share the row.
        columns: vec![big_integer("list_id"), small_integer("part"), big_integer("changes")],
        primary: &["list_id"],
        keys: &[],
    }]
}
