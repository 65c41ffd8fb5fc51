//! The data source of the oracle, with events that tests commit explicitly, calls that fail, and
//! counts of the calls.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use riposte_conformance::model::Model;
use riposte_conformance::stores::StepClock;
use riposte_core::event::{Changes, Event, SequencedEvent};
use riposte_core::page::{CountReport, SubjectCursor};
use riposte_core::ports::{
    ConsumerPositions, Epoch, EventLog, LeaseCandidate, Outbox, OutboxState, PositionMove, PositionRemoval,
    RankingSnapshots, StoredPosition, SubjectRows, TrimBounds, TrimReport,
};
use riposte_core::{Error, Millis, ObjectType, Partition, Result, Subject, SubjectId, SubjectKey};

/// The oracle and its behaviour.
#[derive(Debug)]
pub(super) struct TestSource {
    model: Arc<Model>,
    /// The number of reads of one subject's events so far.
    pub(super) subject_reads: AtomicUsize,
    /// The number of lease requests so far.
    pub(super) lease_requests: AtomicUsize,
    /// The number of calls that fail from now on.
    pub(super) failing: AtomicUsize,
    /// The number of reads of events after a number so far.
    pub(super) reads: AtomicUsize,
    /// The number of reads of the state of the outbox so far.
    pub(super) polls: AtomicUsize,
    /// The rows of subjects that a test created.
    created: Mutex<HashMap<SubjectKey, Subject>>,
}

impl Default for TestSource {
    fn default() -> Self {
        let [subject_reads, lease_requests, failing, reads, polls] = Default::default();
        let model = Arc::new(Model::new(StepClock::at(StepClock::START)));
        Self { model, subject_reads, lease_requests, failing, reads, polls, created: Mutex::default() }
    }
}

/// Returns a subject in the partition with this number.
pub(super) fn subject(partition: u16, revision: i64) -> Subject {
    let id = SubjectId::new(i64::from(partition) << 14 | 1).expect("positive");
    let key = SubjectKey::stored("video".to_owned(), partition.to_string());
    Subject { revision, ..Subject::new(id, key, Millis(0)) }
}

impl TestSource {
    /// Creates the row of a subject.
    pub(super) fn create(&self, subject: &Subject) {
        self.created.lock().expect("not poisoned").insert(subject.key.clone(), subject.clone());
    }

    /// Commits a revision of a subject without a sequence number.
    pub(super) fn commit(&self, subject: &Subject, revision: i64) {
        self.commit_changes(subject, revision, Changes::default());
    }

    /// Commits a revision of a subject with its changes, without a sequence number.
    pub(super) fn commit_changes(&self, subject: &Subject, revision: i64, changes: Changes) {
        let (partition, revision) = (subject.key.partition(), Some(revision));
        self.model.record_event(Event { partition, subject: subject.id, revision, changes, time: Millis(0) });
    }

    /// Assigns sequence numbers to all events, as a leader in another process does.
    pub(super) fn sequence_all(&self) {
        self.model.sequence_all();
    }

    /// Removes all events up to a sequence number.
    pub(super) fn remove_through(&self, number: i64) {
        self.model.remove_events(0..=number);
    }

    /// Removes the event of a sequence number.
    pub(super) fn drop_event(&self, number: i64) {
        self.model.remove_events(number..=number);
    }

    /// Gives the lease to another process, for as long as a clock may be ahead.
    pub(super) fn lose_lease(&self) {
        let until = StepClock::START.plus(Duration::from_secs(60));
        self.model.set_lease(Some(LeaseCandidate::repairing([0; 16])), until);
    }

    /// Removes the holder of the lease.
    pub(super) fn free_lease(&self) {
        self.model.set_lease(None, Millis(0));
    }

    /// Returns the holder of the lease.
    pub(super) fn leader(&self) -> Option<LeaseCandidate> {
        self.model.lease_holder()
    }

    /// Commits and sequences `count` events of one subject.
    pub(super) fn add_events(&self, count: i64) {
        let subject = subject(1, 0);
        let first = self.model.event_count() as i64 + 1;
        (first..first + count).for_each(|revision| self.commit(&subject, revision));
        self.sequence_all();
    }

    /// Stores the position of a consumer.
    pub(super) fn set_position(&self, name: &str, number: i64) {
        self.model.set_position(name, number);
    }

    /// Sets the head of the sequence numbers, as damage to the relay's row does.
    pub(super) fn set_head(&self, number: i64) {
        self.model.set_head(number);
    }

    /// Restores an earlier state, in which this was the head: the events after it are gone.
    pub(super) fn restore(&self, head: i64) {
        self.model.remove_events(head + 1..=i64::MAX);
        self.model.set_head(head);
    }

    /// Returns the stored position of a consumer.
    pub(super) fn position(&self, name: &str) -> Option<i64> {
        self.model.position(name).map(|position| position.number)
    }

    /// Returns true if a running worker registers a consumer.
    pub(super) fn is_registered(&self, name: &str) -> bool {
        self.model.position(name).is_some_and(|position| position.registered_until > Millis(0))
    }

    /// Returns the ranking snapshots.
    pub(super) fn rankings(&self) -> Arc<dyn RankingSnapshots> {
        Arc::clone(&self.model) as _
    }

    fn fail_if_set(&self) -> Result<()> {
        let failing = self.failing.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |count| count.checked_sub(1));
        if failing.is_ok() { Err(Error::ShardUnavailable) } else { Ok(()) }
    }
}

#[async_trait]
impl SubjectRows for TestSource {
    async fn subjects(&self, keys: &[SubjectKey]) -> Result<Vec<Option<Subject>>> {
        let created = self.created.lock().expect("not poisoned");
        Ok(keys.iter().map(|key| created.get(key).cloned()).collect())
    }

    async fn list_subjects(
        &self,
        object_type: Option<&ObjectType>,
        after: SubjectCursor,
        limit: usize,
    ) -> Result<(Vec<Subject>, Option<SubjectCursor>)> {
        self.model.list_subjects(object_type, after, limit).await
    }

    async fn verify(&self, key: &SubjectKey) -> Result<CountReport> {
        self.model.verify(key).await
    }
}

#[async_trait]
impl EventLog for TestSource {
    fn sources(&self) -> usize {
        self.model.sources()
    }

    async fn read(&self, source: usize, after: i64, limit: usize) -> Result<Vec<SequencedEvent>> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        self.fail_if_set()?;
        self.model.read(source, after, limit).await
    }

    async fn head(&self, source: usize) -> Result<i64> {
        self.fail_if_set()?;
        self.model.head(source).await
    }

    async fn state(&self, source: usize) -> Result<OutboxState> {
        self.polls.fetch_add(1, Ordering::SeqCst);
        self.fail_if_set()?;
        self.model.state(source).await
    }

    async fn of_subject(&self, at: Partition, id: SubjectId, after: i64, limit: usize) -> Result<Vec<Event>> {
        self.subject_reads.fetch_add(1, Ordering::SeqCst);
        self.fail_if_set()?;
        self.model.of_subject(at, id, after, limit).await
    }
}

#[async_trait]
impl Outbox for TestSource {
    async fn acquire_lease(&self, source: usize, candidate: LeaseCandidate, now: Millis) -> Result<Option<Epoch>> {
        self.lease_requests.fetch_add(1, Ordering::SeqCst);
        self.fail_if_set()?;
        self.model.acquire_lease(source, candidate, now).await
    }

    async fn extend_lease(&self, source: usize, candidate: LeaseCandidate, epoch: Epoch, now: Millis) -> Result<bool> {
        self.fail_if_set()?;
        self.model.extend_lease(source, candidate, epoch, now).await
    }

    async fn release_lease(&self, source: usize, candidate: LeaseCandidate) -> Result<()> {
        self.model.release_lease(source, candidate).await
    }

    async fn assign_sequence(&self, source: usize, epoch: Epoch, limit: usize) -> Result<Option<usize>> {
        self.fail_if_set()?;
        self.model.assign_sequence(source, epoch, limit).await
    }
}

#[async_trait]
impl ConsumerPositions for TestSource {
    async fn all(&self, source: usize) -> Result<Vec<StoredPosition>> {
        self.model.all(source).await
    }

    async fn advance(&self, source: usize, epoch: Epoch, to: PositionMove<'_>) -> Result<bool> {
        self.fail_if_set()?;
        self.model.advance(source, epoch, to).await
    }

    async fn register(&self, source: usize, names: &[&str], until: Millis) -> Result<()> {
        self.model.register(source, names, until).await
    }

    async fn remove(&self, source: usize, name: &str, now: Millis) -> Result<PositionRemoval> {
        self.model.remove(source, name, now).await
    }

    async fn trim(&self, source: usize, epoch: Epoch, bounds: TrimBounds, limit: usize) -> Result<Option<TrimReport>> {
        ConsumerPositions::trim(self.model.as_ref(), source, epoch, bounds, limit).await
    }
}
