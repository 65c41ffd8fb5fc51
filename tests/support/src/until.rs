//! Waiting for a condition that becomes true by itself.

use std::time::Duration;

use anyhow::{Context, Result};

/// The longest time that a condition may take on a busy machine.
const LONGEST: Duration = Duration::from_secs(60);
/// The interval between checks. With more frequent reads the subject would enter the response
/// cache, whose pages may be a second old.
const BETWEEN: Duration = Duration::from_millis(100);

/// Checks until a condition holds.
///
/// # Errors
/// Those of `holds`; and a condition that does not hold within a minute.
pub async fn until<F: Future<Output = Result<bool>>>(what: &str, mut is_true: impl FnMut() -> F) -> Result<()> {
    let wait = async {
        while !is_true().await? {
            tokio::time::sleep(BETWEEN).await;
        }
        Ok(())
    };
    tokio::time::timeout(LONGEST, wait).await.with_context(|| format!("it never happened: {what}"))?
}
