//! Answers that nobody has read yet, in bytes: those of one connection, and all of a process.
//!
//! HTTP/2 lets a client ask and not read. What it was answered then waits in memory, for as long as it likes. So a connection
//! with too many such bytes is told nothing more, and closed if none of them leaves it for a while.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hyper::body::Bytes;
use riposte_core::Error;

/// One connection may fill this part of all there is.
const PART: usize = 16;
/// When to come again. Nothing says when a client will read.
const AGAIN: Duration = Duration::from_secs(1);

/// What is not read, of all connections of a process. Clones are the same.
#[derive(Debug, Clone)]
pub(crate) struct Unread(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    most: usize,
    patience: Duration,
    begun: Instant,
    bytes: AtomicUsize,
}

/// What is not read, of one connection. Clones are the same.
#[derive(Debug, Clone)]
pub(crate) struct Backlog(Arc<Line>);

#[derive(Debug)]
struct Line {
    all: Unread,
    bytes: AtomicUsize,
    /// Whether an answer did not fit since something was read last.
    tight: AtomicBool,
    /// When something was read last, in milliseconds.
    moved: AtomicU64,
}

/// An answer on its way, until its last byte has left.
struct Waiting {
    bytes: Bytes,
    line: Arc<Line>,
}

impl Unread {
    /// At most so many bytes of all connections together. One that has more than its part of them, and reads nothing for so
    /// long, is given up.
    pub(crate) fn new(most: usize, patience: Duration) -> Self {
        Self(Arc::new(Inner { most, patience, begun: Instant::now(), bytes: AtomicUsize::new(0) }))
    }

    /// The backlog of a new connection.
    pub(crate) fn connection(&self) -> Backlog {
        let moved = AtomicU64::new(self.now());
        Backlog(Arc::new(Line { all: self.clone(), bytes: AtomicUsize::new(0), tight: AtomicBool::new(false), moved }))
    }

    fn is_full(&self) -> bool {
        self.0.bytes.load(Ordering::Relaxed) >= self.0.most
    }

    fn now(&self) -> u64 {
        u64::try_from(self.0.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

impl Backlog {
    /// Whether the connection may be answered more.
    ///
    /// # Errors
    /// [`Error::Overloaded`] until something is read.
    pub(crate) fn room(&self) -> Result<(), Error> {
        if self.is_full() { Err(Error::Overloaded { after: AGAIN }) } else { Ok(()) }
    }

    /// Whether an answer of so many bytes still fits. One that is larger than all the room fits where nothing waits.
    ///
    /// # Errors
    /// [`Error::Overloaded`] until something is read.
    pub(crate) fn fits(&self, bytes: usize) -> Result<(), Error> {
        let Line { all, bytes: own, tight, .. } = &*self.0;
        let waiting = own.load(Ordering::Relaxed);
        if waiting == 0 || waiting + bytes <= all.0.most / PART {
            return Ok(());
        }
        tight.store(true, Ordering::Relaxed);
        Err(Error::Overloaded { after: AGAIN })
    }

    /// Whether there was no room for too long, while nothing was read.
    pub(crate) fn is_stuck(&self) -> bool {
        let Line { all, bytes, moved, .. } = &*self.0;
        let rests = || Duration::from_millis(all.now().saturating_sub(moved.load(Ordering::Relaxed)));
        bytes.load(Ordering::Relaxed) > 0 && self.is_full() && rests() >= all.0.patience
    }

    /// The same bytes, which count as not read until they are gone.
    pub(crate) fn waiting(&self, bytes: Bytes) -> Bytes {
        let Line { all, bytes: own, moved, .. } = &*self.0;
        if own.fetch_add(bytes.len(), Ordering::Relaxed) == 0 {
            moved.store(all.now(), Ordering::Relaxed);
        }
        all.0.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
        Bytes::from_owner(Waiting { bytes, line: Arc::clone(&self.0) })
    }

    fn is_full(&self) -> bool {
        let Line { all, bytes, tight, .. } = &*self.0;
        let own = bytes.load(Ordering::Relaxed);
        own >= all.0.most / PART || own > 0 && tight.load(Ordering::Relaxed) || all.is_full()
    }
}

impl AsRef<[u8]> for Waiting {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let Line { all, bytes, tight, moved } = &*self.line;
        tight.store(false, Ordering::Relaxed);
        bytes.fetch_sub(self.bytes.len(), Ordering::Relaxed);
        all.0.bytes.fetch_sub(self.bytes.len(), Ordering::Relaxed);
        moved.store(all.now(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Bytes, Unread};

    const KIB: Bytes = Bytes::from_static(&[7; 1024]);

    #[test]
    fn a_connection_that_reads_nothing_has_its_part_and_others_theirs() {
        let unread = Unread::new(16 * 2048, Duration::ZERO);
        let (idle, other) = (unread.connection(), unread.connection());
        let mut held = vec![idle.waiting(KIB)];
        assert!(idle.room().is_ok() && !idle.is_stuck() && idle.fits(1024).is_ok());
        assert!(idle.fits(1025).is_err() && idle.room().is_err() && idle.is_stuck(), "one did not fit");
        held.clear();
        assert!(idle.room().is_ok() && !idle.is_stuck());
        held.push(idle.waiting(KIB));
        assert!(other.fits(1 << 20).is_ok(), "nothing waits there");
        held.push(idle.waiting(KIB));
        assert!(idle.room().is_err() && idle.is_stuck() && other.room().is_ok() && !other.is_stuck());
        assert_eq!(held.pop().map(|bytes| bytes.slice(..3)), Some(KIB.slice(..3)));
        assert!(idle.room().is_ok());
    }

    #[test]
    fn all_together_have_no_more_than_there_is() {
        let unread = Unread::new(16 * 1024, Duration::from_secs(600));
        let lines: Vec<_> = (0..16).map(|_| unread.connection()).collect();
        let held: Vec<_> = lines.iter().map(|line| line.waiting(KIB)).collect();
        let late = unread.connection();
        assert!(late.room().is_err() && !late.is_stuck() && lines.iter().all(|line| !line.is_stuck()));
        drop(held);
        assert!(late.room().is_ok());
    }
}
