//! An event consumer that records the calls it receives, and fails where a test requires it.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;
use riposte_core::event::SequencedEvent;
use riposte_core::ports::{Applied, Batching, ConsumerScope, EventConsumer, Position};
use riposte_core::{Error, Result};

/// The consumer and its record.
#[derive(Debug)]
pub(super) struct TestConsumer {
    pub(super) name: &'static str,
    pub(super) scope: ConsumerScope,
    pub(super) start: Position,
    pub(super) after: Option<&'static str>,
    pub(super) record: Mutex<Record>,
}

#[derive(Debug, Default)]
pub(super) struct Record {
    applied: Vec<i64>,
    gaps: usize,
    lost_leases: usize,
    poison: BTreeSet<i64>,
    is_unavailable: bool,
    cannot_take_rows: bool,
    panics: BTreeSet<i64>,
    failed_batches: usize,
    idle_calls: usize,
}

impl TestConsumer {
    /// Creates a durable consumer of the leader.
    pub(super) fn durable(name: &'static str) -> Self {
        Self {
            name,
            scope: ConsumerScope::Leader(Batching::DEFAULT),
            start: Position::Stored,
            after: None,
            record: Mutex::default(),
        }
    }

    /// Creates a consumer of every process, which begins at the head.
    pub(super) fn of_process(name: &'static str) -> Self {
        Self { scope: ConsumerScope::Process, start: Position::Head, ..Self::durable(name) }
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().expect("no test panics with the lock")
    }

    /// If `fails`, makes batches with this event fail; otherwise lets them succeed again.
    pub(super) fn poison(&self, number: i64, fails: bool) {
        if fails {
            self.record().poison.insert(number);
        } else {
            self.record().poison.remove(&number);
        }
    }

    /// If `fails`, makes batches with this event panic; otherwise lets them succeed again.
    pub(super) fn panic_at(&self, number: i64, fails: bool) {
        if fails {
            self.record().panics.insert(number);
        } else {
            self.record().panics.remove(&number);
        }
    }

    /// If `is_unavailable`, makes all batches fail, as while the data source is unavailable;
    /// otherwise lets them succeed again.
    pub(super) fn set_unavailable(&self, is_unavailable: bool) {
        self.record().is_unavailable = is_unavailable;
    }

    /// If `fails`, makes gaps fail as over a row that cannot be read; otherwise lets them succeed
    /// again.
    pub(super) fn fail_gaps(&self, fails: bool) {
        self.record().cannot_take_rows = fails;
    }

    /// Returns the sequence numbers that were applied, in order.
    pub(super) fn applied(&self) -> Vec<i64> {
        self.record().applied.clone()
    }

    /// Returns the number of gaps.
    pub(super) fn gaps(&self) -> usize {
        self.record().gaps
    }

    /// Returns the number of lost leases.
    pub(super) fn lost_leases(&self) -> usize {
        self.record().lost_leases
    }

    /// Returns the number of calls that found it idle.
    pub(super) fn idle_calls(&self) -> usize {
        self.record().idle_calls
    }

    /// Returns the number of batches that failed.
    pub(super) fn failed_batches(&self) -> usize {
        self.record().failed_batches
    }
}

#[async_trait]
impl EventConsumer for TestConsumer {
    fn name(&self) -> &'static str {
        self.name
    }

    fn scope(&self) -> ConsumerScope {
        self.scope
    }

    fn after(&self) -> Option<&'static str> {
        self.after
    }

    async fn start(&self, _: usize) -> Result<Position> {
        Ok(self.start)
    }

    async fn apply(&self, _: usize, events: &[SequencedEvent]) -> Result<Applied> {
        let mut record = self.record();
        if record.is_unavailable {
            record.failed_batches += 1;
            return Err(Error::ShardUnavailable);
        }
        if events.iter().any(|event| record.poison.contains(&event.number)) {
            record.failed_batches += 1;
            return Err(Error::internal("an event that cannot be applied"));
        }
        if events.iter().any(|event| record.panics.contains(&event.number)) {
            record.failed_batches += 1;
            drop(record);
            panic!("a consumer that panics");
        }
        record.applied.extend(events.iter().map(|event| event.number));
        Ok(Applied::all(events))
    }

    async fn gap(&self, _: usize) -> Result<()> {
        let mut record = self.record();
        if record.cannot_take_rows {
            return Err(Error::internal("a row that cannot be read"));
        }
        record.gaps += 1;
        Ok(())
    }

    async fn idle(&self, _: usize) -> Result<()> {
        self.record().idle_calls += 1;
        Ok(())
    }

    async fn lost_lease(&self, _: usize) {
        self.record().lost_leases += 1;
    }
}
