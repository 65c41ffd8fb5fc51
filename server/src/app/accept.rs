//! Accepted connections: over TCP, through the TLS handshake if TLS is configured, each with the
//! identity of its peer.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use futures::{Stream, StreamExt};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Sleep;
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;
use tonic::transport::server::{Connected, TcpIncoming};

use super::backpressure::SchedulerBackpressure;
use super::connection_limit::{ConnectionLimit, ConnectionPermit};
use super::greeting;
use super::tls::{self, TlsServer};
use riposte_grpc::admission::{ConnectionBuffer, DrainRate, SendBuffer};
use riposte_grpc::auth::PeerIdentity;

/// The time limit of a handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(3);
/// The wait after a failure to accept a connection. Usually the process has no file descriptor
/// left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// The minimum interval between log messages about such failures.
const LOG_INTERVAL: Duration = Duration::from_secs(5);

/// The time limit and the length in bytes of the HTTP/2 connection preface of a client.
const PREFACE: (Duration, usize) = (Duration::from_secs(3), 24);

/// One connection.
#[derive(Debug)]
pub(super) struct AcceptedConnection {
    stream: Either<TcpStream, Box<TlsStream<TcpStream>>>,
    peer: PeerIdentity,
    preface: Option<PrefaceTimer>,
    permit: ConnectionPermit,
    buffer: ConnectionBuffer,
    drain_rate: DrainRate,
    /// Set on listeners that every client can reach.
    backpressure: Option<SchedulerBackpressure>,
}

/// The time limit of a client that has not yet sent the whole preface.
#[derive(Debug)]
struct PrefaceTimer {
    deadline: Pin<Box<Sleep>>,
    missing_bytes: usize,
}

/// The reaction of a listener's connections to scheduler backpressure; see
/// [`SchedulerBackpressure`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionBrake {
    /// Connections are not read while the server is overloaded.
    OnOverload,
    /// Connections of operators are read nevertheless: operators need them to diagnose the
    /// overload.
    Never,
}

/// Returns all connections of a listener. A connection that fails is left out and never ends the
/// others.
pub(super) fn connections(
    listener: TcpListener,
    tls: Option<TlsServer>,
    connection_limit: ConnectionLimit,
    send_buffer: SendBuffer,
    brake: ConnectionBrake,
) -> impl Stream<Item = io::Result<AcceptedConnection>> + Send + 'static {
    let mut failures = Failures::default();
    TcpIncoming::from(listener)
        .with_nodelay(Some(true))
        .filter_map(move |accepted| accept_or_pause(accepted, &mut failures))
        .map(move |stream| establish(stream, tls.clone(), connection_limit.clone(), send_buffer.connection(), brake))
        // Handshakes are limited only by the connection limit, so idle clients do not block other
        // handshakes.
        .buffer_unordered(usize::MAX)
        .filter_map(async |connection| connection.map(Ok))
}

/// Returns an accepted connection. After a failure it waits before the next attempt.
fn accept_or_pause(
    accepted: io::Result<TcpStream>,
    failures: &mut Failures,
) -> impl Future<Output = Option<TcpStream>> + use<> {
    let accepted = accepted.map_err(|error| failures.log(&error, Instant::now())).ok();
    async move {
        if accepted.is_none() {
            tokio::time::sleep(ACCEPT_PAUSE).await;
        }
        accepted
    }
}

/// Failures to accept a connection: twenty per second while the process has no file descriptor
/// left.
#[derive(Debug, Default)]
struct Failures {
    /// The number of failures since the last log message.
    unlogged: u64,
    logged: Option<Instant>,
}

impl Failures {
    fn log(&mut self, error: &io::Error, now: Instant) {
        self.unlogged += 1;
        if self.logged.is_none_or(|logged| now.duration_since(logged) >= LOG_INTERVAL) {
            tracing::warn!(%error, failures = self.unlogged, "connections could not be accepted");
            *self = Self { unlogged: 0, logged: Some(now) };
        }
    }
}

async fn establish(
    stream: TcpStream,
    tls: Option<TlsServer>,
    connection_limit: ConnectionLimit,
    buffer: ConnectionBuffer,
    brake: ConnectionBrake,
) -> Option<AcceptedConnection> {
    let mut permit = connection_limit.acquire()?;
    let Some(tls) = tls else {
        let mut stream = stream;
        let (limit, _) = PREFACE;
        match tokio::time::timeout(limit, greeting::speaks_http2(&mut stream)).await {
            Ok(Ok(true)) => {}
            Ok(Ok(false) | Err(_)) => return None,
            Err(_) => {
                permit.sent_no_preface();
                return None;
            }
        }
        return Some(AcceptedConnection::new(Either::Left(stream), PeerIdentity::default(), permit, buffer, brake));
    };
    match tokio::time::timeout(HANDSHAKE_TIMEOUT, tls.accept(stream)).await {
        Ok(Ok(stream)) => {
            let peer = tls::peer(&stream);
            let has_capacity = peer.identity.as_ref().is_none_or(|identity| permit.belongs_to(identity));
            has_capacity.then(|| AcceptedConnection::new(Either::Right(Box::new(stream)), peer, permit, buffer, brake))
        }
        Ok(Err(error)) => {
            tracing::debug!(%error, "a TLS handshake failed");
            None
        }
        Err(_) => {
            tracing::debug!("a TLS handshake timed out");
            None
        }
    }
}

impl AcceptedConnection {
    fn new(
        stream: Either<TcpStream, Box<TlsStream<TcpStream>>>,
        peer: PeerIdentity,
        permit: ConnectionPermit,
        buffer: ConnectionBuffer,
        brake: ConnectionBrake,
    ) -> Self {
        let (time, missing_bytes) = PREFACE;
        let preface = Some(PrefaceTimer { deadline: Box::pin(tokio::time::sleep(time)), missing_bytes });
        let peer = PeerIdentity { buffer: Some(buffer.clone()), ..peer };
        Self {
            stream,
            peer,
            preface,
            permit,
            buffer,
            drain_rate: DrainRate::default(),
            backpressure: (brake == ConnectionBrake::OnOverload).then(SchedulerBackpressure::observe_current),
        }
    }

    /// Passes on the result of a write and counts its bytes.
    fn count_written(&mut self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(bytes)) = &written {
            self.drain_rate.wrote(*bytes);
        }
        written
    }

    /// Ends a connection whose preface takes too long, and stops checking once the preface is
    /// complete.
    fn count_preface(&mut self, received: usize, cx: &mut Context<'_>) -> io::Result<()> {
        let Some(preface) = &mut self.preface else { return Ok(()) };
        preface.missing_bytes = preface.missing_bytes.saturating_sub(received);
        if preface.missing_bytes == 0 {
            self.preface = None;
        } else if preface.deadline.as_mut().poll(cx).is_ready() {
            self.permit.sent_no_preface();
            return Err(io::ErrorKind::TimedOut.into());
        }
        Ok(())
    }
}

impl Connected for AcceptedConnection {
    type ConnectInfo = PeerIdentity;

    fn connect_info(&self) -> PeerIdentity {
        self.peer.clone()
    }
}

impl AsyncRead for AcceptedConnection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let open = self.permit.open();
        if let Some(backpressure) = &mut self.backpressure {
            ready!(backpressure.poll_ready(open, cx));
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if self.preface.is_some() {
            self.count_preface(buffer.filled().len() - before, cx)?;
        }
        // Checked whenever the client sends something, which the keepalive ensures.
        let Self { drain_rate, buffer: connection_buffer, permit, .. } = &mut *self;
        if drain_rate.is_too_slow(connection_buffer, Instant::now) {
            permit.drained_too_slowly();
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        read
    }
}

impl AsyncWrite for AcceptedConnection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.count_written(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.count_written(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
