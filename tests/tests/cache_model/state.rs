//! One moment of everything that takes part.

use super::protocol::{Faults, Protocol, Relay};
use super::redis::{List, Redis, Revision, Token};
use stateright::Representative;

/// How many of each may take part at most.
pub(super) const MOST: usize = 3;

/// The whole.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct State {
    /// The revision of the database: the number of commits.
    pub(super) database: Revision,
    pub(super) redis: Redis,
    pub(super) replica: Redis,
    pub(super) writers: [Writer; MOST],
    pub(super) fillers: [Filler; MOST],
    /// How far the relay believes to have come.
    pub(super) relay: Revision,
    /// Faults left to strike.
    pub(super) faults: Faults,
    /// The token of the next lease: a number that never comes twice.
    pub(super) next_token: Token,
}

/// A writer commits one revision and tells Redis of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Writer {
    Begins,
    Committed(Revision),
    /// It has seen that the list is there, and will add to it.
    Checked(Revision),
    Done(Revision),
}

impl Writer {
    /// Nothing is left for it to do; tells the revision that was its own.
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
    /// It reads the database at this revision.
    pub(super) fn reads(self, revision: Revision) -> Self {
        match self {
            Self::Missed(token) => Self::Read(token, revision),
            Self::Begins | Self::Read(..) | Self::Done => self,
        }
    }
}

impl State {
    /// The beginning, with so many writers and fillers; the others have nothing to do.
    pub(super) fn fresh(protocol: &Protocol, writers: usize, fillers: usize, faults: Faults) -> Self {
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

    /// Whether nobody is about to change anything: every writer is done, no filler is on its way, and the relay has told
    /// all there is, to this Redis.
    pub(super) fn is_quiet(&self, protocol: &Protocol) -> bool {
        let told = match protocol.relay {
            Relay::None => true,
            Relay::Remembers | Relay::HearsOfFailovers => self.relay == self.database,
            Relay::InRedis { .. } => self.relay == self.database && self.redis.cursor == Some(self.relay),
        };
        let written = self.writers.iter().all(|writer| matches!(writer, Writer::Done(_)));
        told && written && self.fillers.iter().all(|filler| matches!(filler, Filler::Begins | Filler::Done))
    }

    /// Whether Redis has the list as the database has it.
    pub(super) fn is_cached(&self) -> bool {
        self.redis.list == Some(List::at(self.database))
    }
}

/// Writers do not differ but by what they have done, nor do fillers.
impl Representative for State {
    fn representative(&self) -> Self {
        let mut same = self.clone();
        same.writers.sort_unstable();
        same.fillers.sort_unstable();
        same
    }
}
