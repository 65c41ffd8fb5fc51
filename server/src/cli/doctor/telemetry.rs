//! Check of the OpenTelemetry receiver.

use super::check_result::CheckResult;
use crate::config::Config;

/// Checks the receiver.
pub(super) async fn examine(config: &Config) -> CheckResult {
    const NAME: &str = "telemetry";
    let endpoint = config.telemetry.endpoint.as_deref().unwrap_or_default();
    match riposte_telemetry::check_receiver(&config.telemetry).await {
        Ok(None) => CheckResult::ok(NAME, "nothing is sent"),
        Ok(Some(Ok(()))) => CheckResult::ok(NAME, format!("{endpoint} takes a connection")),
        // Without a receiver the service works, but unobserved, so this is not a failure.
        Ok(Some(Err(error))) => {
            let error = anyhow::Error::from(error);
            CheckResult::warn(NAME, format!("{endpoint} takes no connection: {error:#}"))
        }
        Err(error) => CheckResult::fail(NAME, format!("serve refuses to start: {error}")),
    }
}
