//! Comments, one transaction each, as a competent engineer would write them by hand: four necessary
//! statements and COMMIT. The subject's row is locked only as long as its floor requires.

use super::{BareTables, now_ms, rows};
use crate::closed::{Caller, MeasureTime};
use crate::prepare;
use crate::report::Report;
use anyhow::{Result, ensure};
use sqlx::mysql::MySqlConnection;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// The comments to create.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    place: BareTables,
    /// Subjects that the comments are spread over at random; 1 is a hot one
    #[arg(long, default_value_t = 1)]
    subjects: usize,
    #[command(flatten)]
    span: MeasureTime,
}

/// Prepares the subjects, then measures.
pub(crate) async fn run(args: &Args) -> Result<Report> {
    ensure!(args.subjects > 0, "at least one subject");
    let mut connection = args.place.prepare().await?;
    let first = rows::first_id();
    let subjects = Arc::new(rows::subjects(&mut connection, first, args.subjects).await?);
    let next = Arc::new(AtomicI64::new(first));
    let caller = |connection| Creates { connection, subjects: Arc::clone(&subjects), next: Arc::clone(&next) };
    args.span.closed(args.place.loops().await?.into_iter().map(caller).collect()).await
}

struct Creates {
    connection: MySqlConnection,
    subjects: Arc<Vec<i64>>,
    next: Arc<AtomicI64>,
}

/// Locks the row, counts, and returns the floor in the statement's result: no SELECT is needed.
const TAKE_FLOOR: &str = "\
UPDATE bare_subject SET next_floor = LAST_INSERT_ID(next_floor) + 1, root_count = root_count + 1, \
comment_count = comment_count + 1, revision = revision + 1, update_time = ? WHERE id = ? AND state = 1";

impl Caller for Creates {
    async fn call(&mut self) -> Result<()> {
        let subject = self.subjects[rand::random_range(0..self.subjects.len())];
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let connection = &mut self.connection;
        sqlx::raw_sql("BEGIN").execute(&mut *connection).await?;
        // The statement that needs no floor goes first, before the subject is locked.
        let text = prepare::text(usize::try_from(id)?);
        sqlx::query(rows::INSERT_CONTENT).bind(id).bind(text).execute(&mut *connection).await?;
        let taken = sqlx::query(TAKE_FLOOR).bind(now_ms()).bind(subject).execute(&mut *connection).await?;
        ensure!(taken.rows_affected() == 1, "the subject takes no comments");
        let floor = i32::try_from(taken.last_insert_id())?;
        rows::index(id, subject, floor).execute(&mut *connection).await?;
        sqlx::raw_sql("COMMIT").execute(&mut *connection).await?;
        Ok(())
    }
}
