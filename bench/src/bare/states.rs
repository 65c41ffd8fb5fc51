//! A member's likes under one subject by hand: one range of the primary key, on the tables of the
//! service (one of each).

use super::tables;
use crate::closed::{Caller, MeasureTime};
use crate::report::Report;
use crate::states::MEMBER;
use anyhow::{Result, ensure};
use sqlx::Row;
use sqlx::mysql::MySqlConnection;

/// The like states to read.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    subject: tables::OneSubject,
    #[command(flatten)]
    span: MeasureTime,
}

/// Measures.
pub(crate) async fn run(args: &Args) -> Result<Report> {
    let (subject, connections) = args.subject.open().await?;
    let caller = |connection| States { connection, subject: subject.id };
    args.span.closed(connections.into_iter().map(caller).collect()).await
}

struct States {
    connection: MySqlConnection,
    subject: i64,
}

/// The stored value of a like.
const LIKE: i8 = 1;

const RANGE: &str = "SELECT comment_id, value FROM comment_like WHERE subject_id = ? AND member_id = ?";

impl Caller for States {
    async fn call(&mut self) -> Result<()> {
        let range = sqlx::query(RANGE).bind(self.subject).bind(MEMBER.as_bytes());
        let rows = range.fetch_all(&mut self.connection).await?;
        let likes = rows.iter().filter(|row| row.try_get::<i8, _>("value").is_ok_and(|value| value == LIKE)).count();
        ensure!(likes > 0, "no likes");
        Ok(())
    }
}
