//! Waiting for what comes by itself, in its own time.

use std::time::Duration;

use anyhow::{Context, Result};

/// How long anything may take on a machine that does much else besides.
const LONGEST: Duration = Duration::from_secs(60);

/// Asks until something holds.
///
/// # Errors
/// Those of `holds`; and when it does not hold in a minute.
pub async fn until(what: &str, mut holds: impl AsyncFnMut() -> Result<bool>) -> Result<()> {
    let wait = async {
        while !holds().await? {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    };
    tokio::time::timeout(LONGEST, wait).await.with_context(|| format!("it never happened: {what}"))?
}
