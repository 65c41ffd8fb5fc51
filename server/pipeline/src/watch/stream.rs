//! The stream of one subject while it is watched.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use riposte_core::event::Event;
use riposte_core::ports::{EventLog, WatchItem};
use riposte_core::{Result, Subject, SubjectId, SubjectKey};
use tokio::sync::watch;

use super::ring::{CAPACITY, WatchRing};

/// The ring of a subject and the channel that reports its progress to watchers.
#[derive(Debug)]
pub(super) struct SubjectStream {
    key: SubjectKey,
    /// `None` as long as the subject does not exist.
    id: Mutex<Option<SubjectId>>,
    ring: Mutex<WatchRing>,
    progress: watch::Sender<i64>,
    /// The number of known changes of the subject's row.
    row_changes: AtomicU64,
    /// The value of `row_changes` at the last read of the row. If it is lower, the row is read
    /// again before the next watcher joins.
    row_read: AtomicU64,
}

/// The number of row changes with which a stream begins. It stands for commits before the stream
/// received events.
pub(super) const FIRST_CHANGE: u64 = 1;

impl SubjectStream {
    /// Creates the stream of a subject whose ring begins after revision `base`. The row counts as
    /// outdated until `complete` is called.
    pub(super) fn new(subject: &Subject, base: i64) -> Self {
        Self {
            key: subject.key.clone(),
            id: Mutex::default(),
            ring: Mutex::new(WatchRing::new(base)),
            progress: watch::Sender::new(base),
            row_changes: AtomicU64::new(FIRST_CHANGE),
            row_read: AtomicU64::new(0),
        }
    }

    pub(super) fn key(&self) -> &SubjectKey {
        &self.key
    }

    /// Returns the id of the subject; `None` as long as it does not exist.
    pub(super) fn id(&self) -> Option<SubjectId> {
        *self.id.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the id of the subject: `None` if a restore removed it.
    pub(super) fn identify(&self, id: Option<SubjectId>) {
        *self.id.lock().unwrap_or_else(PoisonError::into_inner) = id;
    }

    /// Returns the newest revision of the ring.
    pub(super) fn newest(&self) -> i64 {
        self.ring().newest()
    }

    /// Queries the events of the subject after a revision; none if the subject does not exist.
    async fn query(&self, outbox: &dyn EventLog, after: i64, limit: usize) -> Result<Vec<Event>> {
        match self.id() {
            Some(id) => outbox.of_subject(self.key.partition(), id, after, limit).await,
            None => Ok(Vec::new()),
        }
    }

    /// Returns the number of known changes of the subject's row.
    pub(super) fn row_changes(&self) -> u64 {
        self.row_changes.load(Ordering::Acquire)
    }

    /// Returns true if the row changed after its last read.
    pub(super) fn is_outdated(&self) -> bool {
        self.row_read.load(Ordering::Acquire) < self.row_changes()
    }

    /// Subscribes to the newest revision of the ring.
    pub(super) fn subscribe(&self) -> watch::Receiver<i64> {
        self.progress.subscribe()
    }

    fn ring(&self) -> MutexGuard<'_, WatchRing> {
        // Every change of a ring is one call that cannot panic half-way.
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the revisions after one, as after the restore of a backup. Every watcher that has
    /// seen some of them receives a gap backwards.
    pub(super) fn reset(&self, revision: i64) {
        self.ring().reset(revision);
        self.row_changes.fetch_add(1, Ordering::AcqRel);
        self.notify();
    }

    /// Returns the number of times that the subject lost revisions, and the last one that was left
    /// the last time.
    pub(super) fn resets(&self) -> (u64, i64) {
        self.ring().resets()
    }

    /// Adds an event. Queries earlier events that have not arrived.
    pub(super) async fn add(&self, outbox: &dyn EventLog, event: &Event) -> Result<()> {
        let Some(revision) = event.revision else { return Ok(()) };
        let newest = self.ring().newest();
        if revision > newest + 1 {
            let from = newest.max(revision - 1 - CAPACITY as i64);
            self.extend(self.query(outbox, from, CAPACITY).await?);
        }
        self.extend(vec![event.clone()]);
        Ok(())
    }

    /// Queries the events committed since the newest revision in the ring.
    pub(super) async fn catch_up(&self, outbox: &dyn EventLog) -> Result<()> {
        let newest = self.ring().newest();
        // The limit is twice the capacity of a ring: a whole ring may be missing, and further
        // events may have been committed meanwhile.
        let missed = self.query(outbox, newest, 2 * CAPACITY).await?;
        self.extend(missed);
        Ok(())
    }

    /// Completes the ring up to `revision`. The row was read at this revision and contains the
    /// first `row_changes` known changes. Missing events are queried; events that are no longer
    /// available become a gap.
    pub(super) async fn complete(&self, outbox: &dyn EventLog, revision: i64, row_changes: u64) -> Result<()> {
        self.catch_up(outbox).await?;
        self.ring().fill_to(revision);
        self.notify();
        self.row_read.fetch_max(row_changes, Ordering::AcqRel);
        Ok(())
    }

    /// Extends the ring back to `after`, as far as events are available.
    pub(super) async fn extend_back_to(&self, outbox: &dyn EventLog, after: i64) -> Result<()> {
        let start = self.ring().earlier_start(after);
        let Some(from) = start else { return Ok(()) };
        let older = self.query(outbox, from, CAPACITY).await?;
        self.ring().extend_backwards(from, older);
        Ok(())
    }

    fn extend(&self, events: Vec<Event>) {
        // An event does not contain the state of the subject, so the row has to be read again.
        if events.iter().any(|event| event.changes.subject) {
            self.row_changes.fetch_add(1, Ordering::AcqRel);
        }
        self.ring().extend(events);
        self.notify();
    }

    fn notify(&self) {
        let newest = self.ring().newest();
        self.progress.send_if_modified(|known| std::mem::replace(known, newest) != newest);
    }

    /// Returns the start position of a watcher, and the gap that the watcher receives first, if
    /// any. With `after` 0 the watcher begins with the next change. Otherwise the watcher has seen
    /// every revision up to `after`; if the subject has no such revision, the watcher begins at the
    /// newest one.
    pub(super) fn start(&self, after: i64) -> (i64, Option<WatchItem>) {
        let ring = self.ring();
        let newest = ring.newest();
        if after == 0 {
            return (newest, None);
        }
        if after > newest {
            return (newest, Some(WatchItem::Gap { first: after.saturating_add(1), last: newest }));
        }
        let gap = (after < ring.base()).then(|| WatchItem::Gap { first: after + 1, last: ring.base() });
        (after, gap)
    }

    /// Returns up to `limit` entries after `seen`; `None` if some of them are no longer
    /// in the ring.
    pub(super) fn after(&self, seen: i64, limit: usize) -> Option<Vec<Arc<WatchItem>>> {
        self.ring().after(seen, limit)
    }
}
