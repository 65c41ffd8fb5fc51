//! The log lines of a server that report its readiness and its addresses.

use crate::live::Process;
use anyhow::{Result, bail};
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;
use std::path::Path;
use std::time::{Duration, Instant};

/// The time within which a server must become ready.
const SERVES_WITHIN: Duration = Duration::from_secs(30);

/// The messages of these lines and the names of their fields. Other revisions may use others.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LogLines {
    /// The message of the line that has the addresses.
    listening: Cow<'static, str>,
    /// The message of the line that follows once calls are served.
    serving: Cow<'static, str>,
    /// The field with the address of the public services.
    grpc: Cow<'static, str>,
    /// The field with the address of the metrics.
    metrics: Cow<'static, str>,
}

impl LogLines {
    /// The lines that this tree's programs write.
    pub(super) const CURRENT: Self = Self {
        listening: Cow::Borrowed("listening"),
        serving: Cow::Borrowed("serving"),
        grpc: Cow::Borrowed("grpc"),
        metrics: Cow::Borrowed("metrics"),
    };

    /// Waits until the log reports that the process serves. Returns the address of the public
    /// services.
    pub(super) fn wait(&self, log: &Path, process: &mut Process) -> Result<String> {
        let deadline = Instant::now() + SERVES_WITHIN;
        while Instant::now() < deadline {
            if let Some(endpoint) = self.endpoint(&std::fs::read_to_string(log)?) {
                return Ok(endpoint);
            }
            if let Some(status) = process.child().try_wait()? {
                bail!("the process ended with {status}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        bail!("it did not serve within {} s", SERVES_WITHIN.as_secs())
    }

    /// Returns the address of the metrics, if the process listens for scrapes.
    pub(super) fn metrics(&self, log: &str) -> Option<String> {
        self.address(log, &self.metrics)
    }

    /// Returns the address of the public services, once they are served.
    fn endpoint(&self, log: &str) -> Option<String> {
        event(log, &self.serving)?;
        Some(format!("http://{}", self.address(log, &self.grpc)?))
    }

    fn address(&self, log: &str, field: &str) -> Option<String> {
        Some(event(log, &self.listening)?[field].as_str()?.to_owned())
    }
}

fn event(log: &str, message: &str) -> Option<Value> {
    let mut events = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    events.find(|event| event["message"] == message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_there_when_it_serves_and_not_when_it_listens() {
        let lines = LogLines::CURRENT;
        let listening = "{\"message\":\"listening\",\"grpc\":\"127.0.0.1:5\",\"metrics\":\"127.0.0.1:6\"}\n";
        assert_eq!(lines.endpoint(listening), None);
        let both = format!("{listening}{{\"message\":\"serving\"}}\n{{\"half a li");
        assert_eq!(lines.endpoint(&both).as_deref(), Some("http://127.0.0.1:5"));
        assert_eq!(lines.metrics(&both).as_deref(), Some("127.0.0.1:6"));
    }

    #[test]
    fn another_revision_may_word_its_lines_differently() {
        let words = "listening = \"bound\"\nserving = \"ready\"\ngrpc = \"api\"\nmetrics = \"scrape\"";
        let lines: LogLines = toml::from_str(words).unwrap();
        let log = "{\"message\":\"bound\",\"api\":\"127.0.0.1:5\"}\n{\"message\":\"ready\"}\n";
        assert_eq!(lines.endpoint(log).as_deref(), Some("http://127.0.0.1:5"));
        assert_eq!(LogLines::CURRENT.endpoint(log), None);
    }
}
