//! The standings of members: their rows, and what a process has of them in memory.

use async_trait::async_trait;

use crate::domain::error::Result;
use crate::domain::member::MemberId;
use crate::domain::object_type::ObjectType;
use crate::domain::request::RequestIdentity;
use crate::domain::standing::{MemberStanding, StandingChange, StandingInForce, StandingOrder};
use crate::domain::time::Millis;

/// A position among standings in the order of their times: time, then object type and member.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StandingCursor {
    /// The time of the last standing.
    pub changed: Millis,
    /// Its object type; empty before all standings of the time.
    pub object_type: String,
    /// Its member.
    pub member: String,
}

impl StandingCursor {
    /// The position before the standings that were set after `time`.
    #[must_use]
    pub const fn after(time: Millis) -> Self {
        Self { changed: Millis(time.0.saturating_add(1)), object_type: String::new(), member: String::new() }
    }

    /// Returns the position of a standing.
    #[must_use]
    pub fn of(change: &StandingChange) -> Self {
        let (object_type, member) = (change.of.object_type.as_str(), change.of.member.as_str());
        Self { changed: change.changed, object_type: object_type.to_owned(), member: member.to_owned() }
    }
}

/// The standings that a process reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandingSelection {
    /// All, those too that became NORMAL again.
    All,
    /// Those that are not NORMAL or set a weight.
    Notable,
}

/// A part of the standings of one object type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingQuery {
    /// The object type.
    pub object_type: ObjectType,
    /// The only member to list, whose row is listed whatever it says; `None` for all members.
    pub member: Option<MemberId>,
    /// The position after which the list continues, by time and member; `None` for its start.
    pub after: Option<(Millis, MemberId)>,
    /// The maximum number of standings.
    pub limit: usize,
    /// The present time. A standing that has ended counts as NORMAL.
    pub now: Millis,
}

/// Stores and lists standings. They are rows of one data source, the first one.
#[async_trait]
pub trait MemberStandings: Send + Sync + std::fmt::Debug {
    /// Stores a standing in place of an earlier one. A repeat of a request changes nothing and
    /// returns the first result.
    ///
    /// # Errors
    /// [`Error::EtagMismatch`](crate::Error::EtagMismatch);
    /// [`Error::RequestIdReused`](crate::Error::RequestIdReused);
    /// [`Error::ShardUnavailable`](crate::Error::ShardUnavailable).
    async fn set(&self, order: &StandingOrder, request: RequestIdentity) -> Result<MemberStanding>;

    /// Returns the standings of an object type that are not NORMAL or set a weight, the newest
    /// first. Of equal times the greater member id comes first. Of a query for one member, returns
    /// its row if it has one.
    async fn list(&self, query: &StandingQuery) -> Result<Vec<MemberStanding>>;

    /// Returns standings strictly after a position in the order of their times, at most `limit`.
    /// One may become visible later than another one with a later time, by the time limit of a
    /// transaction.
    async fn changes(
        &self,
        selection: StandingSelection,
        after: &StandingCursor,
        limit: usize,
    ) -> Result<Vec<StandingChange>>;

    /// Returns the number of standings that were set after the first time and not after the second
    /// one.
    async fn changed_between(&self, after: Millis, until: Millis) -> Result<u64>;
}

/// The standings as a process has them in memory, at most two seconds after they were set.
pub trait Standings: Send + Sync + std::fmt::Debug {
    /// Returns what is in force for a member at a time; `None` if the member has no standing of its
    /// own. This waits for nothing, and is one branch while no member has one.
    fn of(&self, object_type: &ObjectType, member: &MemberId, now: Millis) -> Option<StandingInForce>;

    /// Called after this process has set a standing, so that it is read soon.
    fn was_set(&self);
}
