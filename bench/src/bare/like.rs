//! Likes, one transaction each, as a competent engineer would write them by hand: one statement
//! that sets the like and returns its earlier value, and one for the comment's counts, which locks
//! the hot row only until COMMIT.

use super::{BareTables, now_ms, rows};
use crate::closed::{Caller, MeasureTime};
use crate::members::Members;
use crate::report::Report;
use anyhow::{Result, ensure};
use sqlx::mysql::MySqlConnection;
use std::sync::Arc;

/// The maximum number of comments on a subject.
const COMMENTS_PER_SUBJECT: usize = 100;
/// The stored value of a like.
const LIKE: u64 = 1;

/// The comments to like.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    place: BareTables,
    /// Comments that the likes are spread over at random; 1 is a hot one. A subject has 100 of them
    #[arg(long, default_value_t = 1)]
    comments: usize,
    #[command(flatten)]
    span: MeasureTime,
}

/// Prepares the comments, then measures.
pub(crate) async fn run(args: &Args) -> Result<Report> {
    ensure!(args.comments > 0, "at least one comment");
    let mut connection = args.place.prepare().await?;
    let comments = Arc::new(rows::comments(&mut connection, args.comments, COMMENTS_PER_SUBJECT).await?);
    let members = Arc::new(Members::default());
    let caller = |connection| Likes { connection, comments: Arc::clone(&comments), members: Arc::clone(&members) };
    args.span.closed(args.place.loops().await?.into_iter().map(caller).collect()).await
}

struct Likes {
    connection: MySqlConnection,
    /// The comments, each with its subject.
    comments: Arc<Vec<(i64, i64)>>,
    members: Arc<Members>,
}

/// For an existing row, LAST_INSERT_ID carries the former value into the result; assignments run
/// from left to right.
const SET: &str = "\
INSERT INTO bare_like (subject_id, member_id, comment_id, part, value, operation, changed, time) \
VALUES (?, ?, ?, 0, ?, ?, 1, ?) ON DUPLICATE KEY UPDATE changed = LAST_INSERT_ID(value) <> VALUES(value), \
value = VALUES(value), operation = VALUES(operation), time = VALUES(time)";

const COUNT: &str = "\
UPDATE bare_index SET like_count = like_count + ?, dislike_count = dislike_count + ?, revision = revision + 1 \
WHERE id = ?";

/// The stored value of a dislike.
const DISLIKE: u64 = 2;

impl Caller for Likes {
    async fn call(&mut self) -> Result<()> {
        let (comment, subject) = self.comments[rand::random_range(0..self.comments.len())];
        let connection = &mut self.connection;
        sqlx::raw_sql("BEGIN").execute(&mut *connection).await?;
        let set = sqlx::query(SET)
            .bind(subject)
            .bind(self.members.next().into_bytes())
            .bind(comment)
            .bind(LIKE)
            .bind(rand::random::<[u8; 16]>().to_vec())
            .bind(now_ms())
            .execute(&mut *connection)
            .await?;
        // 1 row: the like is new. 2: one existed, and LAST_INSERT_ID has its value.
        let before = if set.rows_affected() == 1 { 0 } else { set.last_insert_id() };
        if before != LIKE {
            let dislikes = -i32::from(before == DISLIKE);
            sqlx::query(COUNT).bind(1).bind(dislikes).bind(comment).execute(&mut *connection).await?;
        }
        sqlx::raw_sql("COMMIT").execute(&mut *connection).await?;
        Ok(())
    }
}
