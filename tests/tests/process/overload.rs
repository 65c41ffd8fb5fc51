//! Overload: refusals state their reason, have no effect and carry a retry delay; all other calls
//! continue.

mod abuse;
mod deadlines;
mod flood;
mod rates;

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use riposte_sdk::v1::ErrorReason;
use riposte_tests::{Server, refused};
use tonic::{Code, Status};
use tonic_types::StatusExt;

/// Starts `riposte dev` with these values.
async fn dev(sets: &[&str]) -> Result<Server> {
    let arguments: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
    Server::dev_with(None, &arguments).await
}

/// Checks that a refusal is complete: its reason, its lack of effect, and its retry delay, for the
/// SDK and for gRPC's own retries. Returns that delay.
fn is_rejected<T: std::fmt::Debug>(outcome: Result<T, Status>, reason: ErrorReason) -> Result<Duration> {
    let status = outcome.as_ref().err().cloned().context("the call was admitted")?;
    ensure!(refused(outcome)? == (Code::ResourceExhausted, reason), "{status:?}");
    let metadata = status.metadata();
    ensure!(metadata.contains_key("riposte-not-executed") && metadata.contains_key("riposte-request-id"), "{status:?}");
    let delay = status.get_details_retry_info().and_then(|info| info.retry_delay).context("no RetryInfo")?;
    let pushback: u64 = metadata.get("grpc-retry-pushback-ms").context("no pushback")?.to_str()?.parse()?;
    ensure!(!delay.is_zero() && u128::from(pushback) == delay.as_millis(), "{delay:?}, {pushback} ms");
    Ok(delay)
}
