//! Send buffers: the bytes of responses that clients have not read yet, of one connection and of
//! the whole process.
//!
//! An HTTP/2 client can send requests and not read the responses, which then wait in memory without
//! a time limit. Therefore a connection with too many such bytes receives no more responses, and is
//! closed if the bytes do not drain. While all connections together buffer too many bytes, small
//! responses are still sent, so that clients that read are not affected by those that do not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hyper::body::Bytes;
use riposte_core::Error;
use riposte_sync::ByteBudget;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// One connection may fill one part in `PARTS` of the total.
const PARTS: usize = 16;
/// The bytes that a connection may buffer when the total is used up.
const MIN_BYTES: usize = 64 << 10;
/// The minimum drain rate of a full connection, in bytes per second.
const MIN_DRAIN_RATE: f64 = 16.0 * 1024.0;
/// The maximum number of health watches on one connection: of the server, and of some of its
/// services.
const MAX_HEALTH_WATCHES: usize = 8;
/// The maximum number of request bytes in transit over one connection: about fifteen of the largest
/// requests.
const MAX_REQUEST_BYTES: usize = 4 << 20;
/// The retry delay. It is not known when a client will read.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// The send buffer of all connections of a process. Clones share it.
#[derive(Debug, Clone)]
pub struct SendBuffer(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    bytes: ByteBudget,
    grace: Duration,
}

/// The send buffer of one connection. Clones share it.
#[derive(Debug, Clone)]
pub struct ConnectionBuffer(Arc<ConnectionState>);

#[derive(Debug)]
struct ConnectionState {
    total: SendBuffer,
    /// The capacity for request bytes in transit over the connection.
    request_bytes: Arc<Semaphore>,
    /// The capacity for health watches of the connection.
    health_watches: Arc<Semaphore>,
    bytes: ByteBudget,
    /// True if a response did not fit and no response has been sent since.
    has_rejected: AtomicBool,
}

/// A response in transit, until its last byte is sent or its call is cancelled.
struct PendingResponse {
    bytes: Bytes,
    connection: Arc<ConnectionState>,
}

/// The drain rate of a connection. It counts bytes written to the socket and not responses that
/// were sent, because a response may be cancelled before it is read.
#[derive(Debug, Default)]
pub struct DrainRate {
    written: u64,
    /// The time at which the connection became full, or last drained fast enough, and the bytes
    /// written until then.
    since: Option<(Instant, u64)>,
}

impl SendBuffer {
    /// Creates a buffer of at most `max` bytes for all connections together. A connection that
    /// exceeds its part of them, and drains too slowly for `grace`, is closed.
    pub fn new(max: usize, grace: Duration) -> Self {
        Self(Arc::new(Inner { bytes: ByteBudget::new(max), grace }))
    }

    /// Returns the buffer of a new connection.
    pub fn connection(&self) -> ConnectionBuffer {
        let (bytes, has_rejected) = (ByteBudget::new(self.0.bytes.limit() / PARTS), AtomicBool::new(false));
        let (request_bytes, health_watches) =
            (Arc::new(Semaphore::new(MAX_REQUEST_BYTES)), Arc::new(Semaphore::new(MAX_HEALTH_WATCHES)));
        ConnectionBuffer(Arc::new(ConnectionState {
            total: self.clone(),
            request_bytes,
            health_watches,
            bytes,
            has_rejected,
        }))
    }

    fn is_full(&self) -> bool {
        self.0.bytes.is_full()
    }
}

impl ConnectionBuffer {
    /// Returns a permit for a health watch, valid until it is dropped: a load balancer needs one,
    /// and a client with many would fill memory. `None` if the connection has reached its limit.
    pub fn acquire_health_watch(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0.health_watches).try_acquire_owned().ok()
    }

    /// Returns the capacity for request bytes in transit.
    pub fn request_bytes(&self) -> &Arc<Semaphore> {
        &self.0.request_bytes
    }

    /// Checks that the connection may receive more responses.
    ///
    /// # Errors
    /// [`Error::Overloaded`] until some of them are read.
    pub fn check_capacity(&self) -> Result<(), Error> {
        let own = &self.0.bytes;
        let is_full = own.is_full() || own.used() > 0 && self.0.has_rejected.load(Ordering::Relaxed);
        if is_full { Err(Error::Overloaded { after: RETRY_AFTER }) } else { Ok(()) }
    }

    /// Checks that a response of `bytes` still fits. A response larger than the whole buffer fits
    /// if the connection buffers none.
    ///
    /// # Errors
    /// [`Error::Overloaded`] until some of them are read.
    pub fn check_fit(&self, bytes: usize) -> Result<(), Error> {
        let (own, is_full) = (self.0.bytes.used(), self.0.total.is_full());
        let limit = if is_full { MIN_BYTES } else { self.0.bytes.limit() };
        if own + bytes <= limit || own == 0 && !is_full {
            return Ok(());
        }
        // If this connection buffers no response, the other connections fill the buffer.
        self.0.has_rejected.store(own > 0, Ordering::Relaxed);
        Err(Error::Overloaded { after: RETRY_AFTER })
    }

    /// Returns the same bytes, which count towards the buffer until they are dropped.
    pub fn track(&self, bytes: Bytes) -> Bytes {
        self.0.bytes.add(bytes.len());
        self.0.total.0.bytes.add(bytes.len());
        Bytes::from_owner(PendingResponse { bytes, connection: Arc::clone(&self.0) })
    }

    /// Returns true if the bytes of the connection block other responses.
    fn delays_responses(&self) -> bool {
        self.check_capacity().is_err() || self.0.bytes.used() > MIN_BYTES && self.0.total.is_full()
    }
}

impl AsRef<[u8]> for PendingResponse {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for PendingResponse {
    fn drop(&mut self) {
        let ConnectionState { total, bytes, has_rejected, request_bytes: _, health_watches: _ } = &*self.connection;
        has_rejected.store(false, Ordering::Relaxed);
        bytes.release(self.bytes.len());
        total.0.bytes.release(self.bytes.len());
    }
}

impl DrainRate {
    /// Counts bytes written to the client.
    pub fn wrote(&mut self, bytes: usize) {
        self.written += bytes as u64;
    }

    /// Returns true if the connection was full for too long and drained too slowly. The clock is
    /// read only while it is full.
    pub fn is_too_slow(&mut self, buffer: &ConnectionBuffer, clock: impl FnOnce() -> Instant) -> bool {
        if !buffer.delays_responses() {
            self.since = None;
            return false;
        }
        let now = clock();
        let (since, written) = *self.since.get_or_insert((now, self.written));
        let elapsed = now.saturating_duration_since(since);
        if elapsed < buffer.0.total.0.grace {
            return false;
        }
        let is_fast_enough = (self.written - written) as f64 >= MIN_DRAIN_RATE * elapsed.as_secs_f64();
        if is_fast_enough {
            self.since = Some((now, self.written));
        }
        !is_fast_enough
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Bytes, DrainRate, MIN_BYTES, SendBuffer};

    const KIB: Bytes = Bytes::from_static(&[7; 1024]);
    const GRACE: Duration = Duration::from_secs(30);

    #[test]
    fn a_connection_that_reads_nothing_takes_only_its_own_part_of_the_buffer() {
        let buffer = SendBuffer::new(16 * 2048, GRACE);
        let (idle, other) = (buffer.connection(), buffer.connection());
        let mut held = vec![idle.track(KIB)];
        assert!(idle.check_capacity().is_ok() && idle.check_fit(1024).is_ok());
        assert!(idle.check_fit(1025).is_err() && idle.check_capacity().is_err(), "a response did not fit");
        held.clear();
        assert!(idle.check_capacity().is_ok());
        held.extend([idle.track(KIB), idle.track(KIB)]);
        assert!(idle.check_capacity().is_err() && other.check_capacity().is_ok() && other.check_fit(1 << 20).is_ok());
        assert_eq!(held.pop().map(|bytes| bytes.slice(..3)), Some(KIB.slice(..3)));
        assert!(idle.check_capacity().is_ok());
    }

    #[test]
    fn small_responses_fit_even_if_the_send_buffer_is_full() {
        let buffer = SendBuffer::new(16 * MIN_BYTES, GRACE);
        let large = Bytes::from(vec![7; 2 * MIN_BYTES]);
        let connections: Vec<_> = (0..8).map(|_| buffer.connection()).collect();
        let held: Vec<_> = connections.iter().map(|connection| connection.track(large.clone())).collect();
        let late = buffer.connection();
        assert!(
            late.check_capacity().is_ok()
                && late.check_fit(MIN_BYTES).is_ok()
                && late.check_fit(MIN_BYTES + 1).is_err()
        );
        let small = late.track(KIB);
        assert!(late.check_capacity().is_ok() && late.check_fit(1024).is_ok(), "other connections fill the buffer");
        drop((held, small));
        assert!(late.check_fit(MIN_BYTES + 1).is_ok());
    }

    #[test]
    fn a_connection_that_hardly_drains_is_too_slow_and_one_that_drains_slowly_is_not() {
        let buffer = SendBuffer::new(16 * 1024, GRACE);
        let connection = buffer.connection();
        let (start, mut drain_rate) = (Instant::now(), DrainRate::default());
        assert!(!drain_rate.is_too_slow(&connection, || start + 9 * GRACE), "no response is buffered");
        let _held = connection.track(KIB);
        assert!(!drain_rate.is_too_slow(&connection, || start));
        drain_rate.wrote(20 * 1024 * 30);
        assert!(!drain_rate.is_too_slow(&connection, || start + GRACE), "20 KiB each second");
        drain_rate.wrote(1024 * 30);
        assert!(!drain_rate.is_too_slow(&connection, || start + 2 * GRACE - Duration::from_secs(1)));
        assert!(drain_rate.is_too_slow(&connection, || start + 2 * GRACE), "1 KiB each second");
    }
}
