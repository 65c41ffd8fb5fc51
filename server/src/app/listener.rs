//! One listener: its services, health, reflection and shutdown.

use riposte_telemetry::Metrics;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::service::RoutesBuilder;
use tonic::transport::Server;
use tonic_health::server::HealthReporter;

use super::accept::{ConnectionBrake, ConnectionParts, connections};
use super::connection_limit::ConnectionLimit;
use super::tls::TlsServer;
use crate::config::Config;
use crate::listener::ServerRole;
use riposte_grpc::admission::SendBuffer;
use riposte_grpc::middleware::{CallLayer, MAX_HEALTH_REQUEST};

/// The bytes of a stream that a client may send before they are read.
const STREAM_WINDOW: u32 = 65_535;
/// The bytes of all streams of a connection that a client may send before they are read. h2 closes
/// a connection with GOAWAY that buffers many small frames: each costs its distance to 256 bytes,
/// of a budget of half this window.
const CONNECTION_WINDOW: u32 = 4 << 20;
/// The same for operators, whose imports consist of small items. An empty message is 5 bytes long,
/// so a stream whose window is full of them costs 3.3 MB of the budget. Four such streams are held
/// by flow control (docs/decisions/0132).
const OPERATORS_CONNECTION_WINDOW: u32 = 32 << 20;
/// The maximum number of open streams of a connection.
const MAX_STREAMS: u32 = 256;
/// The maximum size of all headers of a request, in bytes.
const MAX_HEADERS: u32 = 16 << 10;
/// The maximum number of calls of a known peer that were reset before they were accepted. h2 ends a
/// connection beyond 20, which a burst of expired deadlines can reach; unknown peers keep that
/// limit.
const PENDING_RESETS: usize = 1024;
const KEEPALIVE: Duration = Duration::from_secs(20);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit for closing the connections whose calls did not finish in time.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The configuration of a listener.
#[derive(Debug)]
pub(super) struct ListenerConfig {
    /// The services.
    routes: RoutesBuilder,
    /// The layers around every call.
    layer: CallLayer,
    /// The descriptors that reflection serves; empty if reflection is disabled.
    reflected: Vec<&'static [u8]>,
    /// The TLS of its connections.
    tls: Option<TlsServer>,
    /// The approximate maximum age of a connection.
    age_max: Duration,
    /// The limit on its connections.
    connection_limit: ConnectionLimit,
    /// The response bytes that clients have not read.
    send_buffer: SendBuffer,
    /// True if peers are known before the first call: by their certificates, or because a mesh
    /// admits no other peers.
    known_peers: bool,
    /// The reaction of its connections to an overloaded server.
    brake: ConnectionBrake,
    /// The bytes that a client may send on a connection before they are read.
    connection_window: u32,
}

impl ListenerConfig {
    /// Creates the configuration for these services with the limits of `config`.
    pub(super) fn new(
        routes: RoutesBuilder,
        layer: CallLayer,
        config: &Config,
        tls: Option<TlsServer>,
        send_buffer: SendBuffer,
        metrics: &Metrics,
    ) -> Self {
        let (server, limits) = (&config.server, &config.limits);
        // Reflection does not list services that are not served.
        let own_descriptors = server.roles.has(ServerRole::Api).then_some(riposte_sdk::FILE_DESCRIPTOR_SET);
        let descriptors = own_descriptors.into_iter().chain([tonic_health::pb::FILE_DESCRIPTOR_SET]);
        let reflected = descriptors.filter(|_| server.reflection).collect();
        Self {
            routes,
            layer,
            reflected,
            tls,
            age_max: server.connection_age.duration(),
            connection_limit: ConnectionLimit::new(
                limits.connections,
                limits.connections_per_identity,
                metrics.clone(),
            ),
            send_buffer,
            known_peers: server.plaintext || server.tls.client_ca_file.is_some(),
            brake: ConnectionBrake::OnOverload,
            connection_window: CONNECTION_WINDOW,
        }
    }

    /// Returns the configuration for operators, whose connections are read during an overload too
    /// and have room for many small items.
    pub(super) fn for_operators(self) -> Self {
        Self { brake: ConnectionBrake::Never, connection_window: OPERATORS_CONNECTION_WINDOW, ..self }
    }
}

/// A port that is being served.
#[derive(Debug)]
pub(super) struct Listener {
    address: SocketAddr,
    health: HealthReporter,
    stop: oneshot::Sender<()>,
    /// Closes every connection when it is cancelled.
    closed: CancellationToken,
    task: JoinHandle<()>,
}

impl Listener {
    /// Starts to serve `config`, with health as NOT_SERVING until the reporter changes it.
    pub(super) fn start(listener: TcpListener, config: ListenerConfig) -> anyhow::Result<Self> {
        let ListenerConfig {
            mut routes,
            layer,
            reflected,
            tls,
            age_max,
            connection_limit,
            send_buffer,
            known_peers,
            brake,
            connection_window,
        } = config;
        let address = listener.local_addr()?;
        let (health, health_service) = tonic_health::server::health_reporter();
        routes.add_service(health_service.max_decoding_message_size(MAX_HEALTH_REQUEST));
        if !reflected.is_empty() {
            let builder = || {
                // A tool finds the types of error details there.
                let details = riposte_grpc::error_details();
                let types = tonic_reflection::server::Builder::configure().register_file_descriptor_set(details);
                reflected.iter().fold(types, |builder, set| builder.register_encoded_file_descriptor_set(set))
            };
            routes.add_service(builder().build_v1()?.max_decoding_message_size(MAX_HEALTH_REQUEST));
            routes.add_service(builder().build_v1alpha()?.max_decoding_message_size(MAX_HEALTH_REQUEST));
        }
        let ((stop, stopped), closed) = (oneshot::channel(), CancellationToken::new());
        let connections = connections(
            listener,
            tls,
            ConnectionParts { limit: connection_limit, send_buffer, brake, closed: closed.clone() },
        );
        let server = Server::builder()
            .layer(layer)
            .max_concurrent_streams(MAX_STREAMS)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(connection_window)
            .http2_max_header_list_size(MAX_HEADERS)
            .http2_keepalive_interval(Some(KEEPALIVE))
            .http2_keepalive_timeout(Some(KEEPALIVE_TIMEOUT))
            .http2_max_pending_accept_reset_streams(known_peers.then_some(PENDING_RESETS))
            // No grace period is set: it would cut running calls and send no GOAWAY.
            .max_connection_age(with_jitter(age_max))
            .add_routes(routes.routes())
            .serve_with_incoming_shutdown(connections, async {
                // A dropped sender means the same as a sent signal: the owner of this listener is
                // gone.
                stopped.await.unwrap_or_default();
            });
        let task = tokio::spawn(async move {
            if let Err(error) = server.await {
                tracing::error!(%address, %error, "a listener failed and accepts no more connections");
            }
        });
        Ok(Self { address, health, stop, closed, task })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) fn health(&self) -> HealthReporter {
        self.health.clone()
    }

    /// Accepts no more connections, and lets running calls finish for at most `grace`. Then every
    /// connection is closed, so that no call goes on while the parts behind the listener stop.
    pub(super) async fn stop(self, grace: Duration) {
        let _ = self.stop.send(());
        let mut task = self.task;
        if tokio::time::timeout(grace, &mut task).await.is_err() {
            tracing::warn!(address = %self.address, "the drain timeout ended; the remaining calls are cancelled");
            self.closed.cancel();
            // The task waits for its connections, but a connection that does not close delays no
            // stop.
            if tokio::time::timeout(CLOSE_TIMEOUT, &mut task).await.is_err() {
                tracing::warn!(address = %self.address, "connections are left behind that did not close in time");
                task.abort();
            }
        }
    }
}

/// Varies an age by up to a tenth, so that servers started together do not move their clients to
/// each other at the same time.
fn with_jitter(age_max: Duration) -> Duration {
    age_max.mul_f64(rand::random_range(0.9..1.1))
}

#[cfg(test)]
mod tests {
    use super::{Duration, with_jitter};

    #[test]
    fn connections_of_different_servers_do_not_end_together() {
        let minute = Duration::from_secs(60);
        let ages = [(); 100].map(|()| with_jitter(minute));
        assert!(ages.iter().all(|age| (minute * 9 / 10..=minute * 11 / 10).contains(age)), "{ages:?}");
        assert!(ages.iter().any(|age| *age < minute) && ages.iter().any(|age| *age > minute), "{ages:?}");
    }
}
