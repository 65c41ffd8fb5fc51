//! An OpenTelemetry receiver: the services of OTLP over gRPC, which store all that they receive.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use opentelemetry_proto::tonic::collector::logs::v1::logs_service_server::{LogsService, LogsServiceServer};
use opentelemetry_proto::tonic::collector::logs::v1::{ExportLogsServiceRequest, ExportLogsServiceResponse};
use opentelemetry_proto::tonic::collector::metrics::v1::metrics_service_server::{
    MetricsService, MetricsServiceServer,
};
use opentelemetry_proto::tonic::collector::metrics::v1::{ExportMetricsServiceRequest, ExportMetricsServiceResponse};
use opentelemetry_proto::tonic::collector::trace::v1::trace_service_server::{TraceService, TraceServiceServer};
use opentelemetry_proto::tonic::collector::trace::v1::{ExportTraceServiceRequest, ExportTraceServiceResponse};
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use opentelemetry_proto::tonic::metrics::v1::Metric;
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::Span;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status};

/// A receiver, which ends with the test.
#[derive(Debug, Clone)]
pub(super) struct Receiver {
    address: SocketAddr,
    received: Arc<Mutex<Received>>,
}

#[derive(Debug, Default)]
struct Received {
    traces: Vec<ExportTraceServiceRequest>,
    metrics: Vec<ExportMetricsServiceRequest>,
    logs: Vec<ExportLogsServiceRequest>,
    tenants: Vec<String>,
}

impl Receiver {
    pub(super) async fn start() -> Result<Self> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let receiver = Self { address: listener.local_addr()?, received: Arc::default() };
        let server = Server::builder()
            .add_service(TraceServiceServer::new(receiver.clone()))
            .add_service(MetricsServiceServer::new(receiver.clone()))
            .add_service(LogsServiceServer::new(receiver.clone()));
        tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
        Ok(receiver)
    }

    pub(super) fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Waits until the received data satisfies the condition.
    pub(super) async fn until(&self, shows: impl Fn(&Self) -> bool) -> Result<()> {
        let shown = async {
            while !shows(self) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), shown).await.context("the receiver was never sent it")
    }

    fn received<T>(&self, pick: impl FnOnce(&mut Received) -> T) -> T {
        pick(&mut self.received.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn spans(&self) -> Vec<Span> {
        let of = |received: &mut Received| {
            let resources = received.traces.iter().flat_map(|sent| &sent.resource_spans);
            resources.flat_map(|of| &of.scope_spans).flat_map(|of| &of.spans).cloned().collect()
        };
        self.received(of)
    }

    pub(super) fn metrics(&self) -> Vec<Metric> {
        let of = |received: &mut Received| {
            let resources = received.metrics.iter().flat_map(|sent| &sent.resource_metrics);
            resources.flat_map(|of| &of.scope_metrics).flat_map(|of| &of.metrics).cloned().collect()
        };
        self.received(of)
    }

    pub(super) fn logs(&self) -> Vec<LogRecord> {
        let of = |received: &mut Received| {
            let resources = received.logs.iter().flat_map(|sent| &sent.resource_logs);
            resources.flat_map(|of| &of.scope_logs).flat_map(|of| &of.log_records).cloned().collect()
        };
        self.received(of)
    }

    /// Returns the resource of each export.
    pub(super) fn resources(&self) -> Vec<Resource> {
        self.received(|received| {
            let spans = received.traces.iter().flat_map(|sent| &sent.resource_spans).map(|of| &of.resource);
            let metrics = received.metrics.iter().flat_map(|sent| &sent.resource_metrics).map(|of| &of.resource);
            let logs = received.logs.iter().flat_map(|sent| &sent.resource_logs).map(|of| &of.resource);
            spans.chain(metrics).chain(logs).flatten().cloned().collect()
        })
    }

    /// Returns the header `tenant` of each export.
    pub(super) fn tenants(&self) -> Vec<String> {
        self.received(|received| received.tenants.clone())
    }

    /// Returns all received data as one text.
    pub(super) fn everything(&self) -> String {
        self.received(|received| format!("{received:?}"))
    }

    fn note<T>(&self, request: Request<T>, keep: impl FnOnce(&mut Received, T)) {
        let tenant =
            request.metadata().get("tenant").and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
        self.received(|received| {
            received.tenants.push(tenant);
            keep(received, request.into_inner());
        });
    }
}

#[tonic::async_trait]
impl TraceService for Receiver {
    async fn export(
        &self,
        request: Request<ExportTraceServiceRequest>,
    ) -> Result<Response<ExportTraceServiceResponse>, Status> {
        self.note(request, |received, sent| received.traces.push(sent));
        Ok(Response::new(ExportTraceServiceResponse::default()))
    }
}

#[tonic::async_trait]
impl MetricsService for Receiver {
    async fn export(
        &self,
        request: Request<ExportMetricsServiceRequest>,
    ) -> Result<Response<ExportMetricsServiceResponse>, Status> {
        self.note(request, |received, sent| received.metrics.push(sent));
        Ok(Response::new(ExportMetricsServiceResponse::default()))
    }
}

#[tonic::async_trait]
impl LogsService for Receiver {
    async fn export(
        &self,
        request: Request<ExportLogsServiceRequest>,
    ) -> Result<Response<ExportLogsServiceResponse>, Status> {
        self.note(request, |received, sent| received.logs.push(sent));
        Ok(Response::new(ExportLogsServiceResponse::default()))
    }
}

/// Returns the text of an attribute; empty where it is absent or not a text.
pub(super) fn attribute(attributes: &[KeyValue], name: &str) -> String {
    let found = attributes.iter().find(|of| of.key == name).and_then(|of| of.value.as_ref()?.value.as_ref());
    match found {
        Some(Value::StringValue(text)) => text.clone(),
        _ => String::new(),
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
