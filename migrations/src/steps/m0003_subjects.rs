//! The subjects: the caller's key, the next root floor, the counts and the revision.

use crate::step::MigrationStep;
use crate::table::{IndexSpec, TableSpec, TableSpread};
use sea_orm_migration::schema::{
    big_integer, big_integer_null, integer, small_integer, text, tiny_integer, var_binary, var_binary_null,
};

pub(super) const STEP: MigrationStep = MigrationStep { name: "m0003_subjects", tables, rows: || None, dropped: &[] };

fn tables() -> Vec<TableSpec> {
    vec![TableSpec {
        name: "comment_subject_@",
        spread: TableSpread::Subjects,
        columns: vec![
            big_integer("id"),
            small_integer("part"),
            var_binary("object_type", 32),
            var_binary("object_id", 64),
            var_binary_null("owner_id", 64),
            tiny_integer("state"),
            integer("next_floor"),
            integer("root_count"),
            integer("comment_count"),
            big_integer("revision"),
            big_integer("version"),
            // At most three ids, 8 bytes each, big-endian.
            var_binary("pins", 24),
            text("metadata"),
            big_integer("create_time"),
            big_integer("update_time"),
            big_integer_null("delete_time"),
        ],
        primary: &["id"],
        keys: &[IndexSpec { name: "key", unique: true, columns: &["object_type", "object_id"] }],
    }]
}
