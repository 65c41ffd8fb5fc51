//! Exporters under observation: the outcome of each export is counted, and a change of the outcome
//! is logged.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::logs::{LogBatch, LogExporter};
use opentelemetry_sdk::metrics::Temporality;
use opentelemetry_sdk::metrics::data::ResourceMetrics;
use opentelemetry_sdk::metrics::exporter::PushMetricExporter;
use opentelemetry_sdk::trace::{SpanData, SpanExporter};

/// The kind of exported data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExportSignal {
    Traces,
    Metrics,
    Logs,
}

/// The outcomes of exports so far. All clones share their counts.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExportStats(Arc<[Outcomes; 3]>);

#[derive(Debug, Default)]
struct Outcomes {
    ok: AtomicU64,
    failed: AtomicU64,
    failing: AtomicBool,
}

impl ExportSignal {
    const ALL: [Self; 3] = [Self::Traces, Self::Metrics, Self::Logs];

    fn name(self) -> &'static str {
        match self {
            Self::Traces => "traces",
            Self::Metrics => "metrics",
            Self::Logs => "logs",
        }
    }
}

impl ExportStats {
    /// Returns the number of exports for each signal and outcome.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'static str, &'static str, u64)> {
        ExportSignal::ALL.into_iter().flat_map(|signal| {
            let Outcomes { ok, failed, .. } = &self.0[signal as usize];
            let count_of = |name, count: &AtomicU64| (signal.name(), name, count.load(Ordering::Relaxed));
            [count_of("ok", ok), count_of("failed", failed)]
        })
    }

    fn record(&self, signal: ExportSignal, outcome: &OTelSdkResult) {
        let Outcomes { ok, failed, failing } = &self.0[signal as usize];
        let count = if outcome.is_ok() { ok } else { failed };
        count.fetch_add(1, Ordering::Relaxed);
        match (failing.swap(outcome.is_err(), Ordering::Relaxed), outcome) {
            (false, Err(error)) => {
                // The error text consists of the SDK's own words and a gRPC code, never of the
                // receiver's response.
                tracing::warn!(signal = signal.name(), %error, "the OpenTelemetry receiver does not accept data");
            }
            (true, Ok(())) => {
                tracing::info!(signal = signal.name(), "the OpenTelemetry receiver accepts data again")
            }
            (true, Err(_)) | (false, Ok(())) => {}
        }
    }
}

/// An exporter whose outcomes are recorded.
#[derive(Debug)]
pub(crate) struct ObservedExporter<E> {
    exporter: E,
    exports: ExportStats,
    signal: ExportSignal,
}

impl<E> ObservedExporter<E> {
    pub(crate) fn new(exporter: E, exports: ExportStats, signal: ExportSignal) -> Self {
        Self { exporter, exports, signal }
    }

    async fn observe(&self, export: impl Future<Output = OTelSdkResult>) -> OTelSdkResult {
        let outcome = export.await;
        self.exports.record(self.signal, &outcome);
        outcome
    }
}

impl<E: SpanExporter> SpanExporter for ObservedExporter<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        self.observe(self.exporter.export(batch)).await
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

impl<E: LogExporter> LogExporter for ObservedExporter<E> {
    async fn export(&self, batch: LogBatch<'_>) -> OTelSdkResult {
        self.observe(self.exporter.export(batch)).await
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.exporter.set_resource(resource);
    }
}

impl<E: PushMetricExporter> PushMetricExporter for ObservedExporter<E> {
    async fn export(&self, metrics: &ResourceMetrics) -> OTelSdkResult {
        self.observe(self.exporter.export(metrics)).await
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.exporter.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.exporter.shutdown_with_timeout(timeout)
    }

    fn temporality(&self) -> Temporality {
        self.exporter.temporality()
    }
}

#[cfg(test)]
mod tests {
    use opentelemetry_sdk::error::OTelSdkError;

    use super::{ExportSignal, ExportStats};

    #[test]
    fn every_export_is_counted_under_its_signal_and_outcome() {
        let exports = ExportStats::default();
        for outcome in [Ok(()), Err(OTelSdkError::AlreadyShutdown), Err(OTelSdkError::AlreadyShutdown)] {
            exports.record(ExportSignal::Metrics, &outcome);
        }
        exports.record(ExportSignal::Logs, &Ok(()));
        let counted: Vec<_> = exports.all().filter(|(_, _, count)| *count > 0).collect();
        assert_eq!(counted, [("metrics", "ok", 1), ("metrics", "failed", 2), ("logs", "ok", 1)]);
    }
}
