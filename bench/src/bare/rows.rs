//! Rows that exist before a bare loop begins, and the statements that make them.

use super::now_ms;
use anyhow::Result;
use sqlx::mysql::MySqlConnection;
use sqlx::{MySql, QueryBuilder};

/// The number of rows of one INSERT.
const BATCH: usize = 500;

pub(super) const INSERT_INDEX: &str = "\
INSERT INTO bare_index (id, part, subject_id, root_id, parent_id, depth, path, floor, next_floor, member_id, state, \
prior_state, deleted_by, like_count, dislike_count, reply_count, live_below, listed, revision, version, born_revision, \
request_key, request_print, create_time, update_time) \
VALUES (?, 0, ?, 0, 0, 1, ?, ?, 1, ?, 1, 0, 0, 0, 0, 0, 0, 1, ?, 1, ?, ?, ?, ?, ?)";

pub(super) const INSERT_CONTENT: &str = "\
INSERT INTO bare_content (comment_id, part, text, mentions, metadata) VALUES (?, 0, ?, '[]', '{}')";

/// Returns the first of many ids that no other run uses. They are ordered by time, like the ids
/// of the service, so that new rows go to the end of the primary keys.
pub(super) fn first_id() -> i64 {
    // 2026-01-01. A run that generates a million ids in a second stays below the ids of the next
    // one.
    (now_ms() - 1_767_225_600_000) << 20
}

/// Creates `count` subjects with ids from `first` on.
pub(super) async fn subjects(connection: &mut MySqlConnection, first: i64, count: usize) -> Result<Vec<i64>> {
    let ids: Vec<i64> = (first..).take(count).collect();
    for some in ids.chunks(BATCH) {
        let mut insert = QueryBuilder::<MySql>::new(
            "INSERT INTO bare_subject (id, part, object_type, object_id, state, next_floor, root_count, comment_count, \
             revision, version, pins, metadata, create_time, update_time) ",
        );
        insert.push_values(some, |mut row, id| {
            row.push_bind(*id).push("0, 'bench'").push_bind(id.to_string().into_bytes());
            row.push("1, 1, 0, 0, 0, 1, '', '{}'").push_bind(now_ms()).push_bind(now_ms());
        });
        insert.build().execute(&mut *connection).await?;
    }
    Ok(ids)
}

/// Returns the ids of `count` comments, each with the id of its subject. A subject has
/// `per_subject` comments. Several comments are reused from an earlier run; a single comment is
/// always new.
pub(super) async fn comments(
    connection: &mut MySqlConnection,
    count: usize,
    per_subject: usize,
) -> Result<Vec<(i64, i64)>> {
    if count > 1 {
        let earlier: Vec<(i64, i64)> = sqlx::query_as("SELECT id, subject_id FROM bare_index ORDER BY id LIMIT ?")
            .bind(u32::try_from(count)?)
            .fetch_all(&mut *connection)
            .await?;
        if earlier.len() == count {
            return Ok(earlier);
        }
    }
    let first = first_id();
    let subjects = subjects(connection, first, count.div_ceil(per_subject)).await?;
    let ids: Vec<(i64, i64)> =
        (first..).take(count).enumerate().map(|(n, id)| (id, subjects[n / per_subject])).collect();
    sqlx::raw_sql("BEGIN").execute(&mut *connection).await?;
    for (number, (id, subject)) in ids.iter().enumerate() {
        let floor = i32::try_from(number % per_subject)? + 1;
        index(*id, *subject, floor).execute(&mut *connection).await?;
    }
    sqlx::raw_sql("COMMIT").execute(&mut *connection).await?;
    Ok(ids)
}

/// Returns the INSERT of one root comment.
pub(super) fn index(
    id: i64,
    subject: i64,
    floor: i32,
) -> sqlx::query::Query<'static, MySql, sqlx::mysql::MySqlArguments> {
    let now = now_ms();
    sqlx::query(INSERT_INDEX)
        .bind(id)
        .bind(subject)
        .bind(id.to_be_bytes().to_vec())
        .bind(floor)
        .bind(format!("m{}", id.rem_euclid(100_000)).into_bytes())
        // The subject's revision grows by one with each comment, like its floors.
        .bind(i64::from(floor))
        .bind(i64::from(floor))
        .bind(rand::random::<[u8; 16]>().to_vec())
        .bind(rand::random::<i64>())
        .bind(now)
        .bind(now)
}
