//! The outboxes of all data sources, and the state of their relays: one file for each transaction.
//!
//! Every write of a relay first locks the source's `relay` row and compares its epoch, so a write
//! of an older epoch is rejected however late it arrives.

mod advance;
mod confined;
mod events;
mod lease;
mod order;
mod pick;
mod positions;
mod progress;
mod record;
mod sequence;
mod state;
mod trim;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use async_trait::async_trait;
use riposte_core::event::{Event, SequencedEvent};
use riposte_core::ports::{
    ConsumerPositions, Epoch, EventLog, LeaseCandidate, Outbox, OutboxState, PositionMove, PositionRemoval,
    StoredPosition, TrimBounds, TrimReport,
};
use riposte_core::{Millis, Partition, Result, SubjectId};

use super::pool::DataSources;
use super::{task, transact};
use crate::error::StoreError;
pub(in crate::sql) use record::record;
pub(super) use state::position;

/// The keys of the outbox, by name. All sequenced rows of a day precede the pending ones, so a scan
/// along the ids would have to step over them.
mod index {
    /// The index on (pub_seq), whose entries end with the primary key, the id.
    pub(super) const PUBLISHED: &str = "outbox_commit_published";
    /// The index on (subject_id, revision).
    pub(super) const SUBJECT: &str = "outbox_revision_subject";
}

/// The [`Outbox`] over SQL.
#[derive(Debug)]
pub(crate) struct SqlOutbox {
    sources: Arc<DataSources>,
    /// The position of each relay that this process wrote last; negative before the first.
    written: Vec<AtomicI64>,
}

impl SqlOutbox {
    /// Creates the outboxes of `sources`.
    pub(crate) fn new(sources: Arc<DataSources>) -> Self {
        let written = sources.all().iter().map(|_| AtomicI64::new(-1)).collect();
        Self { sources, written }
    }

    /// Runs a read of single statements on a source. It does not wait for the read limit that
    /// callers share, as [`transact::read_without_limit`].
    fn run<T: Send + 'static>(
        &self,
        source: usize,
        name: &'static str,
        read: impl Future<Output = std::result::Result<T, StoreError>> + Send + 'static,
    ) -> impl Future<Output = Result<T>> + Send {
        // Boxed before the first await: otherwise every future around this one would be as large as
        // the read.
        let read = Box::pin(read);
        async move { task::run(self.sources.runner(), (source, name), read).await }
    }
}

#[async_trait]
impl EventLog for SqlOutbox {
    fn sources(&self) -> usize {
        self.sources.all().len()
    }

    async fn read(&self, source: usize, after: i64, limit: usize) -> Result<Vec<SequencedEvent>> {
        let sources = Arc::clone(&self.sources);
        let read = async move { events::read_after(&sources, source, after, limit).await };
        match self.run(source, "tail outbox", read).await? {
            Some(events) => Ok(events),
            None => {
                let sources = Arc::clone(&self.sources);
                let head = async move { progress::read_bound(&sources, source).await };
                let to = self.run(source, "read position", head).await?;
                transact::read_without_limit(&self.sources, source, events::EventsAfter { after, to, limit }).await
            }
        }
    }

    async fn head(&self, source: usize) -> Result<i64> {
        let sources = Arc::clone(&self.sources);
        self.run(source, "read position", async move { progress::read_head(&sources, source).await }).await
    }

    async fn state(&self, source: usize) -> Result<OutboxState> {
        let sources = Arc::clone(&self.sources);
        self.run(source, "poll outbox", async move { progress::read_state(&sources, source).await }).await
    }

    async fn of_subject(&self, partition: Partition, id: SubjectId, after: i64, limit: usize) -> Result<Vec<Event>> {
        let source = self.sources.map().source(partition);
        transact::read(&self.sources, source, events::SubjectEvents { id, after, limit }).await
    }
}

#[async_trait]
impl Outbox for SqlOutbox {
    async fn acquire_lease(&self, source: usize, candidate: LeaseCandidate, now: Millis) -> Result<Option<Epoch>> {
        let first = match self.sources.is_confined() {
            true => confined::first_position(&self.sources, source).await?,
            false => None,
        };
        transact::write(&self.sources, source, lease::AcquireLease { candidate, now, first }).await
    }

    async fn extend_lease(&self, source: usize, candidate: LeaseCandidate, epoch: Epoch, now: Millis) -> Result<bool> {
        transact::write(&self.sources, source, lease::ExtendLease { candidate, epoch, now }).await
    }

    async fn release_lease(&self, source: usize, candidate: LeaseCandidate) -> Result<()> {
        transact::write(&self.sources, source, lease::ReleaseLease { candidate }).await
    }

    async fn assign_sequence(&self, source: usize, epoch: Epoch, limit: usize) -> Result<Option<usize>> {
        if self.sources.is_confined() {
            return confined::assign(&self.sources, source, epoch, limit).await;
        }
        let written = self.written.get(source);
        let known = written.map(|written| written.load(Ordering::Relaxed)).filter(|position| *position >= 0);
        let assign = sequence::AssignSequence { epoch, limit, known };
        let Some(done) = transact::write(&self.sources, source, assign).await? else { return Ok(None) };
        if let Some(written) = written {
            written.store(done.position, Ordering::Relaxed);
        }
        Ok(Some(done.commits))
    }
}

#[async_trait]
impl ConsumerPositions for SqlOutbox {
    async fn all(&self, source: usize) -> Result<Vec<StoredPosition>> {
        transact::read_without_limit(&self.sources, source, positions::AllPositions).await
    }

    async fn advance(&self, source: usize, epoch: Epoch, position_move: PositionMove<'_>) -> Result<bool> {
        let PositionMove { name, from, to } = position_move;
        let advance = advance::AdvancePosition { epoch, name: name.to_owned(), from, to };
        transact::write(&self.sources, source, advance).await
    }

    async fn register(&self, source: usize, names: &[&str], until: Millis) -> Result<()> {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        transact::write(&self.sources, source, positions::RegisterConsumers { names, until }).await
    }

    async fn remove(&self, source: usize, name: &str, now: Millis) -> Result<PositionRemoval> {
        transact::write(&self.sources, source, positions::RemovePosition { name: name.to_owned(), now }).await
    }

    async fn trim(&self, source: usize, epoch: Epoch, bounds: TrimBounds, limit: usize) -> Result<Option<TrimReport>> {
        if self.sources.is_confined() {
            return confined::trim(&self.sources, source, epoch, bounds, limit).await;
        }
        transact::write(&self.sources, source, trim::TrimOutbox { epoch, bounds, limit }).await
    }
}
