//! The keys of a subject, and what is told about them.

use super::rules::Rule;

/// The revision of a subject, the number of likes, a place of the relay, a moment.
pub(super) type Number = u8;
/// An incarnation or a generation: never the same twice.
pub(super) type Token = u8;

/// What protocol it is: which rules are left out; and what time it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct By {
    pub(super) without: &'static [Rule],
    pub(super) now: Number,
}

impl By {
    pub(super) fn keeps(self, rule: Rule) -> bool {
        !self.without.contains(&rule)
    }
}

/// One commit's effect: the revision, the likes at that moment, and whether it writes the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Change {
    pub(super) revision: Number,
    pub(super) likes: Number,
    pub(super) content: bool,
}

/// The right to fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Ticket {
    /// The filler's number.
    pub(super) name: u8,
    pub(super) incarnation: Token,
    pub(super) until: Number,
    /// What had been logged: used without [`Rule::TicketsHaveNames`].
    pub(super) sequence: u8,
}

/// What a filler read in one snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Rows {
    pub(super) revision: Number,
    pub(super) likes: Number,
}

/// What the relay tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Told {
    pub(super) revision: Option<Number>,
    pub(super) likes: Option<Number>,
}

/// What a fill brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// The subject's row, the list and the comment. One at a time.
    Page,
    /// The comment.
    Comment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filled {
    Kept,
    Behind,
    Refused,
}

/// The block itself: `h:` of the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Block {
    pub(super) incarnation: Token,
    pub(super) generation: Token,
    pub(super) revision: Option<Number>,
    pub(super) known: Number,
    /// Tickets that are out: their names, or without names their count.
    pub(super) tickets: u8,
    pub(super) until: Number,
    pub(super) lease: Option<Number>,
    /// What the log should hold.
    pub(super) logged: u8,
    pub(super) sequence: u8,
    pub(super) torn: u8,
}

/// Its log: `w:`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Log {
    pub(super) changes: Vec<Change>,
    pub(super) likes: Number,
}

impl Log {
    pub(super) fn length(&self) -> u8 {
        self.changes.iter().map(|_| 1).sum::<u8>() + u8::from(self.likes > 0)
    }

    pub(super) fn of(&self, revision: Number) -> Option<Change> {
        self.changes.iter().find(|change| change.revision == revision).copied()
    }
}

/// The comment's copy: `c:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Copy {
    pub(super) incarnation: Token,
    pub(super) row: Number,
    pub(super) likes: Number,
}

/// The list as the rows have it at a revision.
pub(super) fn members(revision: Number) -> u8 {
    (1 << revision) - 1
}

impl Block {
    /// What a ticket adds: its bit, or without names one.
    pub(super) fn weight(&self, name: u8, by: By) -> u8 {
        if by.keeps(Rule::TicketsHaveNames) { 1 << name } else { 1 }
    }

    /// Whether this ticket is out; without names, whether any is.
    pub(super) fn has(&self, ticket: Ticket, by: By) -> bool {
        if by.keeps(Rule::TicketsHaveNames) { self.tickets & 1 << ticket.name != 0 } else { self.tickets > 0 }
    }

    pub(super) fn is_open(&self, by: By) -> bool {
        self.tickets > 0 && by.now <= self.until
    }

    pub(super) fn is_behind(&self) -> bool {
        self.revision.is_none_or(|at| at < self.known)
    }
}

impl Copy {
    pub(super) fn patched(self, change: Change) -> Self {
        Self { row: self.row.max(change.revision), ..self }.liked(change.likes)
    }

    pub(super) fn liked(self, likes: Number) -> Self {
        Self { likes: self.likes.max(likes), ..self }
    }
}
