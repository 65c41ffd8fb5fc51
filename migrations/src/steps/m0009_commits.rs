//! The outbox by commits: one row describes all that a commit changed, in any number of subjects,
//! and gets one sequence number. It replaces the table with a row for each subject, which is
//! dropped: a process of an earlier version has to fail instead of writing events that are never
//! read.

use crate::step::MigrationStep;
use crate::table::{IndexSpec, TableSpec, TableSpread};
use sea_orm_migration::schema::{big_integer, big_integer_null, custom};

pub(super) const STEP: MigrationStep =
    MigrationStep { name: "m0009_commits", tables, rows: || None, dropped: &["comment_outbox"] };

fn tables() -> Vec<TableSpec> {
    vec![commit(), revision()]
}

/// The commits; the relay numbers the rows after their commit, without gaps.
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

/// The commit that made each revision of a subject. A revision row is deleted with its commit, so
/// the commit id is the first column of the key.
fn revision() -> TableSpec {
    TableSpec {
        name: "outbox_revision",
        spread: TableSpread::Once,
        columns: vec![big_integer("commit_id"), big_integer("subject_id"), big_integer("revision")],
        primary: &["commit_id", "subject_id"],
        keys: &[IndexSpec { name: "subject", unique: true, columns: &["subject_id", "revision"] }],
    }
}
