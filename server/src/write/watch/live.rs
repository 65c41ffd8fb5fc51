//! One subject while it is watched.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use riposte_core::event::Event;
use riposte_core::ports::Outbox;
use riposte_core::{Partition, Result, Subject, SubjectId};
use tokio::sync::watch;

use super::ring::{KEPT, WatchItem, WatchRing};

/// The ring of a subject, and who is to hear that it has moved.
#[derive(Debug)]
pub(super) struct SubjectStream {
    id: SubjectId,
    partition: Partition,
    ring: Mutex<WatchRing>,
    moved: watch::Sender<i64>,
    /// How often there was reason to read the subject's row again before somebody joins.
    doubts: AtomicU64,
    /// Up to which of them it was read.
    settled: AtomicU64,
}

/// The doubt that every subject begins with: what was committed before its events were heard.
pub(super) const FIRST_DOUBT: u64 = 1;

impl SubjectStream {
    /// A subject whose ring begins behind a revision; doubtful until it was settled.
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

    /// How often there was doubt so far.
    pub(super) fn doubts(&self) -> u64 {
        self.doubts.load(Ordering::Acquire)
    }

    pub(super) fn is_doubtful(&self) -> bool {
        self.settled.load(Ordering::Acquire) < self.doubts()
    }

    /// Tells whenever the ring has moved.
    pub(super) fn moves(&self) -> watch::Receiver<i64> {
        self.moved.subscribe()
    }

    fn ring(&self) -> MutexGuard<'_, WatchRing> {
        // Every change of a ring is one call that cannot panic half-way.
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears an event, and asks for those before it that have not come.
    pub(super) async fn hear(&self, outbox: &dyn Outbox, event: Event) -> Result<()> {
        let Some(revision) = event.revision else { return Ok(()) };
        let at = self.ring().at();
        if revision > at + 1 {
            let from = at.max(revision - 1 - KEPT as i64);
            self.extend(outbox.of_subject(self.partition, self.id, from, KEPT).await?);
        }
        self.extend(vec![event]);
        Ok(())
    }

    /// Asks for what was committed since the newest revision it has.
    pub(super) async fn catch_up(&self, outbox: &dyn Outbox) -> Result<()> {
        let at = self.ring().at();
        // Twice what a ring keeps: the ring is full of what is known to be there, and some more came meanwhile.
        let missed = outbox.of_subject(self.partition, self.id, at, 2 * KEPT).await?;
        self.extend(missed);
        Ok(())
    }

    /// Settles the doubts that there were before the subject was seen at `revision`: what led there is asked for, and
    /// what cannot be had any more is a gap.
    pub(super) async fn settle(&self, outbox: &dyn Outbox, revision: i64, doubts: u64) -> Result<()> {
        self.catch_up(outbox).await?;
        self.ring().reach(revision);
        self.tell();
        self.settled.fetch_max(doubts, Ordering::AcqRel);
        Ok(())
    }

    /// Lets the ring begin behind `after`, as far as that can be had.
    pub(super) async fn begin_behind(&self, outbox: &dyn Outbox, after: i64) -> Result<()> {
        let wanted = self.ring().wants(after);
        let Some(from) = wanted else { return Ok(()) };
        let older = outbox.of_subject(self.partition, self.id, from, KEPT).await?;
        self.ring().begin_earlier(from, older);
        Ok(())
    }

    fn extend(&self, events: Vec<Event>) {
        // Whether the subject is deleted or hidden now, no event says.
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

    /// Where a watcher begins that has seen everything up to `after`, or with 0 begins with the next change; and the
    /// gap it has to be told first.
    pub(super) fn start(&self, after: i64) -> (i64, Option<WatchItem>) {
        let ring = self.ring();
        if after == 0 {
            return (ring.at(), None);
        }
        let gap = (after < ring.base()).then(|| WatchItem::Gap { first: after + 1, last: ring.base() });
        (after, gap)
    }

    /// At most `limit` entries behind `seen`; `None` when some of them are gone.
    pub(super) fn behind(&self, seen: i64, limit: usize) -> Option<Vec<Arc<WatchItem>>> {
        self.ring().behind(seen, limit)
    }
}
