//! Send buffers: the bytes of responses that clients have not read yet, of one connection and of
//! the whole process.
//!
//! An HTTP/2 client can send requests and not read the responses, which then wait in memory for as
//! long as the client likes. So a connection with too many such bytes receives no more responses,
//! and is closed if the bytes do not drain. While all connections together hold too many, small
//! responses are still sent, so that clients that read do not suffer from those that do not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hyper::body::Bytes;
use riposte_core::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// One connection may fill one part in `PART` of the total.
const PART: usize = 16;
/// The bytes that a connection may hold when the total is used up.
const SMALL: usize = 64 << 10;
/// The minimum drain rate of a full connection, in bytes per second.
const SLOWEST: f64 = 16.0 * 1024.0;
/// The maximum number of health watches on one connection: of the server, and of some of its
/// services.
const WATCHES: usize = 8;
/// The maximum number of request bytes in transit over one connection: about fifteen of the largest
/// requests.
const ARRIVING: usize = 4 << 20;
/// The retry delay. It is not known when a client will read.
const AGAIN: Duration = Duration::from_secs(1);

/// The send buffer of all connections of a process. Clones share it.
#[derive(Debug, Clone)]
pub struct SendBuffer(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    most: usize,
    grace: Duration,
    bytes: AtomicUsize,
}

/// The send buffer of one connection. Clones share it.
#[derive(Debug, Clone)]
pub struct ConnectionBuffer(Arc<Line>);

#[derive(Debug)]
struct Line {
    all: SendBuffer,
    /// The capacity for request bytes in transit over the connection.
    arriving: Arc<Semaphore>,
    /// The capacity for health watches of the connection.
    watches: Arc<Semaphore>,
    bytes: AtomicUsize,
    /// True if a response did not fit and none has left since.
    tight: AtomicBool,
}

/// A response in transit, until its last byte has left or its call is cancelled.
struct PendingResponse {
    bytes: Bytes,
    line: Arc<Line>,
}

/// The drain rate of a connection. It counts bytes written to the socket and not responses that
/// have left, because a response may be cancelled before it is read.
#[derive(Debug, Default)]
pub struct DrainRate {
    written: u64,
    /// The time at which the connection became full, or last drained fast enough, and the bytes
    /// written until then.
    from: Option<(Instant, u64)>,
}

impl SendBuffer {
    /// Creates a buffer of at most `most` bytes for all connections together. A connection that
    /// exceeds its part of them, and drains too slowly for `grace`, is closed.
    pub fn new(most: usize, grace: Duration) -> Self {
        Self(Arc::new(Inner { most, grace, bytes: AtomicUsize::new(0) }))
    }

    /// Returns the buffer of a new connection.
    pub fn connection(&self) -> ConnectionBuffer {
        let (bytes, tight) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (arriving, watches) = (Arc::new(Semaphore::new(ARRIVING)), Arc::new(Semaphore::new(WATCHES)));
        ConnectionBuffer(Arc::new(Line { all: self.clone(), arriving, watches, bytes, tight }))
    }

    fn is_full(&self) -> bool {
        self.0.bytes.load(Ordering::Relaxed) >= self.0.most
    }
}

impl ConnectionBuffer {
    /// Returns a permit for a health watch, valid until it is dropped: a load balancer needs one,
    /// and a client with many would fill memory. `None` if the connection has reached its limit.
    pub fn watch(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0.watches).try_acquire_owned().ok()
    }

    /// Returns the capacity for request bytes in transit.
    pub fn arriving(&self) -> &Arc<Semaphore> {
        &self.0.arriving
    }

    /// Checks that the connection may receive more responses.
    ///
    /// # Errors
    /// [`Error::Overloaded`] until some of them are read.
    pub fn check_capacity(&self) -> Result<(), Error> {
        let own = self.bytes();
        let full = own >= self.part() || own > 0 && self.0.tight.load(Ordering::Relaxed);
        if full { Err(Error::Overloaded { after: AGAIN }) } else { Ok(()) }
    }

    /// Checks that a response of `bytes` still fits. A response larger than the whole buffer fits
    /// if nothing waits.
    ///
    /// # Errors
    /// [`Error::Overloaded`] until some of them are read.
    pub fn fits(&self, bytes: usize) -> Result<(), Error> {
        let (own, none) = (self.bytes(), self.0.all.is_full());
        let most = if none { SMALL } else { self.part() };
        if own + bytes <= most || own == 0 && !none {
            return Ok(());
        }
        // If nothing waits on this connection, the other connections fill the buffer.
        self.0.tight.store(own > 0, Ordering::Relaxed);
        Err(Error::Overloaded { after: AGAIN })
    }

    /// Returns the same bytes, which count towards the buffer until they are dropped.
    pub fn waiting(&self, bytes: Bytes) -> Bytes {
        self.0.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
        self.0.all.0.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
        Bytes::from_owner(PendingResponse { bytes, line: Arc::clone(&self.0) })
    }

    fn bytes(&self) -> usize {
        self.0.bytes.load(Ordering::Relaxed)
    }

    fn part(&self) -> usize {
        self.0.all.0.most / PART
    }

    /// Returns true if the connection holds bytes that block other responses.
    fn is_in_the_way(&self) -> bool {
        self.check_capacity().is_err() || self.bytes() > SMALL && self.0.all.is_full()
    }
}

impl AsRef<[u8]> for PendingResponse {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for PendingResponse {
    fn drop(&mut self) {
        let Line { all, bytes, tight, arriving: _, watches: _ } = &*self.line;
        tight.store(false, Ordering::Relaxed);
        bytes.fetch_sub(self.bytes.len(), Ordering::Relaxed);
        all.0.bytes.fetch_sub(self.bytes.len(), Ordering::Relaxed);
    }
}

impl DrainRate {
    /// Counts bytes written to the client.
    pub fn wrote(&mut self, bytes: usize) {
        self.written += bytes as u64;
    }

    /// Returns true if the connection was full for too long and hardly drained meanwhile. The clock
    /// is read only while it is full.
    pub fn is_too_slow(&mut self, backlog: &ConnectionBuffer, clock: impl FnOnce() -> Instant) -> bool {
        if !backlog.is_in_the_way() {
            self.from = None;
            return false;
        }
        let now = clock();
        let (since, written) = *self.from.get_or_insert((now, self.written));
        let took = now.saturating_duration_since(since);
        if took < backlog.0.all.0.grace {
            return false;
        }
        let is_read = (self.written - written) as f64 >= SLOWEST * took.as_secs_f64();
        if is_read {
            self.from = Some((now, self.written));
        }
        !is_read
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Bytes, DrainRate, SMALL, SendBuffer};

    const KIB: Bytes = Bytes::from_static(&[7; 1024]);
    const GRACE: Duration = Duration::from_secs(30);

    #[test]
    fn a_connection_that_reads_nothing_takes_only_its_own_part_of_the_buffer() {
        let buffer = SendBuffer::new(16 * 2048, GRACE);
        let (idle, other) = (buffer.connection(), buffer.connection());
        let mut held = vec![idle.waiting(KIB)];
        assert!(idle.check_capacity().is_ok() && idle.fits(1024).is_ok());
        assert!(idle.fits(1025).is_err() && idle.check_capacity().is_err(), "one did not fit");
        held.clear();
        assert!(idle.check_capacity().is_ok());
        held.extend([idle.waiting(KIB), idle.waiting(KIB)]);
        assert!(idle.check_capacity().is_err() && other.check_capacity().is_ok() && other.fits(1 << 20).is_ok());
        assert_eq!(held.pop().map(|bytes| bytes.slice(..3)), Some(KIB.slice(..3)));
        assert!(idle.check_capacity().is_ok());
    }

    #[test]
    fn small_responses_fit_even_if_the_send_buffer_is_full() {
        let buffer = SendBuffer::new(16 * SMALL, GRACE);
        let large = Bytes::from(vec![7; 2 * SMALL]);
        let lines: Vec<_> = (0..8).map(|_| buffer.connection()).collect();
        let held: Vec<_> = lines.iter().map(|line| line.waiting(large.clone())).collect();
        let late = buffer.connection();
        assert!(late.check_capacity().is_ok() && late.fits(SMALL).is_ok() && late.fits(SMALL + 1).is_err());
        let small = late.waiting(KIB);
        assert!(late.check_capacity().is_ok() && late.fits(1024).is_ok(), "other connections fill the buffer");
        drop((held, small));
        assert!(late.fits(SMALL + 1).is_ok());
    }

    #[test]
    fn a_connection_that_hardly_drains_is_too_slow_and_one_that_drains_slowly_is_not() {
        let buffer = SendBuffer::new(16 * 1024, GRACE);
        let line = buffer.connection();
        let (start, mut pace) = (Instant::now(), DrainRate::default());
        assert!(!pace.is_too_slow(&line, || start + 9 * GRACE), "nothing waits");
        let _held = line.waiting(KIB);
        assert!(!pace.is_too_slow(&line, || start));
        pace.wrote(20 * 1024 * 30);
        assert!(!pace.is_too_slow(&line, || start + GRACE), "20 KiB each second");
        pace.wrote(1024 * 30);
        assert!(!pace.is_too_slow(&line, || start + 2 * GRACE - Duration::from_secs(1)));
        assert!(pace.is_too_slow(&line, || start + 2 * GRACE), "1 KiB each second");
    }
}
