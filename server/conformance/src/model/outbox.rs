//! Events and their sequence numbers. The oracle has one data source, and its events are stored in
//! commit order.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::event::{Changes, Event, SequencedEvent};
use riposte_core::ports::{Epoch, LeaseCandidate, Outbox, Projection};
use riposte_core::{Millis, Partition, Result, Subject, SubjectId, UnitOfWork};

use super::Model;

const LASTS: Duration = Duration::from_secs(5);
const SKEW: Duration = Duration::from_secs(60);

/// The events of the commits, and the lease under which they are sequenced.
#[derive(Debug, Default)]
pub(super) struct Feed {
    /// The unsequenced events of each commit.
    waiting: Vec<Vec<Event>>,
    sequenced: Vec<SequencedEvent>,
    head: i64,
    leader: Option<LeaseCandidate>,
    until: Millis,
    epoch: i64,
    positions: BTreeMap<&'static str, i64>,
}

impl Feed {
    /// Records the events of a commit at `now`.
    pub(super) fn tell(&mut self, unit: &UnitOfWork, now: Millis) -> Result<()> {
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

    fn acquire_lease(&mut self, who: LeaseCandidate, now: Millis) -> Option<Epoch> {
        let stands = now < self.until && self.until <= now.plus(LASTS).plus(SKEW);
        let ours = self.leader == Some(who);
        let displaced = self.leader.is_some_and(|leader| who.displaces(leader.name()));
        if stands && !ours && !displaced {
            return None;
        }
        self.epoch += i64::from(!stands || !ours);
        (self.leader, self.until) = (Some(who), now.plus(LASTS));
        Some(Epoch(self.epoch))
    }

    fn release_lease(&mut self, who: LeaseCandidate) {
        if self.leader == Some(who) {
            (self.leader, self.until) = (None, Millis(0));
        }
    }

    /// Returns `true` if `term` is the current epoch. No epoch is current before the first lease.
    fn is_in(&self, term: Epoch) -> bool {
        self.epoch == term.0 && self.epoch > 0
    }

    fn assign_sequence(&mut self, limit: usize) -> usize {
        let count = limit.min(self.waiting.len());
        for events in self.waiting.drain(..count) {
            self.head += 1;
            self.sequenced.extend(events.into_iter().map(|event| SequencedEvent { number: self.head, event }));
        }
        count
    }

    fn position(&self, projection: Projection) -> i64 {
        self.positions.get(projection.name()).copied().unwrap_or(0)
    }

    fn trim(&mut self, before: Millis, limit: usize) -> usize {
        let applied = Projection::ALL.into_iter().map(|projection| self.position(projection)).min();
        let mut old = self.first(limit, |number| Some(number) <= applied);
        old.retain(|n| n.event.time < before);
        let numbers: BTreeSet<i64> = old.iter().map(|n| n.number).collect();
        self.sequenced.retain(|n| !numbers.contains(&n.number));
        numbers.len()
    }

    /// Returns the events of the first `limit` commits among those with a `wanted` sequence number.
    fn first(&self, limit: usize, wanted: impl Fn(i64) -> bool) -> Vec<SequencedEvent> {
        let wanted: Vec<&SequencedEvent> = self.sequenced.iter().filter(|n| wanted(n.number)).collect();
        let commits = wanted.chunk_by(|a, b| a.number == b.number).take(limit);
        commits.flatten().map(|sequenced| (*sequenced).clone()).collect()
    }
}

#[async_trait]
impl Outbox for Model {
    fn sources(&self) -> usize {
        1
    }

    async fn acquire_lease(&self, _source: usize, who: LeaseCandidate, now: Millis) -> Result<Option<Epoch>> {
        Ok(self.tables().feed.acquire_lease(who, now))
    }

    async fn release_lease(&self, _source: usize, who: LeaseCandidate) -> Result<()> {
        self.tables().feed.release_lease(who);
        Ok(())
    }

    async fn assign_sequence(&self, _source: usize, term: Epoch, limit: usize) -> Result<Option<usize>> {
        let feed = &mut self.tables().feed;
        Ok(feed.is_in(term).then(|| feed.assign_sequence(limit)))
    }

    async fn read(&self, _source: usize, after: i64, limit: usize) -> Result<Vec<SequencedEvent>> {
        Ok(self.tables().feed.first(limit, |number| number > after))
    }

    async fn head(&self, _source: usize) -> Result<i64> {
        Ok(self.tables().feed.head)
    }

    async fn oldest_waiting(&self, _source: usize) -> Result<Option<Millis>> {
        Ok(self.tables().feed.waiting.iter().flatten().next().map(|event| event.time))
    }

    async fn of_subject(&self, _at: Partition, id: SubjectId, after: i64, limit: usize) -> Result<Vec<Event>> {
        let feed = &self.tables().feed;
        let all = feed.sequenced.iter().map(|sequenced| &sequenced.event).chain(feed.waiting.iter().flatten());
        let behind = all.filter(|event| event.subject == id && event.revision.is_some_and(|r| r > after));
        Ok(behind.take(limit).cloned().collect())
    }

    async fn position(&self, _source: usize, projection: Projection) -> Result<i64> {
        Ok(self.tables().feed.position(projection))
    }

    async fn advance(&self, _source: usize, term: Epoch, projection: Projection, from: i64, to: i64) -> Result<bool> {
        let feed = &mut self.tables().feed;
        let may = feed.is_in(term) && feed.position(projection) == from;
        if may {
            feed.positions.insert(projection.name(), to);
        }
        Ok(may)
    }

    async fn trim(&self, _source: usize, term: Epoch, before: Millis, limit: usize) -> Result<Option<usize>> {
        let feed = &mut self.tables().feed;
        Ok(feed.is_in(term).then(|| feed.trim(before, limit)))
    }
}
