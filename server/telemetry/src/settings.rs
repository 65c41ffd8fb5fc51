//! The settings of telemetry: the log, the metrics endpoint, and the export of traces, metrics and
//! logs.

use http::{HeaderMap, HeaderName, HeaderValue, Uri};
use riposte_settings::{ErrorScope, Secret, TimeSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::PathBuf, time::Duration};
use tracing_subscriber::filter::{LevelFilter, Targets};

/// Export to an OpenTelemetry receiver, and the endpoint of metrics.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TelemetrySettings {
    /// Enables the metrics endpoint at `server.metrics_listen`.
    pub scrape: bool,
    /// The receiver; without it nothing is sent.
    pub endpoint: Option<String>,
    /// Authorities that an `https://` receiver is verified with, instead of the system's.
    pub ca_file: Option<PathBuf>,
    /// Headers of every export, as in `authorization=Bearer x,tenant=y`.
    pub headers: Option<Secret>,
    /// Enables the export of traces.
    pub traces: bool,
    /// Enables the export of metrics.
    pub metrics: bool,
    /// Enables the export of logs.
    pub logs: bool,
    /// The share of calls that begin a trace of their own, 0 to 1. For a call with a traceparent,
    /// its caller has decided.
    pub sampling_ratio: f64,
    /// Interval between exports of metrics.
    pub interval: TimeSpan,
    /// The longest export, and the longest wait for the last exports when the process stops.
    pub timeout: TimeSpan,
    /// `service.name` of all exported data.
    pub service_name: String,
    /// `service.instance.id`; without it each process generates one.
    pub instance: Option<String>,
    /// Further attributes of the resource.
    pub resource: BTreeMap<String, String>,
}

/// Filter and format of the log.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LogSettings {
    /// The format of a line.
    pub format: LogFormat,
    /// The filter, as in `info,riposte=debug`.
    pub filter: String,
}

/// The format of a log line.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// `pretty` if standard error is a terminal, else `json`.
    Auto,
    /// Text for people.
    Pretty,
    /// One JSON object per line.
    Json,
}

impl TelemetrySettings {
    /// Returns the headers of every export; `None` if they are malformed.
    #[must_use]
    pub fn header_map(&self) -> Option<HeaderMap> {
        let text = self.headers.as_ref().map_or("", |secret| secret.expose());
        let pairs = text.split(',').map(str::trim).filter(|pair| !pair.is_empty());
        pairs
            .map(|pair| {
                let (name, value) = pair.split_once('=')?;
                let mut value = HeaderValue::from_str(value.trim()).ok()?;
                value.set_sensitive(true);
                // Names with this suffix have binary values in gRPC.
                let name = Some(name.trim()).filter(|name| !name.to_ascii_lowercase().ends_with("-bin"))?;
                Some((HeaderName::from_bytes(name.as_bytes()).ok()?, value))
            })
            .collect()
    }

    /// Returns true if anything is sent.
    #[must_use]
    pub fn pushes(&self) -> bool {
        self.endpoint.is_some() && (self.traces || self.metrics || self.logs)
    }

    /// Adds an error for each value that is out of bounds or conflicts with another one.
    pub fn validate(&self, report: &mut ErrorScope<'_>) {
        let address = |text: &String| {
            let uri = text.parse::<Uri>().ok()?;
            let is_plain = uri.path_and_query().is_none_or(|path| path == "/") && uri.port_u16() != Some(0);
            let has_known_scheme = matches!(uri.scheme_str(), Some("http" | "https")) && !text.contains('@');
            (is_plain && has_known_scheme && uri.host().is_some_and(|host| !host.is_empty())).then_some(())
        };
        let endpoint = self.endpoint.as_ref().is_none_or(|text| address(text).is_some());
        report.require(
            endpoint,
            "endpoint",
            "must be an address such as http://collector:4317 or https://collector:4317",
        );
        let secure = self.endpoint.as_ref().is_some_and(|text| text.starts_with("https://"));
        report.require(self.ca_file.is_none() || secure, "ca_file", "requires an https:// endpoint");
        report.path("ca_file", self.ca_file.as_ref());
        let headers = self.header_map().is_some();
        report.require(
            headers,
            "headers",
            "must have the form name=value,name=value, with names and values of HTTP headers",
        );
        let ratio = (0.0..=1.0).contains(&self.sampling_ratio);
        report.require(ratio, "sampling_ratio", "must be 0 to 1, for example 0.01 for one call in a hundred");
        let is_between = |span: TimeSpan, low: u64, high: u64| {
            (Duration::from_secs(low)..=Duration::from_secs(high)).contains(&span.duration())
        };
        report.require(is_between(self.interval, 1, 300), "interval", "must be 1s to 5min");
        report.require(is_between(self.timeout, 1, 30), "timeout", "must be 1s to 30s");
        let is_name = |text: &str| (1..=255).contains(&text.len()) && !text.contains(char::is_control);
        report.require(is_name(&self.service_name), "service_name", "must be 1 to 255 bytes");
        report.require(self.instance.as_deref().is_none_or(is_name), "instance", "must be 1 to 255 bytes");
        let resource = self.resource.iter().all(|(name, value)| is_name(name) && is_name(value));
        report.require(resource, "resource", "must have names and values of 1 to 255 bytes");
        let has_own_attribute =
            self.resource.keys().any(|name| name.starts_with("service.name") || name == "service.instance.id");
        report.require(
            !has_own_attribute,
            "resource",
            "must not contain the name or the instance: set service_name and instance",
        );
        report.require(self.resource.len() <= 32, "resource", "must have at most 32 attributes");
    }
}

impl LogSettings {
    /// Adds an error if the filter is malformed.
    pub fn validate(&self, report: &mut ErrorScope<'_>) {
        // To the parser any other word is a target, so a misspelt level would turn off all
        // messages, errors too.
        let is_level = |part: &str| part.contains('=') || part.parse::<LevelFilter>().is_ok();
        let has_levels = self.filter.split(',').map(str::trim).filter(|part| !part.is_empty()).all(is_level);
        report.require(
            has_levels && self.filter.parse::<Targets>().is_ok(),
            "filter",
            "is not a filter: write levels by target, as in \"info,riposte=debug\"; the levels are error, warn, info, \
             debug, trace and off",
        );
    }
}
