//! The outbox by commits: one row tells all that a commit changed, however many subjects that were, and is numbered once.
//! It takes the place of a row for each subject, which is dropped: a process of an earlier version has to fail where it
//! would write what nobody reads.

use crate::step::MigrationStep;
use crate::table::{IndexSpec, TableSpec, TableSpread};
use sea_orm_migration::schema::{big_integer, big_integer_null, custom};

pub(super) const STEP: MigrationStep =
    MigrationStep { name: "m0009_commits", tables, rows: || None, dropped: &["comment_outbox"] };

fn tables() -> Vec<TableSpec> {
    vec![commit(), revision()]
}

/// The relay numbers the rows after their commit, without holes.
fn commit() -> TableSpec {
    TableSpec {
        name: "outbox_commit",
        spread: TableSpread::Once,
        columns: vec![
            big_integer("id"),
            custom("events", "mediumblob"),
            big_integer_null("pub_seq"),
            big_integer("create_time"),
        ],
        primary: &["id"],
        keys: &[IndexSpec { name: "published", unique: true, columns: &["pub_seq"] }],
    }
}

/// Which commit made which revision of a subject. Rows go with their commit, so the commit comes first.
fn revision() -> TableSpec {
    TableSpec {
        name: "outbox_revision",
        spread: TableSpread::Once,
        columns: vec![big_integer("commit_id"), big_integer("subject_id"), big_integer("revision")],
        primary: &["commit_id", "subject_id"],
        keys: &[IndexSpec { name: "subject", unique: true, columns: &["subject_id", "revision"] }],
    }
}
