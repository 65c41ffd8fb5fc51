//! The outbox: what every commit left in its transaction, numbered afterwards.

use async_trait::async_trait;

use crate::error::Result;
use crate::event::{Event, SequencedEvent};
use crate::ids::{Partition, SubjectId};
use crate::time::Millis;

/// The outboxes of all data sources. A source is named by its place, from 0 on.
///
/// Rows lie in the order in which transactions began; numbers are given after the commit, by whoever leads the source:
/// so a late commit gets a late number, and a reader of numbers misses nothing. A commit has one number, however many
/// subjects it changed. The events of one subject are numbered in the order of their revisions.
#[async_trait]
pub trait Outbox: Send + Sync + std::fmt::Debug {
    /// How many data sources there are.
    fn sources(&self) -> usize;

    /// Takes or keeps the lead of a source for some seconds: the epoch of the term; `None` while somebody else has it who need
    /// not yield to `who`.
    async fn acquire_lease(&self, source: usize, who: LeaseCandidate, now: Millis) -> Result<Option<Epoch>>;

    /// Gives the lead up at once, if `who` has it.
    async fn release_lease(&self, source: usize, who: LeaseCandidate) -> Result<()>;

    /// Numbers at most `limit` commits that have none, about the oldest first, and answers how many: fewer only where no
    /// more wait. `None` when another term has begun, and then nothing was done.
    async fn assign_sequence(&self, source: usize, term: Epoch, limit: usize) -> Result<Option<usize>>;

    /// The events of the first `limit` commits with a number greater than `after`, in order, without holes. All events of a
    /// commit come together, each of another subject.
    async fn read(&self, source: usize, after: i64, limit: usize) -> Result<Vec<SequencedEvent>>;

    /// The greatest number given; 0 before the first.
    async fn head(&self, source: usize) -> Result<i64>;

    /// When the oldest commit was made that has no number yet; `None` when all have one.
    async fn oldest_waiting(&self, source: usize) -> Result<Option<Millis>>;

    /// Committed events of one subject with a revision greater than `after`, by revision, numbered or not. Likes are not
    /// among them. The first ones may be missing: they are kept for a day.
    async fn of_subject(&self, at: Partition, id: SubjectId, after: i64, limit: usize) -> Result<Vec<Event>>;

    /// The number up to which a projection has applied the events of a source; 0 at its beginning.
    async fn position(&self, source: usize, projection: Projection) -> Result<i64>;

    /// Moves that number; `false` when another term has begun or the number was not `from`, and then nothing was done.
    async fn advance(&self, source: usize, term: Epoch, projection: Projection, from: i64, to: i64) -> Result<bool>;

    /// Deletes the events of at most `limit` commits that every projection has applied and that were made before `before`;
    /// answers how many commits, `None` when another term has begun.
    async fn trim(&self, source: usize, term: Epoch, before: Millis, limit: usize) -> Result<Option<usize>>;
}

/// Who asks for the lead, by a random name. Whoever leads also mends the copies that all processes share, so one that keeps none of
/// these yields: it leads only while nobody else asks. Its name says so, by a first byte of 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseCandidate([u8; 16]);

impl LeaseCandidate {
    /// One that mends shared copies while it leads.
    #[must_use]
    pub const fn mending(mut name: [u8; 16]) -> Self {
        name[0] |= 1;
        Self(name)
    }

    /// One that keeps no shared copies.
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

    /// Whether it takes the lead from whoever has it under the name `holder`.
    #[must_use]
    pub fn displaces(&self, holder: &[u8]) -> bool {
        self.0[0] != 0 && holder.first() == Some(&0)
    }
}

/// The number of a term: each new leader of a source has a greater one, and what an older term still tries is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epoch(pub i64);

/// What is derived from events, and can be built again from the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Projection {
    /// Members' own histories.
    History,
    /// The boards of ranked orders.
    Boards,
}

impl Projection {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::History, Self::Boards];

    /// Its stored name: fixed for ever.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::History => "history",
            Self::Boards => "boards",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LeaseCandidate, Projection};

    #[test]
    fn one_that_yields_is_displaced_by_whoever_mends_and_by_nobody_else() {
        for first in [0, 1, 2, 254, 255] {
            let name: [u8; 16] = std::array::from_fn(|n| if n == 0 { first } else { n as u8 });
            let (mending, yielding) = (LeaseCandidate::mending(name), LeaseCandidate::yielding(name));
            assert_eq!([mending, yielding].map(|who| who.name()[1..] == name[1..]), [true; 2], "{first}");
            assert!(mending.name()[0] == first | 1 && yielding.name()[0] == 0, "{first}");
            for (who, holder, displaces) in [
                (mending, yielding.name().as_slice(), true),
                (mending, mending.name(), false),
                (yielding, yielding.name(), false),
                (yielding, mending.name(), false),
                (mending, &[], false),
            ] {
                assert_eq!(who.displaces(holder), displaces, "{who:?} asks, {holder:?} leads");
            }
        }
    }

    #[test]
    fn names_of_projections_are_fixed_for_ever() {
        assert_eq!(Projection::ALL.map(Projection::name), ["history", "boards"]);
    }
}
