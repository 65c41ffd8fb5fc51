//! The metrics over HTTP, on a separate port: `GET /metrics`, in the formats of Prometheus.

mod format;

use riposte_telemetry::Metrics;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use http::header::{ALLOW, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

use super::socket::bind;
use crate::config::Config;
use format::MetricsFormat;

/// The time limit for the next request of a connection.
const IDLE_LIMIT: Duration = Duration::from_secs(90);
/// The maximum number of connections: enough for a few scrapers, and a bound on the memory that
/// other clients of the port can use.
const CONNECTIONS: usize = 64;

/// The server of the metrics port.
#[derive(Debug)]
pub(super) struct MetricsServer {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl MetricsServer {
    /// Opens the port if the configuration enables it, and starts to serve.
    pub(super) fn open(config: &Config, metrics: &Metrics) -> anyhow::Result<Option<Self>> {
        if !config.telemetry.scrape {
            return Ok(None);
        }
        let listener = bind(config.server.metrics_listen, "server.metrics_listen")?;
        Ok(Some(Self::start(listener, metrics.clone())?))
    }

    fn start(listener: TcpListener, metrics: Metrics) -> std::io::Result<Self> {
        let address = listener.local_addr()?;
        let task = tokio::spawn(async move {
            // The connections end with this task.
            let mut connections = JoinSet::new();
            loop {
                tokio::select! {
                    Some(_) = connections.join_next() => {}
                    accepted = listener.accept(), if connections.len() < CONNECTIONS => match accepted {
                        Ok((stream, _)) => drop(connections.spawn(serve(stream, metrics.clone()))),
                        // Too many open files, for example, which is temporary.
                        Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
                    },
                }
            }
        });
        Ok(Self { address, task })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops serving.
    pub(super) async fn stop(self) {
        self.task.abort();
        // An aborted task ends with an error that says so.
        let _ = self.task.await;
    }
}

async fn serve(stream: TcpStream, metrics: Metrics) {
    let service = service_fn(|request| {
        let response = respond(&request, &metrics);
        async move { Ok::<_, Infallible>(response) }
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(IDLE_LIMIT);
    if let Err(error) = server.serve_connection(TokioIo::new(stream), service).await {
        tracing::debug!(%error, "a connection of a scrape failed");
    }
}

fn respond(request: &Request<Incoming>, metrics: &Metrics) -> Response<String> {
    let mut response = Response::new(String::new());
    if request.uri().path() != "/metrics" {
        *response.status_mut() = StatusCode::NOT_FOUND;
    } else if request.method() != Method::GET {
        *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
        response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET"));
    } else {
        let format = MetricsFormat::accepted(request.headers());
        let encoded = match format {
            MetricsFormat::Text => metrics.text(),
            MetricsFormat::OpenMetrics => Ok(metrics.open_metrics()),
        };
        match encoded {
            Ok(text) => *response.body_mut() = text,
            Err(error) => {
                tracing::error!(%error, "the metrics cannot be encoded");
                *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
            }
        }
        response.headers_mut().insert(CONTENT_TYPE, format.content_type());
    }
    response
}
