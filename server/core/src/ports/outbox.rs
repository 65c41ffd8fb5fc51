//! The outbox: the events that commits write in their own transactions and that get sequence
//! numbers afterwards.

use async_trait::async_trait;

use super::{Epoch, LeaseCandidate, RelayLease, StoredPosition};
use crate::domain::error::Result;
use crate::domain::event::{Event, SequencedEvent};
use crate::domain::ids::{Partition, SubjectId};
use crate::domain::time::Millis;

/// The events in the outboxes of all data sources. A source is identified by its index, from 0.
///
/// Rows are stored in the order in which transactions began, which is not the order of their
/// commits. So the leader of the source assigns sequence numbers after the commit: a late commit
/// gets a late sequence number, and a reader of consecutive numbers misses no event. A commit has
/// one sequence number, however many subjects it changed. The events of one subject are numbered in
/// the order of their revisions.
#[async_trait]
pub trait EventLog: Send + Sync + std::fmt::Debug {
    /// Returns the number of data sources.
    fn sources(&self) -> usize;

    /// Returns the events of the first `limit` commits with a sequence number greater than `after`,
    /// in order, without gaps. All events of a commit come together, each for a different subject.
    async fn read(&self, source: usize, after: i64, limit: usize) -> Result<Vec<SequencedEvent>>;

    /// Returns the greatest sequence number assigned; 0 before the first.
    async fn head(&self, source: usize) -> Result<i64>;

    /// Returns the state of an outbox, all of it as of one moment. Every process polls it, so it
    /// costs one statement.
    async fn state(&self, source: usize) -> Result<OutboxState>;

    /// Returns committed events of one subject with a revision greater than `after`, by revision,
    /// with or without sequence number. Events of likes are excluded. The first ones may be
    /// missing, because events are trimmed after a day.
    async fn of_subject(&self, at: Partition, id: SubjectId, after: i64, limit: usize) -> Result<Vec<Event>>;
}

/// The outboxes as the relay works on them: the lease of each source, and the sequence numbers that
/// its holder assigns.
#[async_trait]
pub trait Outbox: EventLog {
    /// Acquires or renews the lease of a source for some seconds and returns its epoch; `None`
    /// while another candidate holds the lease and does not have to yield to `candidate`.
    async fn acquire_lease(&self, source: usize, candidate: LeaseCandidate, now: Millis) -> Result<Option<Epoch>>;

    /// Extends the lease that `candidate` holds in `epoch`. Returns `false`, and changes nothing,
    /// if the lease has expired or another epoch has begun.
    async fn extend_lease(&self, source: usize, candidate: LeaseCandidate, epoch: Epoch, now: Millis) -> Result<bool>;

    /// Releases the lease at once, if `candidate` holds it.
    async fn release_lease(&self, source: usize, candidate: LeaseCandidate) -> Result<()>;

    /// Assigns sequence numbers to at most `limit` commits that have none, approximately the oldest
    /// first. Returns the number of these commits, which is below `limit` only if no more are
    /// waiting. Returns `None`, and changes nothing, if a later epoch has begun.
    async fn assign_sequence(&self, source: usize, epoch: Epoch, limit: usize) -> Result<Option<usize>>;
}

/// The state of an outbox at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OutboxState {
    /// The greatest sequence number assigned; 0 before the first.
    pub head: i64,
    /// The relay lease; `None` if no process has ever requested it.
    pub lease: Option<RelayLease>,
    /// The positions of all consumers, by name.
    pub positions: Vec<StoredPosition>,
    /// The time of the oldest commit that has no sequence number yet; `None` if all have one.
    pub oldest_waiting: Option<Millis>,
}
