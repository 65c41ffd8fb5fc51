//! The telemetry of the process. Log lines go to standard error: pretty for people, JSON for
//! machines. Metrics can be scraped. Traces, metrics and logs can be sent to an OpenTelemetry
//! receiver, and no call ever waits for it.
//!
//! No telemetry contains the body of a message, a token, a member or a key: fields are ids, names,
//! codes and durations.
//!
//! This crate must never depend on a component of the server: a component passes its counts and
//! durations as plain values, or the binary translates its statistics.

mod calls;
mod clock;
mod error;
mod exemplars;
mod exports;
mod instruments;
mod metrics;
mod openmetrics;
mod push;
mod settings;
pub mod spans;
mod version;

use std::io::{self, IsTerminal};

use tracing::Subscriber;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use exports::ExportStats;
use push::Push;

pub use calls::{CallMetrics, CallTimer};
pub use error::StartError;
pub use metrics::{ConnectionPool, Metrics};
pub use settings::{LogFormat, LogSettings, TelemetrySettings};

/// The targets of the libraries that carry exports. Their log lines must not be exported, because
/// each export would cause the next one.
const EXPORT_LIBRARIES: [&str; 6] = ["h2", "hyper", "hyper_util", "opentelemetry", "tonic", "tower"];

/// The telemetry that was started. It is stopped last.
#[derive(Debug)]
pub struct Telemetry {
    metrics: Metrics,
    push: Option<Push>,
}

/// Starts logging for the whole process, metrics and exports. Requires a tokio runtime. The filter
/// of the log does not apply to `unfiltered`, a target whose lines must all appear.
///
/// # Errors
/// If logging was started before, or the certificate authorities of the receiver cannot be read.
pub fn start(
    log: &LogSettings,
    settings: &TelemetrySettings,
    unfiltered: &'static str,
) -> Result<Telemetry, StartError> {
    let LogSettings { format, filter } = log;
    // A malformed filter cannot occur here: the configuration check refuses it.
    let filter = filter.parse::<Targets>().unwrap_or_default();
    let filter = filter.with_target(unfiltered, LevelFilter::INFO);
    let exports = ExportStats::default();
    let push = Push::open(settings, &exports)?;
    if let Some(push) = &push {
        let without_export_libraries =
            EXPORT_LIBRARIES.into_iter().fold(filter.clone(), |all, name| all.with_target(name, LevelFilter::OFF));
        let layers = tracing_subscriber::registry().with(log_layer(*format).with_filter(filter));
        layers.with(push.traces()).with(push.logs(without_export_libraries)).try_init()?;
    } else {
        // One filter for all layers: a line that it rejects costs nothing.
        tracing_subscriber::registry().with(filter).with(log_layer(*format)).try_init()?;
    }
    let meter_builder = push.as_ref().map(|push| push.metrics(settings, &exports)).transpose()?.unwrap_or_default();
    let metrics = Metrics::with_readers(meter_builder, settings.scrape)?;
    metrics.exports(exports);
    if let Some(endpoint) = settings.endpoint.as_ref().filter(|_| push.is_some()) {
        let TelemetrySettings { traces, metrics, logs, .. } = *settings;
        tracing::info!(endpoint, traces, metrics, logs, "telemetry is exported to an OpenTelemetry receiver");
    }
    Ok(Telemetry { metrics, push })
}

/// Checks whether the OpenTelemetry receiver accepts a connection now, within a tokio runtime;
/// `None` if nothing is sent to a receiver.
///
/// # Errors
/// If a server would not start with this configuration.
pub async fn check_receiver(
    settings: &TelemetrySettings,
) -> Result<Option<Result<(), tonic::transport::Error>>, StartError> {
    push::check_receiver(settings).await
}

impl Telemetry {
    /// Returns the metrics of the process.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        self.metrics.clone()
    }

    /// Sends the pending data, for at most the timeout of an export. Data that the receiver does
    /// not accept is lost.
    pub async fn stop(self) {
        if let Some(push) = self.push {
            push.stop(self.metrics).await;
        }
    }
}

/// Returns the layer that writes the log to standard error.
fn log_layer<S>(format: LogFormat) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
{
    let terminal = io::stderr().is_terminal();
    let json = match format {
        LogFormat::Auto => !terminal,
        LogFormat::Pretty => false,
        LogFormat::Json => true,
    };
    let lines = fmt::layer().with_writer(io::stderr);
    if json {
        lines.json().flatten_event(true).with_current_span(true).with_span_list(false).boxed()
    } else {
        lines.with_ansi(terminal).boxed()
    }
}
