//! The exports to an OpenTelemetry receiver, by OTLP over gRPC. Spans, log lines and measurements
//! wait in bounded queues of the SDK, whose own threads send them. Data that a slow receiver does
//! not accept in time is dropped and counted.

use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider;
use opentelemetry_appender_tracing::layer::OpenTelemetryTracingBridge;
use opentelemetry_otlp::{LogExporter, MetricExporter, SpanExporter, WithExportConfig, WithTonicConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::logs::{BatchConfigBuilder as LogConfig, BatchLogProcessor, SdkLoggerProvider};
use opentelemetry_sdk::metrics::{MeterProviderBuilder, PeriodicReader};
use opentelemetry_sdk::trace::{BatchConfigBuilder, BatchSpanProcessor, SdkTracerProvider};
use tonic::metadata::MetadataMap;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::registry::LookupSpan;

use crate::error::StartError;
use crate::exports::{ExportSignal, ExportStats, ObservedExporter};
use crate::metrics::Metrics;
use crate::settings::TelemetrySettings;
use crate::spans;
use crate::version::VERSION;

/// The interval at which spans and log lines are sent, if no full batch is sent earlier.
const BATCH_INTERVAL: Duration = Duration::from_secs(1);
const TRACER_NAME: &str = "riposte";

type Result<T> = std::result::Result<T, StartError>;
/// A layer of the subscriber `S`.
type BoxedLayer<S> = Box<dyn Layer<S> + Send + Sync>;

/// The exports.
#[derive(Debug)]
pub(super) struct Push {
    channel: Channel,
    metadata: MetadataMap,
    resource: Resource,
    timeout: Duration,
    traces: Option<SdkTracerProvider>,
    logs: Option<SdkLoggerProvider>,
}

impl Push {
    /// Opens the exports that the configuration enables; `None` if nothing is sent.
    pub(super) fn open(config: &TelemetrySettings, exports: &ExportStats) -> Result<Option<Self>> {
        let Some(endpoint) = config.endpoint.as_ref().filter(|_| config.pushes()) else { return Ok(None) };
        let timeout = config.timeout.duration();
        // The channel connects at the first export, and reconnects after every loss of the
        // connection.
        let (channel, resource) = (receiver(endpoint, config)?.connect_lazy(), resource(config));
        let metadata = MetadataMap::from_headers(config.header_map().unwrap_or_default());
        let mut push = Self { channel, metadata, resource, timeout, traces: None, logs: None };
        if config.traces {
            push.traces = Some(push.tracer_provider(config.sampling_ratio, exports)?);
        }
        if config.logs {
            push.logs = Some(push.logger_provider(exports)?);
        }
        Ok(Some(push))
    }

    /// Returns the layer that creates traces from spans with the target of this crate, and from
    /// nothing else.
    pub(super) fn traces<S>(&self) -> Option<BoxedLayer<S>>
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        let tracer = self.traces.as_ref()?.tracer(TRACER_NAME);
        let layer = tracing_opentelemetry::layer().with_tracer(tracer);
        let layer = layer.with_location(false).with_threads(false).with_target(false).with_tracked_inactivity(false);
        Some(layer.with_filter(Targets::new().with_target(spans::TARGET, LevelFilter::TRACE)).boxed())
    }

    /// Returns the layer that sends the log lines which `filter` accepts.
    pub(super) fn logs<S>(&self, filter: Targets) -> Option<BoxedLayer<S>>
    where
        S: Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        Some(OpenTelemetryTracingBridge::new(self.logs.as_ref()?).with_filter(filter).boxed())
    }

    /// Returns the builder of the meter provider, with a reader that sends the measurements.
    pub(super) fn metrics(&self, config: &TelemetrySettings, exports: &ExportStats) -> Result<MeterProviderBuilder> {
        let builder = MeterProviderBuilder::default().with_resource(self.resource.clone());
        if !config.metrics {
            return Ok(builder);
        }
        let exporter = MetricExporter::builder().with_tonic().with_channel(self.channel.clone());
        let exporter = exporter.with_metadata(self.metadata.clone()).with_timeout(self.timeout).build()?;
        let observed_exporter = ObservedExporter::new(exporter, exports.clone(), ExportSignal::Metrics);
        Ok(builder
            .with_reader(PeriodicReader::builder(observed_exporter).with_interval(config.interval.duration()).build()))
    }

    /// Sends the pending data, all signals at once. Data that is not sent within the timeout is
    /// abandoned, together with the threads that send it.
    pub(super) async fn stop(self, metrics: Metrics) {
        let Self { timeout, traces, logs, .. } = self;
        let shutdowns = [
            tokio::task::spawn_blocking(move || traces.map(|provider| provider.shutdown_with_timeout(timeout))),
            tokio::task::spawn_blocking(move || logs.map(|provider| provider.shutdown_with_timeout(timeout))),
            tokio::task::spawn_blocking(move || Some(metrics.shutdown(timeout))),
        ];
        let ended = tokio::time::timeout(timeout, futures::future::join_all(shutdowns)).await;
        let complete =
            ended.is_ok_and(|results| results.into_iter().all(|result| matches!(result, Ok(None | Some(Ok(()))))));
        if !complete {
            tracing::warn!("the OpenTelemetry receiver did not accept the last data before the timeout");
        }
    }

    fn tracer_provider(&self, ratio: f64, exports: &ExportStats) -> Result<SdkTracerProvider> {
        let exporter = SpanExporter::builder().with_tonic().with_channel(self.channel.clone());
        let exporter = exporter.with_metadata(self.metadata.clone()).with_timeout(self.timeout).build()?;
        let batches = BatchConfigBuilder::default().with_scheduled_delay(BATCH_INTERVAL).build();
        let processor =
            BatchSpanProcessor::builder(ObservedExporter::new(exporter, exports.clone(), ExportSignal::Traces));
        let processor = processor.with_batch_config(batches).build();
        let provider = SdkTracerProvider::builder().with_span_processor(processor).with_sampler(spans::sampler(ratio));
        Ok(provider.with_resource(self.resource.clone()).build())
    }

    fn logger_provider(&self, exports: &ExportStats) -> Result<SdkLoggerProvider> {
        let exporter = LogExporter::builder().with_tonic().with_channel(self.channel.clone());
        let exporter = exporter.with_metadata(self.metadata.clone()).with_timeout(self.timeout).build()?;
        let batches = LogConfig::default().with_scheduled_delay(BATCH_INTERVAL).build();
        let processor =
            BatchLogProcessor::builder(ObservedExporter::new(exporter, exports.clone(), ExportSignal::Logs));
        let processor = processor.with_batch_config(batches).build();
        let provider = SdkLoggerProvider::builder().with_log_processor(processor);
        Ok(provider.with_resource(self.resource.clone()).build())
    }
}

/// Checks whether the receiver accepts a connection now; `None` if nothing is sent. The check sends
/// no data.
pub(super) async fn check_receiver(
    config: &TelemetrySettings,
) -> Result<Option<std::result::Result<(), tonic::transport::Error>>> {
    let Some(endpoint) = config.endpoint.as_ref().filter(|_| config.pushes()) else { return Ok(None) };
    Ok(Some(receiver(endpoint, config)?.connect().await.map(drop)))
}

/// Returns the endpoint of the receiver, with its timeout and the certificate authorities that it
/// is verified with.
fn receiver(endpoint: &str, config: &TelemetrySettings) -> Result<Endpoint> {
    let timeout = config.timeout.duration();
    let mut receiver_endpoint = Endpoint::from_shared(endpoint.to_owned())?.connect_timeout(timeout).timeout(timeout);
    if endpoint.starts_with("https://") {
        let tls = match &config.ca_file {
            None => ClientTlsConfig::new().with_native_roots(),
            Some(path) => {
                let pem = std::fs::read(path).map_err(|error| StartError::Authorities(path.clone(), error))?;
                ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem))
            }
        };
        receiver_endpoint = receiver_endpoint.tls_config(tls)?;
    }
    Ok(receiver_endpoint)
}

/// Returns the resource attributes of all exported data.
fn resource(config: &TelemetrySettings) -> Resource {
    let instance = config.instance.clone().unwrap_or_else(|| uuid::Uuid::new_v4().to_string());
    let own_attributes = [
        KeyValue::new("service.name", config.service_name.clone()),
        KeyValue::new("service.version", VERSION),
        KeyValue::new("service.instance.id", instance),
    ];
    let configured_attributes = config.resource.iter().map(|(name, value)| KeyValue::new(name.clone(), value.clone()));
    Resource::builder_empty().with_attributes(own_attributes.into_iter().chain(configured_attributes)).build()
}
