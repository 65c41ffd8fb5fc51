//! The derived tables: rank index, ranking snapshots, the outbox that feeds all event consumers,
//! the positions of the consumers, and the member histories.

use crate::step::MigrationStep;
use crate::table::{IndexSpec, TableSpec, TableSpread};
use sea_orm_migration::schema::{
    big_integer, big_integer_null, custom, double, integer, small_integer, tiny_integer, var_binary,
};

pub(super) const STEP: MigrationStep = MigrationStep { name: "m0007_projections", tables, rows: || None, dropped: &[] };

fn tables() -> Vec<TableSpec> {
    vec![rank(), epoch(), outbox(), relay_state(), member_comment()]
}

/// The rank index; only comments with likes, dislikes or replies have rows.
fn rank() -> TableSpec {
    TableSpec {
        name: "comment_rank_@",
        spread: TableSpread::Index,
        columns: vec![
            big_integer("subject_id"),
            tiny_integer("sort"),
            double("score"),
            integer("floor"),
            small_integer("part"),
            big_integer("comment_id"),
        ],
        primary: &["subject_id", "sort", "score", "floor"],
        keys: &[IndexSpec { name: "comment", unique: false, columns: &["comment_id", "sort"] }],
    }
}

/// Ranking snapshots; they are deleted when no walk can need them any more.
fn epoch() -> TableSpec {
    TableSpec {
        name: "comment_epoch_@",
        spread: TableSpread::Index,
        columns: vec![
            big_integer("subject_id"),
            tiny_integer("sort"),
            big_integer("epoch"),
            small_integer("part"),
            custom("floors", "mediumblob"),
            big_integer("create_time"),
        ],
        primary: &["subject_id", "sort", "epoch"],
        keys: &[IndexSpec { name: "age", unique: false, columns: &["create_time"] }],
    }
}

/// One row for each revision of a subject. The relay numbers the rows after their commit, without
/// gaps.
fn outbox() -> TableSpec {
    TableSpec {
        name: "comment_outbox",
        spread: TableSpread::Once,
        columns: vec![
            big_integer("id"),
            small_integer("part"),
            big_integer("subject_id"),
            big_integer("revision"),
            custom("changes", "mediumblob"),
            big_integer_null("pub_seq"),
            big_integer("create_time"),
        ],
        primary: &["id"],
        keys: &[
            IndexSpec { name: "published", unique: true, columns: &["pub_seq"] },
            IndexSpec { name: "subject", unique: false, columns: &["subject_id", "revision"] },
        ],
    }
}

/// The consumers of the outbox with their positions, and the lease and epoch of the relay.
fn relay_state() -> TableSpec {
    TableSpec {
        name: "relay_state",
        spread: TableSpread::Once,
        columns: vec![
            var_binary("name", 64),
            var_binary("owner", 16),
            big_integer("epoch"),
            big_integer("position"),
            big_integer("leased_until"),
        ],
        primary: &["name"],
        keys: &[],
    }
}

/// A member's own history, in the partition of (object_type, member_id).
fn member_comment() -> TableSpec {
    TableSpec {
        name: "member_comment_@",
        spread: TableSpread::Index,
        columns: vec![
            var_binary("object_type", 32),
            var_binary("member_id", 64),
            big_integer("create_time"),
            big_integer("comment_id"),
            small_integer("part"),
            big_integer("subject_id"),
            tiny_integer("state"),
            // The version of the comment; a row of an older version never replaces one of a newer
            // version.
            big_integer("version"),
        ],
        primary: &["object_type", "member_id", "create_time", "comment_id"],
        keys: &[],
    }
}
