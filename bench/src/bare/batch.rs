//! Batch reads by hand: one range of keys in the tables of the service (one of each), in one
//! statement for subjects and in two in one snapshot for comments.

use super::open;
use crate::batch::{COMMENTS, SUBJECTS};
use crate::closed::{Caller, MeasureTime};
use crate::report::Report;
use anyhow::{Result, ensure};
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Row};
use std::sync::Arc;

/// The rows to read.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// mysql://user@host:port/database of the service
    #[arg(long)]
    url: String,
    /// The object type of the subjects
    #[arg(long, default_value = "bench")]
    object_type: String,
    /// The prefix of the subjects' ids, the same as in the load through gRPC
    #[arg(long)]
    prefix: String,
    /// Connections, each with a loop of its own
    #[arg(long, default_value_t = 1)]
    connections: usize,
    #[command(flatten)]
    span: MeasureTime,
}

const OBJECT_IDS: &str = "SELECT object_id FROM comment_subject WHERE object_type = ? AND object_id LIKE ?";
const COMMENT_IDS: &str = "SELECT i.id FROM comment_index i JOIN comment_subject s ON s.id = i.subject_id \
                           WHERE s.object_type = ? AND s.object_id LIKE ?";

/// Measures subjects.
pub(crate) async fn subjects(args: &Args) -> Result<Report> {
    let all: Vec<Vec<u8>> = args.all(OBJECT_IDS).await?;
    let marks = vec!["?"; SUBJECTS].join(", ");
    let select = format!("SELECT * FROM comment_subject WHERE object_type = ? AND object_id IN ({marks})");
    let batches = batches(&all, SUBJECTS)?;
    let (select, object_type) = (Arc::<str>::from(select), args.object_type.clone());
    let caller = |connection| Subjects {
        connection,
        select: Arc::clone(&select),
        object_type: object_type.clone(),
        batches: Arc::clone(&batches),
    };
    args.span.closed(args.loops().await?.into_iter().map(caller).collect()).await
}

/// Measures comments.
pub(crate) async fn comments(args: &Args) -> Result<Report> {
    let all: Vec<i64> = args.all(COMMENT_IDS).await?;
    let marks = vec!["?"; COMMENTS].join(", ");
    let selects = [
        format!("SELECT * FROM comment_index WHERE id IN ({marks})"),
        format!("SELECT * FROM comment_content WHERE comment_id IN ({marks})"),
    ]
    .map(Arc::<str>::from);
    let batches = batches(&all, COMMENTS)?;
    let caller = |connection| Comments { connection, selects: selects.clone(), batches: Arc::clone(&batches) };
    args.span.closed(args.loops().await?.into_iter().map(caller).collect()).await
}

impl Args {
    /// Returns the first column of all rows of the load's subjects.
    async fn all<T>(&self, select: &'static str) -> Result<Vec<T>>
    where
        T: for<'r> sqlx::Decode<'r, sqlx::MySql> + sqlx::Type<sqlx::MySql>,
    {
        let prefix = format!("{}-%", self.prefix).into_bytes();
        let query = sqlx::query(select).bind(self.object_type.as_bytes()).bind(prefix);
        let rows = query.fetch_all(&mut open(&self.url).await?).await?;
        Ok(rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?)
    }

    async fn loops(&self) -> Result<Vec<MySqlConnection>> {
        let mut all = Vec::with_capacity(self.connections);
        for _ in 0..self.connections {
            all.push(open(&self.url).await?);
        }
        Ok(all)
    }
}

/// Returns the full batches of `all`.
fn batches<T: Clone>(all: &[T], size: usize) -> Result<Arc<Vec<Vec<T>>>> {
    let batches: Vec<Vec<T>> = all.chunks_exact(size).map(<[T]>::to_vec).collect();
    ensure!(!batches.is_empty(), "the service has {} rows, fewer than one batch", all.len());
    Ok(Arc::new(batches))
}

struct Subjects {
    connection: MySqlConnection,
    select: Arc<str>,
    object_type: String,
    batches: Arc<Vec<Vec<Vec<u8>>>>,
}

impl Caller for Subjects {
    async fn call(&mut self) -> Result<()> {
        let batch = &self.batches[rand::random_range(0..self.batches.len())];
        let query = sqlx::query(AssertSqlSafe(self.select.to_string())).bind(self.object_type.as_bytes());
        let rows = batch.iter().fold(query, |query, id| query.bind(id)).fetch_all(&mut self.connection).await?;
        ensure!(rows.len() == batch.len(), "{} subjects", rows.len());
        Ok(())
    }
}

struct Comments {
    connection: MySqlConnection,
    selects: [Arc<str>; 2],
    batches: Arc<Vec<Vec<i64>>>,
}

impl Caller for Comments {
    async fn call(&mut self) -> Result<()> {
        let batch = &self.batches[rand::random_range(0..self.batches.len())];
        sqlx::raw_sql("BEGIN").execute(&mut self.connection).await?;
        for select in &self.selects {
            let query = sqlx::query(AssertSqlSafe(select.to_string()));
            let rows = batch.iter().fold(query, |query, id| query.bind(id)).fetch_all(&mut self.connection).await?;
            ensure!(rows.len() == batch.len(), "{} comments", rows.len());
        }
        sqlx::raw_sql("COMMIT").execute(&mut self.connection).await?;
        Ok(())
    }
}
