//! Check of the OpenTelemetry receiver.

use super::check_result::CheckResult;
use crate::config::Config;

/// Checks the receiver.
pub(super) async fn examine(config: &Config) -> CheckResult {
    const WHAT: &str = "telemetry";
    let endpoint = config.telemetry.endpoint.as_deref().unwrap_or_default();
    match riposte_telemetry::reach(&config.telemetry).await {
        Ok(None) => CheckResult::ok(WHAT, "nothing is sent"),
        Ok(Some(Ok(()))) => CheckResult::ok(WHAT, format!("{endpoint} takes a connection")),
        // Without a receiver the service works, but unobserved, so this is not a failure.
        Ok(Some(Err(error))) => {
            let error = anyhow::Error::from(error);
            CheckResult::warn(WHAT, format!("{endpoint} takes no connection: {error:#}"))
        }
        Err(error) => CheckResult::fail(WHAT, format!("serve refuses to start: {error}")),
    }
}
