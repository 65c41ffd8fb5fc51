//! Answers that nobody has read yet, in bytes: those of one connection, and all of a process.
//!
//! HTTP/2 lets a client ask and not read. What it was answered then waits in memory, for as long as it likes. So a connection
//! with too many such bytes is told nothing more, and closed if they do not leave it. While all connections together have too
//! many, small answers go on: who reads is not to suffer for those who do not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hyper::body::Bytes;
use riposte_core::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// One connection may fill this part of all there is.
const PART: usize = 16;
/// What a connection may be answered, in bytes, though there is no room at all.
const SMALL: usize = 64 << 10;
/// The least bytes per second by which a full connection is read.
const SLOWEST: f64 = 16.0 * 1024.0;
/// Watches of health on one connection: of the server, and of some of its services.
const WATCHES: usize = 8;
/// Bytes of requests that may be on their way over one connection: some fifteen of the largest.
const ARRIVING: usize = 4 << 20;
/// When to come again. Nothing says when a client will read.
const AGAIN: Duration = Duration::from_secs(1);

/// What is not read, of all connections of a process. Clones are the same.
#[derive(Debug, Clone)]
pub(crate) struct SendBuffer(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    most: usize,
    patience: Duration,
    bytes: AtomicUsize,
}

/// What is not read, of one connection. Clones are the same.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionBuffer(Arc<Line>);

#[derive(Debug)]
struct Line {
    all: SendBuffer,
    /// Bytes of requests that may be on their way over it.
    arriving: Arc<Semaphore>,
    /// Watches of health that it may have.
    watches: Arc<Semaphore>,
    bytes: AtomicUsize,
    /// Whether an answer did not fit since one has left.
    tight: AtomicBool,
}

/// An answer on its way, until its last byte has left or its call is given up.
struct PendingResponse {
    bytes: Bytes,
    line: Arc<Line>,
}

/// How fast a connection is read. Bytes on the wire count, and not answers that have left: one may be given up unread.
#[derive(Debug, Default)]
pub(crate) struct DrainRate {
    written: u64,
    /// When the connection was full first, or last read fast enough, and what was written until then.
    from: Option<(Instant, u64)>,
}

impl SendBuffer {
    /// At most so many bytes of all connections together. One that has more than its part of them, and is hardly read for so
    /// long, is given up.
    pub(crate) fn new(most: usize, patience: Duration) -> Self {
        Self(Arc::new(Inner { most, patience, bytes: AtomicUsize::new(0) }))
    }

    /// The backlog of a new connection.
    pub(crate) fn connection(&self) -> ConnectionBuffer {
        let (bytes, tight) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (arriving, watches) = (Arc::new(Semaphore::new(ARRIVING)), Arc::new(Semaphore::new(WATCHES)));
        ConnectionBuffer(Arc::new(Line { all: self.clone(), arriving, watches, bytes, tight }))
    }

    fn is_full(&self) -> bool {
        self.0.bytes.load(Ordering::Relaxed) >= self.0.most
    }
}

impl ConnectionBuffer {
    /// A watch of health, for as long as it is kept: a balancer needs one, and who asks for more fills memory with them. `None` for one
    /// too many on this connection.
    pub(crate) fn watch(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.0.watches).try_acquire_owned().ok()
    }

    /// Room for the bytes of requests that are on their way.
    pub(crate) fn arriving(&self) -> &Arc<Semaphore> {
        &self.0.arriving
    }

    /// Whether the connection may be answered more.
    ///
    /// # Errors
    /// [`Error::Overloaded`] until something is read.
    pub(crate) fn room(&self) -> Result<(), Error> {
        let own = self.bytes();
        let full = own >= self.part() || own > 0 && self.0.tight.load(Ordering::Relaxed);
        if full { Err(Error::Overloaded { after: AGAIN }) } else { Ok(()) }
    }

    /// Whether an answer of so many bytes still fits. One that is larger than all the room fits where nothing waits.
    ///
    /// # Errors
    /// [`Error::Overloaded`] until something is read.
    pub(crate) fn fits(&self, bytes: usize) -> Result<(), Error> {
        let (own, none) = (self.bytes(), self.0.all.is_full());
        let most = if none { SMALL } else { self.part() };
        if own + bytes <= most || own == 0 && !none {
            return Ok(());
        }
        // Where nothing waits, it is others who are in the way.
        self.0.tight.store(own > 0, Ordering::Relaxed);
        Err(Error::Overloaded { after: AGAIN })
    }

    /// The same bytes, which count as not read until they are gone.
    pub(crate) fn waiting(&self, bytes: Bytes) -> Bytes {
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

    /// Whether it keeps anybody from being answered.
    fn is_in_the_way(&self) -> bool {
        self.room().is_err() || self.bytes() > SMALL && self.0.all.is_full()
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
    /// So many bytes went to the client.
    pub(crate) fn wrote(&mut self, bytes: usize) {
        self.written += bytes as u64;
    }

    /// Whether the connection was full for too long, and hardly read meanwhile. The clock is asked only where it is full.
    pub(crate) fn is_too_slow(&mut self, backlog: &ConnectionBuffer, clock: impl FnOnce() -> Instant) -> bool {
        if !backlog.is_in_the_way() {
            self.from = None;
            return false;
        }
        let now = clock();
        let (since, written) = *self.from.get_or_insert((now, self.written));
        let took = now.saturating_duration_since(since);
        if took < backlog.0.all.0.patience {
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
    const PATIENCE: Duration = Duration::from_secs(30);

    #[test]
    fn a_connection_that_reads_nothing_has_its_part_and_others_theirs() {
        let unread = SendBuffer::new(16 * 2048, PATIENCE);
        let (idle, other) = (unread.connection(), unread.connection());
        let mut held = vec![idle.waiting(KIB)];
        assert!(idle.room().is_ok() && idle.fits(1024).is_ok());
        assert!(idle.fits(1025).is_err() && idle.room().is_err(), "one did not fit");
        held.clear();
        assert!(idle.room().is_ok());
        held.extend([idle.waiting(KIB), idle.waiting(KIB)]);
        assert!(idle.room().is_err() && other.room().is_ok() && other.fits(1 << 20).is_ok());
        assert_eq!(held.pop().map(|bytes| bytes.slice(..3)), Some(KIB.slice(..3)));
        assert!(idle.room().is_ok());
    }

    #[test]
    fn where_there_is_no_room_at_all_small_answers_go_on() {
        let unread = SendBuffer::new(16 * SMALL, PATIENCE);
        let large = Bytes::from(vec![7; 2 * SMALL]);
        let lines: Vec<_> = (0..8).map(|_| unread.connection()).collect();
        let held: Vec<_> = lines.iter().map(|line| line.waiting(large.clone())).collect();
        let late = unread.connection();
        assert!(late.room().is_ok() && late.fits(SMALL).is_ok() && late.fits(SMALL + 1).is_err());
        let small = late.waiting(KIB);
        assert!(late.room().is_ok() && late.fits(1024).is_ok(), "it is others who are in the way");
        drop((held, small));
        assert!(late.fits(SMALL + 1).is_ok());
    }

    #[test]
    fn who_hardly_reads_is_too_slow_and_who_reads_slowly_is_not() {
        let unread = SendBuffer::new(16 * 1024, PATIENCE);
        let line = unread.connection();
        let (start, mut pace) = (Instant::now(), DrainRate::default());
        assert!(!pace.is_too_slow(&line, || start + 9 * PATIENCE), "nothing waits");
        let _held = line.waiting(KIB);
        assert!(!pace.is_too_slow(&line, || start));
        pace.wrote(20 * 1024 * 30);
        assert!(!pace.is_too_slow(&line, || start + PATIENCE), "20 KiB each second");
        pace.wrote(1024 * 30);
        assert!(!pace.is_too_slow(&line, || start + 2 * PATIENCE - Duration::from_secs(1)));
        assert!(pace.is_too_slow(&line, || start + 2 * PATIENCE), "1 KiB each second");
    }
}
