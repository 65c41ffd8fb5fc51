//! Events and their sequence numbers. The oracle has one data source, and its events are stored in
//! commit order.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::event::{Changes, Event, SequencedEvent};
use riposte_core::ports::{
    CLOCK_SKEW_MAX, ConsumerPositions, Epoch, EventLog, LeaseCandidate, Outbox, OutboxState, PositionMove,
    PositionRemoval, RelayLease, StoredPosition, TrimBounds, TrimReport,
};
use riposte_core::{Millis, Partition, Result, Subject, SubjectId, UnitOfWork};

use super::Model;

/// The duration of a lease.
const LEASE: Duration = Duration::from_secs(5);

/// The events of the commits, and the lease under which they are sequenced.
#[derive(Debug, Clone, Default)]
pub(super) struct ModelOutbox {
    /// The unsequenced events of each commit.
    pub(super) waiting: Vec<Vec<Event>>,
    pub(super) sequenced: Vec<SequencedEvent>,
    pub(super) head: i64,
    pub(super) leader: Option<LeaseCandidate>,
    pub(super) until: Millis,
    pub(super) epoch: i64,
    pub(super) positions: BTreeMap<String, StoredPosition>,
}

impl ModelOutbox {
    /// Records the events of a commit at `now`.
    pub(super) fn record(&mut self, unit: &UnitOfWork, now: Millis) -> Result<()> {
        let event = |(subject, revision, changes): (&Subject, Option<i64>, Changes)| Event {
            partition: subject.key.partition(),
            subject: subject.id,
            revision,
            changes,
            time: now,
        };
        let events: Vec<Event> = unit.events()?.into_iter().map(event).collect();
        self.waiting.extend((!events.is_empty()).then_some(events));
        Ok(())
    }

    fn acquire_lease(&mut self, candidate: LeaseCandidate, now: Millis) -> Option<Epoch> {
        let is_valid = self.is_valid(now);
        let is_holder = self.leader == Some(candidate);
        let displaced = self.leader.is_some_and(|leader| candidate.displaces(leader.name()));
        if is_valid && !is_holder && !displaced {
            return None;
        }
        self.epoch += i64::from(!is_valid || !is_holder);
        (self.leader, self.until) = (Some(candidate), now.plus(LEASE));
        Some(Epoch(self.epoch))
    }

    fn extend_lease(&mut self, candidate: LeaseCandidate, epoch: Epoch, now: Millis) -> bool {
        let is_holder = self.is_valid(now) && self.leader == Some(candidate) && self.is_current(epoch);
        if is_holder {
            self.until = now.plus(LEASE);
        }
        is_holder
    }

    fn is_valid(&self, now: Millis) -> bool {
        now < self.until && self.until <= now.plus(LEASE).plus(CLOCK_SKEW_MAX)
    }

    fn release_lease(&mut self, candidate: LeaseCandidate) {
        if self.leader == Some(candidate) {
            (self.leader, self.until) = (None, Millis(0));
        }
    }

    /// Returns `true` if `epoch` is the current one. No epoch is current before the first lease.
    fn is_current(&self, epoch: Epoch) -> bool {
        self.epoch == epoch.0 && self.epoch > 0
    }

    pub(super) fn assign_sequence(&mut self, limit: usize) -> usize {
        // Numbers continue after those of the events, as when the head was lowered by damage.
        self.head = self.sequenced.last().map_or(self.head, |last| self.head.max(last.number));
        let count = limit.min(self.waiting.len());
        for events in self.waiting.drain(..count) {
            self.head += 1;
            self.sequenced.extend(events.into_iter().map(|event| SequencedEvent { number: self.head, event }));
        }
        count
    }

    fn position(&self, name: &str) -> i64 {
        self.positions.get(name).map_or(0, |position| position.number)
    }

    fn advance(&mut self, to: PositionMove<'_>) -> bool {
        let matches = self.position(to.name) == to.from;
        if matches {
            let absent = || StoredPosition { name: to.name.to_owned(), number: 0, registered_until: Millis(0) };
            self.positions.entry(to.name.to_owned()).or_insert_with(absent).number = to.to;
        }
        matches
    }

    fn remove(&mut self, name: &str, now: Millis) -> PositionRemoval {
        match self.positions.get(name) {
            None => PositionRemoval::Absent,
            Some(position) if position.is_registered(now) => PositionRemoval::Registered,
            Some(_) => {
                self.positions.remove(name);
                PositionRemoval::Removed
            }
        }
    }

    fn trim(&mut self, bounds: TrimBounds, limit: usize) -> TrimReport {
        let passed = self.positions.values().map(|position| position.number).fold(self.head, i64::min);
        let mut trimmed = self.first(limit, |_| true);
        trimmed
            .retain(|n| n.event.time < bounds.all_before || n.number <= passed && n.event.time < bounds.passed_before);
        let numbers: BTreeSet<i64> = trimmed.iter().map(|n| n.number).collect();
        self.sequenced.retain(|n| !numbers.contains(&n.number));
        let missed = |position: &StoredPosition| numbers.iter().filter(|number| **number > position.number).count();
        let overtaken = self.positions.values().map(|position| (position.name.clone(), missed(position)));
        TrimReport { commits: numbers.len(), overtaken: overtaken.filter(|(_, missed)| *missed > 0).collect() }
    }

    /// Returns the events of the first `limit` commits among those with a `wanted` sequence number.
    fn first(&self, limit: usize, wanted: impl Fn(i64) -> bool) -> Vec<SequencedEvent> {
        let wanted: Vec<&SequencedEvent> = self.sequenced.iter().filter(|n| wanted(n.number)).collect();
        let commits = wanted.chunk_by(|a, b| a.number == b.number).take(limit);
        commits.flatten().map(|sequenced| (*sequenced).clone()).collect()
    }
}

#[async_trait]
impl EventLog for Model {
    fn sources(&self) -> usize {
        1
    }

    async fn read(&self, _source: usize, after: i64, limit: usize) -> Result<Vec<SequencedEvent>> {
        Ok(self.tables().outbox.first(limit, |number| number > after))
    }

    async fn head(&self, _source: usize) -> Result<i64> {
        Ok(self.tables().outbox.head)
    }

    async fn state(&self, _source: usize) -> Result<OutboxState> {
        let outbox = &self.tables().outbox;
        let holder = outbox.leader.map(|leader| leader.name().to_vec()).unwrap_or_default();
        let lease = RelayLease { holder, epoch: Epoch(outbox.epoch), until: outbox.until };
        Ok(OutboxState {
            head: outbox.head,
            lease: (outbox.epoch > 0).then_some(lease),
            positions: outbox.positions.values().cloned().collect(),
            oldest_waiting: outbox.waiting.iter().flatten().next().map(|event| event.time),
        })
    }

    async fn of_subject(&self, _partition: Partition, id: SubjectId, after: i64, limit: usize) -> Result<Vec<Event>> {
        let outbox = &self.tables().outbox;
        let all = outbox.sequenced.iter().map(|sequenced| &sequenced.event).chain(outbox.waiting.iter().flatten());
        let later = all.filter(|event| event.subject == id && event.revision.is_some_and(|r| r > after));
        let mut later: Vec<Event> = later.cloned().collect();
        // Commits record their events in the order of revisions; a test may use another order.
        later.sort_by_key(|event| event.revision);
        later.truncate(limit);
        Ok(later)
    }
}

#[async_trait]
impl Outbox for Model {
    async fn acquire_lease(&self, _source: usize, candidate: LeaseCandidate, now: Millis) -> Result<Option<Epoch>> {
        Ok(self.tables().outbox.acquire_lease(candidate, now))
    }

    async fn extend_lease(&self, _source: usize, candidate: LeaseCandidate, epoch: Epoch, now: Millis) -> Result<bool> {
        Ok(self.tables().outbox.extend_lease(candidate, epoch, now))
    }

    async fn release_lease(&self, _source: usize, candidate: LeaseCandidate) -> Result<()> {
        self.tables().outbox.release_lease(candidate);
        Ok(())
    }

    async fn assign_sequence(&self, _source: usize, epoch: Epoch, limit: usize) -> Result<Option<usize>> {
        let outbox = &mut self.tables().outbox;
        Ok(outbox.is_current(epoch).then(|| outbox.assign_sequence(limit)))
    }
}

#[async_trait]
impl ConsumerPositions for Model {
    async fn all(&self, _source: usize) -> Result<Vec<StoredPosition>> {
        Ok(self.tables().outbox.positions.values().cloned().collect())
    }

    async fn advance(&self, _source: usize, epoch: Epoch, to: PositionMove<'_>) -> Result<bool> {
        let outbox = &mut self.tables().outbox;
        Ok(outbox.is_current(epoch) && outbox.advance(to))
    }

    async fn register(&self, _source: usize, names: &[&str], until: Millis) -> Result<()> {
        let positions = &mut self.tables().outbox.positions;
        for name in names {
            if let Some(position) = positions.get_mut(*name)
                && (position.registered_until < until || position.registered_until > until.plus(CLOCK_SKEW_MAX))
            {
                position.registered_until = until;
            }
        }
        Ok(())
    }

    async fn remove(&self, _source: usize, name: &str, now: Millis) -> Result<PositionRemoval> {
        Ok(self.tables().outbox.remove(name, now))
    }

    async fn trim(&self, _source: usize, epoch: Epoch, bounds: TrimBounds, limit: usize) -> Result<Option<TrimReport>> {
        let outbox = &mut self.tables().outbox;
        Ok(outbox.is_current(epoch).then(|| outbox.trim(bounds, limit)))
    }
}
