//! Waiting for what comes by itself, in its own time.

use std::time::Duration;

use anyhow::{Context, Result};

/// How long anything may take on a machine that does much else besides.
const LONGEST: Duration = Duration::from_secs(60);
/// How long it rests in between: a subject that is asked for more often becomes a hot one, whose pages may be a second old.
const BETWEEN: Duration = Duration::from_millis(100);

/// Asks until something holds.
///
/// # Errors
/// Those of `holds`; and when it does not hold in a minute.
pub async fn until<F: Future<Output = Result<bool>>>(what: &str, mut holds: impl FnMut() -> F) -> Result<()> {
    let wait = async {
        while !holds().await? {
            tokio::time::sleep(BETWEEN).await;
        }
        Ok(())
    };
    tokio::time::timeout(LONGEST, wait).await.with_context(|| format!("it never happened: {what}"))?
}
