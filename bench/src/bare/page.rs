//! A first page by hand: the statements that a page needs at least, in one snapshot, on the tables
//! of the service (one of each). The rows are fetched and decoded, and no message is made of them.

use super::tables;
use crate::closed::{Caller, MeasureTime};
use crate::report::Report;
use anyhow::{Result, ensure};
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Row};

/// The number of roots of a page.
const ROOTS: u32 = 20;
/// The number of replies of a preview, and one more that shows whether others exist.
const REPLIES: u32 = 4;

/// The page to read.
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
    let caller = |connection| Pages { connection, subject: subject.clone() };
    args.span.closed(connections.into_iter().map(caller).collect()).await
}

struct Pages {
    connection: MySqlConnection,
    subject: tables::Subject,
}

const SUBJECT: &str = "SELECT * FROM comment_subject WHERE part = ? AND object_type = ? AND object_id = ?";

const LISTED: &str = "\
FROM comment_index FORCE INDEX (comment_index_listed) WHERE part = ? AND subject_id = ? AND root_id = ? AND listed = 1";

impl Caller for Pages {
    async fn call(&mut self) -> Result<()> {
        let (connection, part) = (&mut self.connection, self.subject.part);
        sqlx::raw_sql("BEGIN").execute(&mut *connection).await?;
        let subject = sqlx::query(SUBJECT).bind(part).bind(&self.subject.object_type).bind(&self.subject.object_id);
        let subject: i64 = subject.fetch_one(&mut *connection).await?.try_get("id")?;
        let roots = format!("SELECT * {LISTED} ORDER BY floor DESC LIMIT {}", ROOTS + 1);
        let roots = sqlx::query(AssertSqlSafe(roots)).bind(part).bind(subject).bind(0_i64);
        let rows = roots.fetch_all(&mut *connection).await?;
        let mut ids: Vec<i64> =
            rows.iter().take(ROOTS as usize).map(|row| row.try_get("id")).collect::<Result<_, _>>()?;
        let first = format!("SELECT * FROM (SELECT id {LISTED} ORDER BY floor LIMIT {REPLIES}) AS side");
        let firsts = vec![first; ids.len()].join(" UNION ALL ");
        let replies =
            format!("SELECT i.* FROM ({firsts}) AS first JOIN comment_index AS i ON i.id = first.id AND i.part = ?");
        let mut replies = sqlx::query(AssertSqlSafe(replies));
        for root in &ids {
            replies = replies.bind(part).bind(subject).bind(*root);
        }
        let replies = replies.bind(part).fetch_all(&mut *connection).await?;
        for row in &replies {
            ids.push(row.try_get("id")?);
        }
        let marks = vec!["?"; ids.len()].join(", ");
        let contents = format!("SELECT * FROM comment_content WHERE part = ? AND comment_id IN ({marks})");
        let contents = ids.iter().fold(sqlx::query(AssertSqlSafe(contents)).bind(part), |query, id| query.bind(*id));
        let contents = contents.fetch_all(&mut *connection).await?;
        sqlx::raw_sql("COMMIT").execute(&mut *connection).await?;
        let texts =
            contents.iter().map(|row| row.try_get::<&str, _>("text").map(str::len)).sum::<Result<usize, _>>()?;
        ensure!(contents.len() == ids.len() && texts > 0, "{} comments, {} contents", ids.len(), contents.len());
        Ok(())
    }
}
