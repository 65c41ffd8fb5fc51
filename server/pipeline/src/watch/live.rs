//! The stream of one subject while it is watched.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use riposte_core::event::Event;
use riposte_core::ports::{Outbox, WatchItem};
use riposte_core::{Partition, Result, Subject, SubjectId};
use tokio::sync::watch;

use super::ring::{KEPT, WatchRing};

/// The ring of a subject and the channel that reports its progress to watchers.
#[derive(Debug)]
pub(super) struct SubjectStream {
    id: SubjectId,
    partition: Partition,
    ring: Mutex<WatchRing>,
    moved: watch::Sender<i64>,
    /// The number of reasons so far to read the subject's row again before the next watcher joins.
    doubts: AtomicU64,
    /// The value of `doubts` up to which the row was read.
    settled: AtomicU64,
}

/// The first reason, with which every subject begins: commits from before its events were received.
pub(super) const FIRST_DOUBT: u64 = 1;

impl SubjectStream {
    /// Creates the stream of a subject whose ring begins after revision `base`. The row counts as
    /// outdated until `settle`.
    pub(super) fn new(subject: &Subject, base: i64) -> Self {
        Self {
            id: subject.id,
            partition: subject.key.partition(),
            ring: Mutex::new(WatchRing::new(base)),
            moved: watch::Sender::new(base),
            doubts: AtomicU64::new(FIRST_DOUBT),
            settled: AtomicU64::new(0),
        }
    }

    pub(super) fn id(&self) -> SubjectId {
        self.id
    }

    /// Returns the number of reasons so far to read the subject's row again.
    pub(super) fn doubts(&self) -> u64 {
        self.doubts.load(Ordering::Acquire)
    }

    pub(super) fn is_doubtful(&self) -> bool {
        self.settled.load(Ordering::Acquire) < self.doubts()
    }

    /// Subscribes to the movements of the ring.
    pub(super) fn moves(&self) -> watch::Receiver<i64> {
        self.moved.subscribe()
    }

    fn ring(&self) -> MutexGuard<'_, WatchRing> {
        // Every change of a ring is one call that cannot panic half-way.
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an event, and queries those before it that have not arrived.
    pub(super) async fn hear(&self, outbox: &dyn Outbox, event: &Event) -> Result<()> {
        let Some(revision) = event.revision else { return Ok(()) };
        let at = self.ring().at();
        if revision > at + 1 {
            let from = at.max(revision - 1 - KEPT as i64);
            self.extend(outbox.of_subject(self.partition, self.id, from, KEPT).await?);
        }
        self.extend(vec![event.clone()]);
        Ok(())
    }

    /// Queries the events committed since the newest revision in the ring.
    pub(super) async fn catch_up(&self, outbox: &dyn Outbox) -> Result<()> {
        let at = self.ring().at();
        // The limit is twice the size of a ring: the ring may lack as many as it keeps, and more
        // may have been committed meanwhile.
        let missed = outbox.of_subject(self.partition, self.id, at, 2 * KEPT).await?;
        self.extend(missed);
        Ok(())
    }

    /// Completes the ring up to `revision`, at which the subject was read, and marks the first
    /// `doubts` reasons as handled. The revisions up to it are queried; those no longer available
    /// become a gap.
    pub(super) async fn settle(&self, outbox: &dyn Outbox, revision: i64, doubts: u64) -> Result<()> {
        self.catch_up(outbox).await?;
        self.ring().reach(revision);
        self.tell();
        self.settled.fetch_max(doubts, Ordering::AcqRel);
        Ok(())
    }

    /// Extends the ring back to `after`, as far as events are available.
    pub(super) async fn begin_behind(&self, outbox: &dyn Outbox, after: i64) -> Result<()> {
        let wanted = self.ring().wants(after);
        let Some(from) = wanted else { return Ok(()) };
        let older = outbox.of_subject(self.partition, self.id, from, KEPT).await?;
        self.ring().begin_earlier(from, older);
        Ok(())
    }

    fn extend(&self, events: Vec<Event>) {
        // No event says whether the subject is deleted or hidden now.
        if events.iter().any(|event| event.changes.subject) {
            self.doubts.fetch_add(1, Ordering::AcqRel);
        }
        self.ring().extend(events);
        self.tell();
    }

    fn tell(&self) {
        let at = self.ring().at();
        self.moved.send_if_modified(|known| std::mem::replace(known, at) != at);
    }

    /// Returns the start position of a watcher that has seen every revision up to `after`, or with
    /// 0 begins with the next change, and the gap that it receives first.
    pub(super) fn start(&self, after: i64) -> (i64, Option<WatchItem>) {
        let ring = self.ring();
        if after == 0 {
            return (ring.at(), None);
        }
        let gap = (after < ring.base()).then(|| WatchItem::Gap { first: after + 1, last: ring.base() });
        (after, gap)
    }

    /// Returns up to `limit` entries after `seen`; `None` if some of them are gone.
    pub(super) fn behind(&self, seen: i64, limit: usize) -> Option<Vec<Arc<WatchItem>>> {
        self.ring().behind(seen, limit)
    }
}
