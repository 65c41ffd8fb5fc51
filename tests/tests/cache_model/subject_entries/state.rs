//! The state of all participants.

use super::parts::{By, Change, FillKind, FillLease, Report, Rows, Token, Value, members};
use super::redis::Redis;
use super::rules::{FaultBudget, Rule};

/// The change of a commit, in the order of the commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Event {
    Revised(Change),
    Liked(Value),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Writer {
    /// Will revise the subject, with or without new content.
    Revises { content: bool },
    /// Will like the comment.
    Likes,
    /// Has not notified the cache yet.
    Committed(Event),
    /// The cache was unavailable. The writer reads the position of the cursor, and then begins a
    /// new generation there.
    Failed,
    /// Will begin a new generation at this position of the cursor.
    Pays(Value),
    /// The change that the writer reported, if it reported one.
    Done(Option<Event>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Filler {
    Begins,
    Opened(FillLease),
    /// `force`: the entry was behind, and the time for it to catch up has passed.
    Read {
        lease: FillLease,
        rows: Rows,
        force: bool,
    },
    Refused(FillLease),
    Done,
}

/// The relay reads all existing events and reports them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Relay {
    /// It will continue at the position of the cursor.
    Begins,
    At(Value),
    /// It has read up to an event, and will check whether a cached comment needs the likes.
    Asks(Value, Value),
    /// It will report likes, in a step of their own.
    Notifies(Value, Value, Value),
    /// It will move the cursor.
    Moves(Moving),
}

/// A move of the cursor, and the values that are reported with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Moving {
    pub(super) from: Value,
    pub(super) to: Value,
    pub(super) reported: Report,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(in crate::cache_model) struct State {
    pub(super) events: Vec<Event>,
    pub(super) redis: Redis,
    pub(super) replica: Redis,
    pub(super) writers: Vec<Writer>,
    pub(super) fillers: Vec<(FillKind, Filler)>,
    pub(super) relay: Relay,
    /// The last call of a relay that no longer holds the lease.
    pub(super) late: Option<Moving>,
    pub(super) now: Value,
    pub(super) fresh: Token,
    pub(super) faults: FaultBudget,
    /// True if an entry went to an older revision without a new incarnation, and without a fault.
    pub(super) went_back: bool,
}

impl State {
    pub(super) fn fresh(writers: &[Writer], fillers: &[FillKind], faults: FaultBudget) -> Self {
        let redis = Redis { cursor: Some((0, 1)), ..Redis::default() };
        Self {
            events: Vec::new(),
            replica: redis.clone(),
            redis,
            writers: writers.to_vec(),
            fillers: fillers.iter().map(|kind| (*kind, Filler::Begins)).collect(),
            relay: Relay::At(0),
            late: None,
            now: 0,
            fresh: 2,
            faults,
            went_back: false,
        }
    }

    /// Returns a number that was not used before.
    pub(super) fn token(&mut self) -> Token {
        self.fresh += 1;
        self.fresh - 1
    }

    /// Returns the data of the database.
    pub(super) fn rows(&self) -> Rows {
        let liked = |event: &&Event| matches!(event, Event::Liked(_));
        let likes = self.events.iter().filter(liked).map(|_| 1).sum();
        Rows { revision: self.head() - likes, likes }
    }

    /// Returns the number of events.
    pub(super) fn head(&self) -> Value {
        self.events.iter().map(|_| 1).sum()
    }

    /// Returns the highest revision reported between two positions, and true if likes are among the
    /// events.
    pub(super) fn reported(&self, from: Value, to: Value) -> (Option<Value>, bool) {
        let reported = self.events.get(usize::from(from)..usize::from(to)).unwrap_or_default();
        let revision = reported.iter().filter_map(|event| match event {
            Event::Revised(change) => Some(change.revision),
            Event::Liked(_) => None,
        });
        (revision.max(), reported.iter().any(|event| matches!(event, Event::Liked(_))))
    }

    /// Returns true if no participant will change anything, and the relay has reported every event
    /// to this cache.
    pub(super) fn is_quiet(&self, by: By) -> bool {
        let cursor_is_current =
            self.redis.cursor.is_some_and(|(at, _)| at == self.head() || !by.keeps(Rule::CursorInTheSlot));
        cursor_is_current
            && self.relay == Relay::At(self.head())
            && self.late.is_none()
            && self.writers.iter().all(|writer| matches!(writer, Writer::Done(_)))
            && self.fillers.iter().all(|(_, filler)| matches!(filler, Filler::Begins | Filler::Done))
    }

    /// Returns true if everything that the entry returns equals the database.
    pub(super) fn is_true(&self, by: By) -> bool {
        let Some((entry, revision)) = self.redis.answering(by) else { return true };
        let (rows, (_, copy)) = (self.rows(), self.redis.parts(&entry, by));
        revision == rows.revision && self.is_one(by) && copy.is_none_or(|copy| copy.likes == rows.likes)
    }

    /// Returns true if all parts of a response belong to its revision.
    pub(super) fn is_one(&self, by: By) -> bool {
        let Some((entry, revision)) = self.redis.answering(by) else { return true };
        let (list, copy) = self.redis.parts(&entry, by);
        list.is_none_or(|list| list == members(revision)) && copy.is_none_or(|copy| copy.row == revision)
    }

    /// Returns true if an entry that can be read contains everything that a writer has reported to
    /// it.
    pub(super) fn is_informed(&self, by: By) -> bool {
        let Some((_, revision)) = self.redis.answering(by) else { return true };
        let reported = |writer: &Writer| {
            if let Writer::Done(Some(Event::Revised(change))) = writer { Some(change.revision) } else { None }
        };
        self.writers.iter().filter_map(reported).all(|reported| revision >= reported)
    }

    /// Returns true if everything is cached.
    pub(super) fn is_cached(&self, by: By) -> bool {
        self.redis.answering(by).is_some_and(|(entry, _)| {
            let (list, copy) = self.redis.parts(&entry, by);
            list.is_some() && copy.is_some()
        })
    }
}
