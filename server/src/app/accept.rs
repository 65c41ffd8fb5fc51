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
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::transport::server::{Connected, TcpIncoming};

use super::backpressure::SchedulerBackpressure;
use super::connection_limit::{ConnectionLimit, ConnectionPermit};
use super::control_frames::ControlFrameLimit;
use super::greeting;
use super::tls::{self, TlsServer};
use riposte_grpc::admission::{ConnectionBuffer, DrainRate, SendBuffer};
use riposte_grpc::auth::PeerIdentity;
use riposte_grpc::middleware::GRPC_ONLY;

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
    control_frames: ControlFrameLimit,
    /// Ends when the connection has to be closed.
    closed: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Set on listeners that every client can reach.
    backpressure: Option<SchedulerBackpressure>,
}

/// The parts that the connections of a listener share.
#[derive(Debug, Clone)]
pub(super) struct ConnectionParts {
    /// The limit on their number.
    pub(super) limit: ConnectionLimit,
    /// The response bytes that clients have not read.
    pub(super) send_buffer: SendBuffer,
    /// The reaction to an overloaded server.
    pub(super) brake: ConnectionBrake,
    /// Closes them all when it is cancelled.
    pub(super) closed: CancellationToken,
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
    parts: ConnectionParts,
) -> impl Stream<Item = io::Result<AcceptedConnection>> + Send + 'static {
    let mut failures = Failures::default();
    TcpIncoming::from(listener)
        .with_nodelay(Some(true))
        .filter_map(move |accepted| accept_or_pause(accepted, &mut failures))
        .map(move |stream| establish(stream, tls.clone(), parts.clone()))
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

async fn establish(stream: TcpStream, tls: Option<TlsServer>, parts: ConnectionParts) -> Option<AcceptedConnection> {
    let mut permit = parts.limit.acquire()?;
    let Some(tls) = tls else {
        let mut stream = stream;
        let (limit, _) = PREFACE;
        match tokio::time::timeout(limit, greeting::speaks_http2(&mut stream, GRPC_ONLY)).await {
            Ok(Ok(true)) => {}
            Ok(Ok(false) | Err(_)) => return None,
            Err(_) => {
                permit.sent_no_preface();
                return None;
            }
        }
        return Some(AcceptedConnection::new(Either::Left(stream), PeerIdentity::default(), permit, &parts));
    };
    let handshake = async move {
        let mut stream = stream;
        if greeting::speaks_http2(&mut stream, greeting::TLS_ONLY).await? {
            tls.accept(stream).await
        } else {
            Err(io::Error::other("the client does not speak TLS"))
        }
    };
    match tokio::time::timeout(HANDSHAKE_TIMEOUT, handshake).await {
        Ok(Ok(stream)) => {
            let peer = tls::peer(&stream);
            let has_capacity = peer.identity.as_ref().is_none_or(|identity| permit.belongs_to(identity));
            has_capacity.then(|| AcceptedConnection::new(Either::Right(Box::new(stream)), peer, permit, &parts))
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
        parts: &ConnectionParts,
    ) -> Self {
        let buffer = parts.send_buffer.connection();
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
            control_frames: ControlFrameLimit::new(),
            closed: Box::pin(parts.closed.child_token().cancelled_owned()),
            backpressure: (parts.brake == ConnectionBrake::OnOverload).then(SchedulerBackpressure::observe_current),
        }
    }

    /// Passes on the result of a write of `slices`, and counts its bytes and frames.
    fn count_written(&mut self, slices: &[IoSlice<'_>], written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(bytes)) = &written {
            self.drain_rate.wrote(*bytes);
            let mut rest = *bytes;
            for slice in slices {
                let part = rest.min(slice.len());
                self.control_frames.sent(&slice[..part]);
                rest -= part;
            }
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
        if self.closed.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        let open = self.permit.open();
        if let Some(backpressure) = &mut self.backpressure {
            ready!(backpressure.poll_ready(open, cx));
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if self.preface.is_some() {
            self.count_preface(buffer.filled().len() - before, cx)?;
        }
        let Self { control_frames, permit, .. } = &mut *self;
        if control_frames.received(&buffer.filled()[before..], Instant::now).is_err() {
            permit.sent_too_many_control_frames();
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
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
        self.count_written(&[IoSlice::new(bytes)], written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.count_written(slices, written)
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
