//! Waiting for a condition.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// The longest time that a condition may take; a busy machine needs a few seconds.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Repeats `attempt` until it succeeds. On a timeout the error contains the last failure.
pub(crate) fn until<T>(what: &str, mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
    let deadline = Instant::now() + TIMEOUT;
    loop {
        match attempt() {
            Ok(found) => return Ok(found),
            Err(error) if Instant::now() < deadline => drop(error),
            Err(error) => return Err(error).with_context(|| format!("not within {} s: {what}", TIMEOUT.as_secs())),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits like [`until`], for a condition that is true or false.
pub(crate) fn until_true(what: &str, mut is_true: impl FnMut() -> Result<bool>) -> Result<()> {
    until(what, || if is_true()? { Ok(()) } else { bail!("the condition is not true") })
}
