//! The last read of the feed: a reader that has waited since the beginning continues after old
//! events were deleted, as a leader deletes them after a day.

use anyhow::{Context, Result};

use crate::histcheck::load::{Environment, FeedReader};
use crate::mysql::{self, Databases};

/// The number of commits of each source that are not deleted.
const RETAINED: i64 = 500;

/// Deletes all but the last commits of each outbox, and reads what the feed still has.
///
/// # Errors
/// Fails when a database or a server does not respond, since no fault is injected any more.
pub(in crate::histcheck) async fn read(
    environment: &Environment,
    databases: &Databases,
    mut reader: FeedReader,
) -> Result<()> {
    for server in &databases.servers {
        let query = |statement: String| async move { mysql::query(server, &databases.name, &statement).await };
        let last = query("SELECT COALESCE(MAX(pub_seq), 0) FROM outbox_commit".to_owned()).await?;
        let last: i64 = last.trim().parse().context("no sequence number")?;
        query(format!("DELETE FROM outbox_commit WHERE pub_seq <= {}", last - RETAINED)).await?;
    }
    reader.catch_up(environment).await
}
