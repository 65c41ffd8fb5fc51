//! Events and their numbers: the oracle has one source, and its events lie in the order of their commits.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use riposte_core::event::{Event, Numbered};
use riposte_core::ports::{Epoch, Outbox, Projection};
use riposte_core::{Millis, Partition, Result, SubjectId, World};

use super::Model;

const LASTS: Duration = Duration::from_secs(5);
const SKEW: Duration = Duration::from_secs(60);

/// What was told, and who numbers it.
#[derive(Debug, Default)]
pub(super) struct Feed {
    waiting: Vec<Event>,
    numbered: Vec<Numbered>,
    head: i64,
    owner: Option<[u8; 16]>,
    until: Millis,
    epoch: i64,
    positions: BTreeMap<&'static str, i64>,
}

impl Feed {
    /// What a commit at `now` has to tell.
    pub(super) fn tell(&mut self, world: &World, now: Millis) -> Result<()> {
        for (subject, revision, changes) in world.events()? {
            let (partition, changes) = (subject.key.partition(), changes.clone());
            self.waiting.push(Event { partition, subject: subject.id, revision, changes, time: now });
        }
        Ok(())
    }

    fn lead(&mut self, owner: &[u8; 16], now: Millis) -> Option<Epoch> {
        let stands = now < self.until && self.until <= now.plus(LASTS).plus(SKEW);
        let ours = self.owner.as_ref() == Some(owner);
        if stands && !ours {
            return None;
        }
        self.epoch += i64::from(!stands);
        (self.owner, self.until) = (Some(*owner), now.plus(LASTS));
        Some(Epoch(self.epoch))
    }

    fn resign(&mut self, owner: &[u8; 16]) {
        if self.owner.as_ref() == Some(owner) {
            (self.owner, self.until) = (None, Millis(0));
        }
    }

    /// Whether a term is the present one; before the first lead there is none.
    fn is_in(&self, term: Epoch) -> bool {
        self.epoch == term.0 && self.epoch > 0
    }

    fn number(&mut self, limit: usize) -> usize {
        let count = limit.min(self.waiting.len());
        for event in self.waiting.drain(..count) {
            self.head += 1;
            self.numbered.push(Numbered { number: self.head, event });
        }
        count
    }

    fn position(&self, projection: Projection) -> i64 {
        self.positions.get(projection.name()).copied().unwrap_or(0)
    }

    fn trim(&mut self, before: Millis, limit: usize) -> usize {
        let applied = Projection::ALL.into_iter().map(|projection| self.position(projection)).min();
        let first = self.numbered.iter().filter(|n| Some(n.number) <= applied).take(limit);
        let old: Vec<i64> = first.filter(|n| n.event.time < before).map(|n| n.number).collect();
        self.numbered.retain(|n| !old.contains(&n.number));
        old.len()
    }
}

#[async_trait]
impl Outbox for Model {
    fn sources(&self) -> usize {
        1
    }

    async fn lead(&self, _source: usize, owner: &[u8; 16], now: Millis) -> Result<Option<Epoch>> {
        Ok(self.tables().feed.lead(owner, now))
    }

    async fn resign(&self, _source: usize, owner: &[u8; 16]) -> Result<()> {
        self.tables().feed.resign(owner);
        Ok(())
    }

    async fn number(&self, _source: usize, term: Epoch, limit: usize) -> Result<Option<usize>> {
        let feed = &mut self.tables().feed;
        Ok(feed.is_in(term).then(|| feed.number(limit)))
    }

    async fn read(&self, _source: usize, after: i64, limit: usize) -> Result<Vec<Numbered>> {
        let feed = &self.tables().feed;
        Ok(feed.numbered.iter().filter(|n| n.number > after).take(limit).cloned().collect())
    }

    async fn head(&self, _source: usize) -> Result<i64> {
        Ok(self.tables().feed.head)
    }

    async fn oldest_waiting(&self, _source: usize) -> Result<Option<Millis>> {
        Ok(self.tables().feed.waiting.first().map(|event| event.time))
    }

    async fn of_subject(&self, _at: Partition, id: SubjectId, after: i64, limit: usize) -> Result<Vec<Event>> {
        let feed = &self.tables().feed;
        let all = feed.numbered.iter().map(|numbered| &numbered.event).chain(&feed.waiting);
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
