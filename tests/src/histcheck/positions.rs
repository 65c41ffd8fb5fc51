//! The positions of event consumers in the rows of the databases.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::mysql::{self, Databases};

/// The longest time until positions are as required. The leader examines the topic every ten
/// seconds.
const WITHIN: Duration = Duration::from_secs(90);
/// The pause between two reads.
const PAUSE: Duration = Duration::from_millis(200);
/// The number of consumers of a source that build the state from the rows before their first event
/// and whose results the check reads.
const BEGUN: &str = "SELECT COUNT(*) FROM relay_state WHERE name IN ('history', 'review')";

/// Waits until these consumers of each source begin. While the databases are empty they build
/// nothing; under load and faults a build lasts longer than a list may be behind.
///
/// # Errors
/// Fails when no leader begins, or when a database does not respond.
pub(super) async fn begun(databases: &Databases) -> Result<()> {
    until(databases, BEGUN, "2").await.context("a consumer has no position")
}

/// Waits until a query has this result in each database.
///
/// # Errors
/// Fails when the result stays another one, or when a database does not respond.
pub(super) async fn until(databases: &Databases, query: &str, wanted: &str) -> Result<()> {
    for server in &databases.servers {
        let begun = Instant::now();
        loop {
            let found = mysql::query(server, &databases.name, query).await?;
            if found.trim() == wanted {
                break;
            }
            ensure!(begun.elapsed() < WITHIN, "{} after {WITHIN:?}", found.trim());
            tokio::time::sleep(PAUSE).await;
        }
    }
    Ok(())
}
