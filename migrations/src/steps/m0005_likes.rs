//! The likes: one row for each member and comment. The likes of a member in one subject are one
//! range of the primary key; the likers of a comment are one range of the secondary key.

use crate::step::MigrationStep;
use crate::table::{IndexSpec, TableSpec, TableSpread};
use sea_orm_migration::schema::{big_integer, binary_len, small_integer, tiny_integer, var_binary};

pub(super) const STEP: MigrationStep = MigrationStep { name: "m0005_likes", tables, rows: || None, dropped: &[] };

fn tables() -> Vec<TableSpec> {
    vec![TableSpec {
        name: "comment_like_@",
        spread: TableSpread::Index,
        columns: vec![
            big_integer("subject_id"),
            var_binary("member_id", 64),
            big_integer("comment_id"),
            small_integer("part"),
            tiny_integer("value"),
            binary_len("operation", 16),
            tiny_integer("changed"),
            big_integer("time"),
        ],
        primary: &["subject_id", "member_id", "comment_id"],
        keys: &[IndexSpec { name: "likers", unique: false, columns: &["comment_id", "value", "time", "member_id"] }],
    }]
}
