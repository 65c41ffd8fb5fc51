//! The outbox: the events that commits write in their own transactions and that get sequence
//! numbers afterwards.

use async_trait::async_trait;

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

    /// Returns the time of the oldest commit that has no sequence number yet; `None` if all have
    /// one.
    async fn oldest_waiting(&self, source: usize) -> Result<Option<Millis>>;

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

    /// Releases the lease at once, if `candidate` holds it.
    async fn release_lease(&self, source: usize, candidate: LeaseCandidate) -> Result<()>;

    /// Assigns sequence numbers to at most `limit` commits that have none, approximately the oldest
    /// first. Returns the number of these commits, which is below `limit` only if no more are
    /// waiting. Returns `None`, and changes nothing, if a later epoch has begun.
    async fn assign_sequence(&self, source: usize, epoch: Epoch, limit: usize) -> Result<Option<usize>>;
}

/// A candidate for the relay lease, with a random name. The leader also repairs the shared cache,
/// so a candidate without a shared cache yields: it holds the lease only while no other candidate
/// requests it. The first byte of its name is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseCandidate([u8; 16]);

impl LeaseCandidate {
    /// Creates a candidate that repairs the shared cache while it holds the lease.
    #[must_use]
    pub const fn repairing(mut name: [u8; 16]) -> Self {
        name[0] |= 1;
        Self(name)
    }

    /// Creates a candidate without a shared cache.
    #[must_use]
    pub const fn yielding(mut name: [u8; 16]) -> Self {
        name[0] = 0;
        Self(name)
    }

    /// The name.
    #[must_use]
    pub const fn name(&self) -> &[u8; 16] {
        &self.0
    }

    /// Returns `true` if this candidate takes the lease from the current holder, whose name is
    /// `holder`.
    #[must_use]
    pub fn displaces(&self, holder: &[u8]) -> bool {
        self.0[0] != 0 && holder.first() == Some(&0)
    }
}

/// The epoch of a lease. Each new leader of a source has a greater epoch, and statements of an
/// earlier epoch have no effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epoch(pub i64);

#[cfg(test)]
mod tests {
    use super::LeaseCandidate;

    #[test]
    fn a_yielding_candidate_is_displaced_by_one_that_repairs_and_by_no_other() {
        for first in [0, 1, 2, 254, 255] {
            let name: [u8; 16] = std::array::from_fn(|n| if n == 0 { first } else { n as u8 });
            let (repairing, yielding) = (LeaseCandidate::repairing(name), LeaseCandidate::yielding(name));
            assert_eq!([repairing, yielding].map(|candidate| candidate.name()[1..] == name[1..]), [true; 2], "{first}");
            assert!(repairing.name()[0] == first | 1 && yielding.name()[0] == 0, "{first}");
            for (candidate, holder, displaces) in [
                (repairing, yielding.name().as_slice(), true),
                (repairing, repairing.name(), false),
                (yielding, yielding.name(), false),
                (yielding, repairing.name(), false),
                (repairing, &[], false),
            ] {
                assert_eq!(candidate.displaces(holder), displaces, "{candidate:?} displaces {holder:?}");
            }
        }
    }
}
