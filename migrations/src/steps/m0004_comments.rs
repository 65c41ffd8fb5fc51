//! The comments: the index row that every list reads and, in tables of their own, the content, the
//! earlier contents, the client data (deleted after its retention) and the import origin.

use crate::step::MigrationStep;
use crate::table::{IndexSpec, TableSpec, TableSpread};
use sea_orm_migration::schema::{
    big_integer, big_integer_null, binary_len, custom, integer, small_integer, text, tiny_integer, var_binary,
    var_binary_null,
};

pub(super) const STEP: MigrationStep = MigrationStep { name: "m0004_comments", tables, rows: || None, dropped: &[] };

fn tables() -> Vec<TableSpec> {
    vec![index(), content(), edit(), client(), origin()]
}

fn index() -> TableSpec {
    TableSpec {
        name: "comment_index_@",
        spread: TableSpread::Index,
        columns: vec![
            big_integer("id"),
            small_integer("part"),
            big_integer("subject_id"),
            // 0 on roots, as is parent_id: a key with NULLs would not be unique.
            big_integer("root_id"),
            big_integer("parent_id"),
            tiny_integer("depth"),
            var_binary("path", 256),
            integer("floor"),
            integer("next_floor"),
            var_binary("member_id", 64),
            tiny_integer("state"),
            tiny_integer("prior_state"),
            tiny_integer("deleted_by"),
            integer("like_count"),
            integer("dislike_count"),
            integer("reply_count"),
            integer("live_below"),
            tiny_integer("listed"),
            big_integer("revision"),
            big_integer("version"),
            big_integer("born_revision"),
            binary_len("request_key", 16),
            big_integer("request_print"),
            big_integer("create_time"),
            big_integer("update_time"),
            big_integer_null("edit_time"),
            big_integer_null("delete_time"),
        ],
        primary: &["id"],
        keys: &[
            IndexSpec { name: "floor", unique: true, columns: &["subject_id", "root_id", "floor"] },
            IndexSpec { name: "listed", unique: false, columns: &["subject_id", "root_id", "listed", "floor"] },
            IndexSpec { name: "path", unique: true, columns: &["path"] },
            IndexSpec { name: "request", unique: true, columns: &["subject_id", "request_key"] },
        ],
    }
}

fn content() -> TableSpec {
    TableSpec {
        name: "comment_content_@",
        spread: TableSpread::Index,
        columns: vec![
            big_integer("comment_id"),
            small_integer("part"),
            custom("text", "mediumtext"),
            text("mentions"),
            text("metadata"),
        ],
        primary: &["comment_id"],
        keys: &[],
    }
}

fn edit() -> TableSpec {
    TableSpec {
        name: "comment_edit_@",
        spread: TableSpread::Index,
        columns: vec![
            big_integer("comment_id"),
            big_integer("version"),
            small_integer("part"),
            custom("text", "mediumtext"),
            text("mentions"),
            text("metadata"),
            big_integer("time"),
        ],
        primary: &["comment_id", "version"],
        keys: &[],
    }
}

fn client() -> TableSpec {
    TableSpec {
        name: "comment_client_@",
        spread: TableSpread::Index,
        columns: vec![
            big_integer("comment_id"),
            small_integer("part"),
            var_binary_null("ip", 16),
            var_binary("platform", 32),
            var_binary("device", 128),
            big_integer("create_time"),
        ],
        primary: &["comment_id"],
        keys: &[IndexSpec { name: "age", unique: false, columns: &["create_time"] }],
    }
}

fn origin() -> TableSpec {
    TableSpec {
        name: "comment_origin_@",
        spread: TableSpread::Index,
        columns: vec![
            big_integer("comment_id"),
            small_integer("part"),
            var_binary("source", 64),
            var_binary("external_id", 128),
        ],
        primary: &["comment_id"],
        keys: &[],
    }
}
