//! A relay for one case at a time. The case holds the lease of every data source and runs the steps
//! of a relay.

use riposte_core::event::{Event, SequencedEvent};
use riposte_core::ports::{Epoch, LeaseCandidate, MEMBER_HISTORY, PositionMove, RANK_INDEX};
use riposte_core::{Millis, SubjectId, SubjectKey};
use tokio::sync::OwnedMutexGuard;

use super::backend::{Backend, Process};
use super::fixture::Fixture;

/// A time in milliseconds after which every lease has expired.
pub(super) const LEASE_EXPIRY: i64 = 10_000;

/// A relay for one case. While it exists, other cases wait for the leases. After it is dropped the
/// leases expire, because the next relay starts at a later time.
#[derive(Debug)]
pub(super) struct Relay {
    pub(super) process: Process,
    pub(super) candidate: LeaseCandidate,
    /// The epoch of each source.
    pub(super) epochs: Vec<Epoch>,
    now: OwnedMutexGuard<Millis>,
}

impl Relay {
    /// Waits until no other case has a relay, and acquires the lease of every source.
    pub(super) async fn of(backend: &Backend) -> Self {
        let process = backend.process.clone();
        let now = std::sync::Arc::clone(&backend.sequencing).lock_owned().await;
        let candidate = LeaseCandidate::repairing(process.ids.request());
        let mut relay = Self { process, candidate, epochs: Vec::new(), now };
        relay.advance_time(LEASE_EXPIRY);
        for source in 0..relay.process.outbox.sources() {
            let epoch = relay.process.outbox.acquire_lease(source, candidate, relay.now()).await.expect("requested");
            relay.epochs.push(epoch.expect("the lease of the last relay has expired"));
        }
        relay
    }

    pub(super) fn now(&self) -> Millis {
        *self.now
    }

    pub(super) fn advance_time(&mut self, millis: i64) {
        self.now.0 += millis;
    }

    /// Returns the source that holds a subject: the one that sequenced its first event.
    pub(super) async fn source_of(&self, subject: SubjectId) -> usize {
        for source in 0..self.epochs.len() {
            if !self.sequenced(source, subject).await.is_empty() {
                return source;
            }
        }
        panic!("no source has sequenced an event of {subject:?}");
    }

    /// Assigns sequence numbers to the waiting commits, `limit` at a time, until fewer than `limit`
    /// are left.
    pub(super) async fn assign_sequence(&self, limit: usize) {
        for (source, epoch) in self.epochs.iter().enumerate() {
            while self
                .process
                .outbox
                .assign_sequence(source, *epoch, limit)
                .await
                .expect("sequenced")
                .expect("the current epoch")
                == limit
            {}
        }
    }

    /// Brings every event consumer up to the last sequence number.
    pub(super) async fn apply(&self) {
        self.assign_sequence(500).await;
        for source in 0..self.epochs.len() {
            for consumer in [MEMBER_HISTORY, RANK_INDEX] {
                while self.apply_some(source, consumer).await {}
            }
        }
    }

    /// Applies some events of a source. Returns `true` if there were any.
    async fn apply_some(&self, source: usize, consumer: &str) -> bool {
        let Process { outbox, histories, rank_indexes, .. } = &self.process;
        let from = self.position(source, consumer).await;
        let events = outbox.read(source, from, 500).await.expect("read");
        let Some(to) = events.last().map(|last| last.number) else { return false };
        let applied = match consumer {
            MEMBER_HISTORY => histories.apply(source, &events).await,
            RANK_INDEX => rank_indexes.apply(source, &events).await,
            other => panic!("{other} is not a consumer of this relay"),
        };
        applied.expect("applied");
        assert!(self.advance(source, consumer, from, to).await);
        true
    }

    /// Returns the stored position of a consumer; 0 if it has none.
    pub(super) async fn position(&self, source: usize, consumer: &str) -> i64 {
        let all = self.process.positions.all(source).await.expect("read");
        all.iter().find(|position| position.name == consumer).map_or(0, |position| position.number)
    }

    /// Moves a position in the epoch of this relay.
    pub(super) async fn advance(&self, source: usize, consumer: &str, from: i64, to: i64) -> bool {
        let to = PositionMove { name: consumer, from, to };
        self.process.positions.advance(source, self.epochs[source], to).await.expect("requested")
    }

    /// Returns all events of a source after a sequence number.
    pub(super) async fn events_after(&self, source: usize, after: i64) -> Vec<SequencedEvent> {
        let mut all: Vec<SequencedEvent> = Vec::new();
        loop {
            let from = all.last().map_or(after, |last| last.number);
            let part = self.process.outbox.read(source, from, 300).await.expect("read");
            if part.is_empty() {
                return all;
            }
            all.extend(part);
        }
    }

    /// Returns the sequenced events of a subject, by sequence number.
    pub(super) async fn sequenced(&self, source: usize, subject: SubjectId) -> Vec<SequencedEvent> {
        let mut all = self.events_after(source, 0).await;
        all.retain(|sequenced| sequenced.event.subject == subject);
        all
    }
}

impl Fixture {
    /// Returns the events of a subject that have a revision, sequenced or not.
    pub(super) async fn events(&self, key: &SubjectKey) -> Vec<Event> {
        let subject = self.subject(key).await;
        let outbox = &self.process.outbox;
        let mut all: Vec<Event> = Vec::new();
        loop {
            let after = all.last().and_then(|last| last.revision).unwrap_or(0);
            let part = outbox.of_subject(key.partition(), subject.id, after, 50).await.expect("read");
            if part.is_empty() {
                return all;
            }
            all.extend(part);
        }
    }
}
