//! The keys of a subject, and the values that are reported about them.

use super::rules::Rule;

/// The revision of a subject, the number of likes, a position of the relay, or a time.
pub(super) type Value = u8;
/// An incarnation or a generation, which is never reused.
pub(super) type Token = u8;

/// The protocol, given by the rules that are left out, and the current time.
#[derive(Debug, Clone, Copy)]
pub(super) struct By {
    pub(super) without: &'static [Rule],
    pub(super) now: Value,
}

impl By {
    pub(super) fn keeps(self, rule: Rule) -> bool {
        !self.without.contains(&rule)
    }
}

/// The effect of one commit: the revision, the likes at that time, and a flag that is true if it
/// writes the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Change {
    pub(super) revision: Value,
    pub(super) likes: Value,
    pub(super) content: bool,
}

/// The right to fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct FillLease {
    /// The filler's number.
    pub(super) name: u8,
    pub(super) incarnation: Token,
    pub(super) until: Value,
    /// The length of the log at the grant: used without [`Rule::FillLeasesHaveNames`].
    pub(super) sequence: u8,
}

/// The data that a filler read in one snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Rows {
    pub(super) revision: Value,
    pub(super) likes: Value,
}

/// The report of the relay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Report {
    pub(super) revision: Option<Value>,
    pub(super) likes: Option<Value>,
}

/// The content of a fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum FillKind {
    /// The subject's row, the list and the comment. Only one such fill is in progress at a time.
    Page,
    /// The comment.
    Comment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FillOutcome {
    Stored,
    Behind,
    Refused,
}

/// The subject entry itself: `h:` of the library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct SubjectEntry {
    pub(super) incarnation: Token,
    pub(super) generation: Token,
    pub(super) revision: Option<Value>,
    pub(super) known: Value,
    /// The outstanding fill leases: their names, or without names their number.
    pub(super) fill_leases: u8,
    pub(super) until: Value,
    pub(super) lease: Option<Value>,
    /// The expected length of the log.
    pub(super) logged: u8,
    pub(super) sequence: u8,
    pub(super) torn: u8,
}

/// The log of the entry: `w:`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct ChangeLog {
    pub(super) changes: Vec<Change>,
    pub(super) likes: Value,
}

impl ChangeLog {
    pub(super) fn length(&self) -> u8 {
        self.changes.iter().map(|_| 1).sum::<u8>() + u8::from(self.likes > 0)
    }

    pub(super) fn of(&self, revision: Value) -> Option<Change> {
        self.changes.iter().find(|change| change.revision == revision).copied()
    }
}

/// The cached comment: `c:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Copy {
    pub(super) incarnation: Token,
    pub(super) row: Value,
    pub(super) likes: Value,
}

/// Returns the list that the rows have at a revision.
pub(super) fn members(revision: Value) -> u8 {
    (1 << revision) - 1
}

impl SubjectEntry {
    /// Returns the value that a fill lease adds to `fill_leases`: its bit, or one if leases have no
    /// names.
    pub(super) fn weight(&self, name: u8, by: By) -> u8 {
        if by.keeps(Rule::FillLeasesHaveNames) { 1 << name } else { 1 }
    }

    /// Returns true if this fill lease is outstanding; without names, if any is.
    pub(super) fn has(&self, lease: FillLease, by: By) -> bool {
        if by.keeps(Rule::FillLeasesHaveNames) { self.fill_leases & 1 << lease.name != 0 } else { self.fill_leases > 0 }
    }

    pub(super) fn is_open(&self, by: By) -> bool {
        self.fill_leases > 0 && by.now <= self.until
    }

    pub(super) fn is_behind(&self) -> bool {
        self.revision.is_none_or(|at| at < self.known)
    }
}

impl Copy {
    pub(super) fn patched(self, change: Change) -> Self {
        Self { row: self.row.max(change.revision), ..self }.liked(change.likes)
    }

    pub(super) fn liked(self, likes: Value) -> Self {
        Self { likes: self.likes.max(likes), ..self }
    }
}
