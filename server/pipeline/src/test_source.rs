//! One data source in memory, with events that tests commit explicitly and counts of the calls to
//! it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;
use riposte_core::event::{Changes, Event, SequencedEvent};
use riposte_core::page::ListOrder;
use riposte_core::ports::{
    ConsumerPositions, Epoch, LeaseCandidate, Outbox, PositionMove, PositionRemoval, Rankings, StoredPosition,
    TrimBounds, TrimReport,
};
use riposte_core::rank::{RankedList, Ranking};
use riposte_core::{Error, Millis, Partition, Result, Subject, SubjectId, SubjectKey};

/// The rows of the source and its behaviour.
#[derive(Debug, Default)]
pub(super) struct TestSource {
    rows: Mutex<Rows>,
    /// The number of reads of one subject's events so far.
    pub(super) subject_reads: AtomicUsize,
    /// The number of lease requests so far.
    pub(super) lease_requests: AtomicUsize,
    /// The number of following calls that fail.
    pub(super) failing: AtomicUsize,
    /// The number of reads of events after a number so far.
    pub(super) reads: AtomicUsize,
}

#[derive(Debug, Default)]
struct Rows {
    events: Vec<(Option<i64>, Event)>,
    leader: Option<LeaseCandidate>,
    epoch: i64,
    /// The last sequence number, if it belongs to an event that was removed.
    head: i64,
    positions: BTreeMap<String, StoredPosition>,
}

/// Returns a subject in the partition with this number.
pub(super) fn subject(part: u16, revision: i64) -> Subject {
    let id = SubjectId::new(i64::from(part) << 14 | 1).expect("positive");
    let key = SubjectKey::stored("video".to_owned(), part.to_string());
    Subject { revision, ..Subject::new(id, key, Millis(0)) }
}

impl TestSource {
    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().expect("no test panics with it")
    }

    /// Commits a revision of a subject without a sequence number.
    pub(super) fn commit(&self, subject: &Subject, revision: i64) {
        self.commit_at(subject, revision, Changes::default());
    }

    /// Commits a revision of a subject with its changes, without a sequence number.
    pub(super) fn commit_at(&self, subject: &Subject, revision: i64, changes: Changes) {
        let partition = subject.key.partition();
        let event = Event { partition, subject: subject.id, revision: Some(revision), changes, time: Millis(0) };
        self.rows().events.push((None, event));
    }

    /// Assigns sequence numbers to all events, as a leader in another process would.
    pub(super) fn number_all(&self) {
        let mut rows = self.rows();
        let next = rows.events.iter().filter_map(|(number, _)| *number).max().unwrap_or(0) + 1;
        for (number, (slot, _)) in (next..).zip(rows.events.iter_mut().filter(|(number, _)| number.is_none())) {
            *slot = Some(number);
        }
    }

    /// Removes all events up to a sequence number.
    pub(super) fn remove_through(&self, number: i64) {
        self.rows().events.retain(|(given, _)| given.is_none_or(|given| given > number));
    }

    /// Removes the event of a sequence number.
    pub(super) fn drop_event(&self, number: i64) {
        self.rows().events.retain(|(given, _)| *given != Some(number));
    }

    /// Removes all events, as if the last one had had this sequence number.
    pub(super) fn keep_head(&self, number: i64) {
        let mut rows = self.rows();
        rows.events.clear();
        rows.head = number;
    }

    /// Gives the lease to another process.
    pub(super) fn usurp(&self) {
        let mut rows = self.rows();
        rows.leader = Some(LeaseCandidate::mending([0; 16]));
        rows.epoch += 1;
    }

    /// Commits and sequences `count` events of one subject.
    pub(super) fn fill(&self, count: i64) {
        let of = subject(1, 0);
        let first = self.rows().events.len() as i64 + 1;
        (first..first + count).for_each(|revision| self.commit(&of, revision));
        self.number_all();
    }

    /// Stores the position of a consumer.
    pub(super) fn place(&self, name: &str, number: i64) {
        let absent = || StoredPosition { name: name.to_owned(), number, registered_until: Millis(0) };
        self.rows().positions.entry(name.to_owned()).or_insert_with(absent).number = number;
    }

    /// Returns the stored position of a consumer.
    pub(super) fn position(&self, name: &str) -> Option<i64> {
        self.rows().positions.get(name).map(|position| position.number)
    }

    /// Returns whether a running worker registers a consumer.
    pub(super) fn is_registered(&self, name: &str) -> bool {
        self.rows().positions.get(name).is_some_and(|position| position.registered_until > Millis(0))
    }

    /// Returns the holder of the lease.
    pub(super) fn leader(&self) -> Option<LeaseCandidate> {
        self.rows().leader
    }

    /// Removes the holder of the lease.
    pub(super) fn depose(&self) {
        self.rows().leader = None;
    }

    fn works(&self) -> Result<()> {
        let failing = self.failing.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if failing.is_ok() { Err(Error::ShardUnavailable) } else { Ok(()) }
    }
}

#[async_trait]
impl Outbox for TestSource {
    fn sources(&self) -> usize {
        1
    }

    async fn acquire_lease(&self, _: usize, candidate: LeaseCandidate, _: Millis) -> Result<Option<Epoch>> {
        self.lease_requests.fetch_add(1, Ordering::SeqCst);
        self.works()?;
        let mut rows = self.rows();
        if rows.leader.is_none() {
            (rows.leader, rows.epoch) = (Some(candidate), rows.epoch + 1);
        }
        Ok((rows.leader == Some(candidate)).then_some(Epoch(rows.epoch)))
    }

    async fn release_lease(&self, _: usize, candidate: LeaseCandidate) -> Result<()> {
        let mut rows = self.rows();
        rows.leader = rows.leader.filter(|leader| *leader != candidate);
        Ok(())
    }

    async fn assign_sequence(&self, _: usize, term: Epoch, _: usize) -> Result<Option<usize>> {
        self.works()?;
        if self.rows().epoch != term.0 {
            return Ok(None);
        }
        let waiting = self.rows().events.iter().filter(|(number, _)| number.is_none()).count();
        self.number_all();
        Ok(Some(waiting))
    }

    async fn read(&self, _: usize, after: i64, limit: usize) -> Result<Vec<SequencedEvent>> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        self.works()?;
        let rows = self.rows();
        let events = rows.events.iter().filter_map(|(number, event)| Some(((*number)?, event.clone())));
        let events = events.filter(|(number, _)| *number > after).take(limit);
        Ok(events.map(|(number, event)| SequencedEvent { number, event }).collect())
    }

    async fn head(&self, _: usize) -> Result<i64> {
        self.works()?;
        let rows = self.rows();
        Ok(rows.events.iter().filter_map(|(number, _)| *number).max().unwrap_or(rows.head))
    }

    async fn oldest_waiting(&self, _: usize) -> Result<Option<Millis>> {
        Ok(self.rows().events.iter().find(|(number, _)| number.is_none()).map(|(_, event)| event.time))
    }

    async fn of_subject(&self, _: Partition, id: SubjectId, after: i64, limit: usize) -> Result<Vec<Event>> {
        self.subject_reads.fetch_add(1, Ordering::SeqCst);
        self.works()?;
        let rows = self.rows();
        let of = rows.events.iter().map(|(_, event)| event).filter(|event| event.subject == id);
        let mut of: Vec<_> = of.filter(|event| event.revision > Some(after)).cloned().collect();
        of.sort_by_key(|event| event.revision);
        of.truncate(limit);
        Ok(of)
    }
}

#[async_trait]
impl ConsumerPositions for TestSource {
    async fn all(&self, _: usize) -> Result<Vec<StoredPosition>> {
        Ok(self.rows().positions.values().cloned().collect())
    }

    async fn advance(&self, _: usize, term: Epoch, to: PositionMove<'_>) -> Result<bool> {
        self.works()?;
        let may = self.rows().epoch == term.0 && self.position(to.name).unwrap_or(0) == to.from;
        if may {
            self.place(to.name, to.to);
        }
        Ok(may)
    }

    async fn register(&self, _: usize, names: &[&str], until: Millis) -> Result<()> {
        for name in names {
            if let Some(position) = self.rows().positions.get_mut(*name) {
                position.registered_until = until;
            }
        }
        Ok(())
    }

    async fn remove(&self, _: usize, name: &str, _: Millis) -> Result<PositionRemoval> {
        Ok(self.rows().positions.remove(name).map_or(PositionRemoval::Absent, |_| PositionRemoval::Removed))
    }

    async fn trim(&self, _: usize, _: Epoch, _: TrimBounds, _: usize) -> Result<Option<TrimReport>> {
        Ok(Some(TrimReport::default()))
    }
}

#[async_trait]
impl Rankings for TestSource {
    async fn current(&self, _: &RankedList, _: Millis) -> Result<Option<(Ranking, i32)>> {
        Ok(None)
    }

    async fn frozen(&self, _: &RankedList, _: i64) -> Result<Option<Ranking>> {
        Ok(None)
    }

    async fn others(&self, _: &RankedList, _: &Ranking, _: Range<i32>, _: ListOrder, _: usize) -> Result<Vec<i32>> {
        Ok(Vec::new())
    }

    async fn trim(&self, _: usize, _: Millis, _: usize) -> Result<usize> {
        Ok(0)
    }
}
