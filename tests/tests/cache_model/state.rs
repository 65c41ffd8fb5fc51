//! The complete state of a model.

use super::protocol::{FaultBudget, Protocol, Relay};
use super::redis::{List, Redis, Revision, Token};
use stateright::Representative;

/// The maximum number of writers, and of fillers.
pub(super) const MOST: usize = 3;

/// The state of all participants.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct State {
    /// The revision of the database: the number of commits.
    pub(super) database: Revision,
    pub(super) redis: Redis,
    pub(super) replica: Redis,
    pub(super) writers: [Writer; MOST],
    pub(super) fillers: [Filler; MOST],
    /// The position that the relay has stored.
    pub(super) relay: Revision,
    /// The remaining faults.
    pub(super) faults: FaultBudget,
    /// The token of the next lease, which is never reused.
    pub(super) next_token: Token,
}

/// A writer commits one revision and notifies Redis of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Writer {
    Begins,
    Committed(Revision),
    /// Has seen that the list exists, and will add to it.
    Checked(Revision),
    Done(Revision),
}

impl Writer {
    /// Ends the writer and returns its revision.
    pub(super) fn ends(&mut self) -> Revision {
        let revision = match *self {
            Self::Begins => 0,
            Self::Committed(revision) | Self::Checked(revision) | Self::Done(revision) => revision,
        };
        *self = Self::Done(revision);
        revision
    }
}

/// A filler misses, reads the database and fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Filler {
    Begins,
    Missed(Token),
    Read(Token, Revision),
    Done,
}

impl Filler {
    /// Reads the database at this revision.
    pub(super) fn reads(self, revision: Revision) -> Self {
        match self {
            Self::Missed(token) => Self::Read(token, revision),
            Self::Begins | Self::Read(..) | Self::Done => self,
        }
    }
}

impl State {
    /// Returns the initial state with this number of writers and fillers; the others have nothing
    /// to do.
    pub(super) fn fresh(protocol: &Protocol, writers: usize, fillers: usize, faults: FaultBudget) -> Self {
        let redis = Redis::fresh(protocol);
        let writer = |number| if number < writers { Writer::Begins } else { Writer::Done(0) };
        let filler = |number| if number < fillers { Filler::Begins } else { Filler::Done };
        Self {
            database: 0,
            redis,
            replica: redis,
            writers: std::array::from_fn(writer),
            fillers: std::array::from_fn(filler),
            relay: 0,
            faults,
            next_token: 1,
        }
    }

    /// Returns true if no participant will change anything: every writer is done, no filler is in
    /// progress, and the relay has reported every change to this Redis.
    pub(super) fn is_quiet(&self, protocol: &Protocol) -> bool {
        let notified = match protocol.relay {
            Relay::None => true,
            Relay::StoresPosition | Relay::SeesFailovers => self.relay == self.database,
            Relay::InRedis { .. } => self.relay == self.database && self.redis.cursor == Some(self.relay),
        };
        let written = self.writers.iter().all(|writer| matches!(writer, Writer::Done(_)));
        notified && written && self.fillers.iter().all(|filler| matches!(filler, Filler::Begins | Filler::Done))
    }

    /// Returns true if Redis has the same list as the database.
    pub(super) fn is_cached(&self) -> bool {
        self.redis.list == Some(List::at(self.database))
    }
}

/// Writers differ only by their progress, and so do fillers.
impl Representative for State {
    fn representative(&self) -> Self {
        let mut same = self.clone();
        same.writers.sort_unstable();
        same.fillers.sort_unstable();
        same
    }
}
