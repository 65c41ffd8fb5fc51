//! The idempotency keys of every verb that does not store its key on a new comment. They are kept
//! forever.

use crate::step::MigrationStep;
use crate::table::{TableSpec, TableSpread};
use sea_orm_migration::schema::{big_integer, binary_len, small_integer, tiny_integer};

pub(super) const STEP: MigrationStep = MigrationStep { name: "m0006_requests", tables, rows: || None, dropped: &[] };

fn tables() -> Vec<TableSpec> {
    vec![TableSpec {
        name: "comment_request_@",
        spread: TableSpread::Index,
        columns: vec![
            big_integer("subject_id"),
            binary_len("request_key", 16),
            small_integer("part"),
            tiny_integer("verb"),
            big_integer("print"),
            big_integer("comment_id"),
            big_integer("revision"),
        ],
        primary: &["subject_id", "request_key"],
        keys: &[],
    }]
}
