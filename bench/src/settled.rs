//! A command that waits until the event consumers of a service have processed all commits. It reads
//! the tables of the service.

use crate::bare::open;
use anyhow::{Result, ensure};
use sqlx::Row;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The service, and the longest wait.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// mysql://user@host:port/database of the service
    #[arg(long)]
    url: String,
    /// The longest wait, in seconds
    #[arg(long, default_value_t = 120.0)]
    within: f64,
}

/// The number of commits without a sequence number, and of sequence numbers that some event
/// consumer has not reached.
const BEHIND: &str = "SELECT (SELECT COUNT(*) FROM outbox_commit WHERE pub_seq IS NULL) + \
     COALESCE((SELECT MAX(position) - MIN(position) FROM relay_state), 0) AS behind";
/// The interval between two checks.
const AGAIN: Duration = Duration::from_millis(100);

/// Waits, and returns the time that it took.
pub(crate) async fn run(args: &Args) -> Result<String> {
    let (mut connection, begin) = (open(&args.url).await?, Instant::now());
    loop {
        let row = sqlx::query(BEHIND).fetch_one(&mut connection).await?;
        let behind: i64 = row.try_get("behind")?;
        let seconds = begin.elapsed().as_secs_f64();
        if behind == 0 {
            return Ok(serde_json::json!({ "seconds": seconds }).to_string());
        }
        ensure!(seconds < args.within, "{behind} commits are not processed yet");
        sleep(AGAIN).await;
    }
}
