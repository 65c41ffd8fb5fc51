//! The data that Redis has of one subject, and the functions on it; each is one step.

use super::protocol::{Gap, Protocol};

/// The sequence number of a commit; 0 is before the first.
pub(super) type Revision = u8;
/// The token by which a filler is admitted; 0 means no token.
pub(super) type Token = u8;

/// A cached list, with one bit for each member. At revision v it is {1, …, v}.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct List(u8);

impl List {
    /// Returns the list that the database has at this revision.
    pub(super) fn at(revision: Revision) -> Self {
        Self((1 << revision) - 1)
    }

    fn with(self, member: Revision) -> Self {
        Self(self.0 | 1 << (member - 1))
    }
}

/// All keys of the subject on one server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Redis {
    /// The list, and the revision at which it was written (0 without a list).
    pub(super) list: Option<List>,
    pub(super) revision: Revision,
    /// The header: the highest revision known to be committed, and the outstanding lease.
    pub(super) watermark: Revision,
    pub(super) lease: Token,
    /// The position of the relay; absent in a Redis that has lost its data.
    pub(super) cursor: Option<Revision>,
}

impl Redis {
    /// Returns the initial state.
    pub(super) fn fresh(protocol: &Protocol) -> Self {
        Self { cursor: protocol.cursor().then_some(0), ..Self::default() }
    }

    /// Removes the list and its revision.
    pub(super) fn without_list(self) -> Self {
        Self { list: None, revision: 0, ..self }
    }

    /// Removes the header.
    pub(super) fn without_header(self) -> Self {
        Self { watermark: 0, lease: 0, ..self }
    }

    /// DEL: every later fill needs a new lease.
    pub(super) fn deleted(self) -> Self {
        Self { lease: 0, ..self.without_list() }
    }

    /// ZADD of one member to the existing list, or to an empty one.
    pub(super) fn added(self, revision: Revision) -> Self {
        Self { list: Some(self.list.unwrap_or(List::at(0)).with(revision)), revision, ..self }
    }

    /// `apply`: a list at the revision just before takes the change; a list that misses a change in
    /// between is kept or deleted; a list at this revision or later, or a missing list, is
    /// unchanged.
    pub(super) fn applied(self, revision: Revision, gap: Gap, protocol: &Protocol) -> Self {
        let watermark = if protocol.watermark { self.watermark.max(revision) } else { 0 };
        let marked = Self { watermark, ..self };
        match self.list {
            None => marked,
            Some(_) if self.revision >= revision => self,
            Some(_) if self.revision == revision - 1 => marked.added(revision),
            Some(_) => match gap {
                Gap::Keep => marked,
                Gap::Delete => marked.without_list(),
            },
        }
    }

    /// `fill` with the data that a filler read at `revision`; a refused fill only releases its
    /// lease.
    pub(super) fn filled(self, revision: Revision, token: Token, protocol: &Protocol) -> Self {
        let has_lease = !protocol.lease || self.lease == token;
        let current = !protocol.watermark || revision >= self.watermark;
        let newer = !protocol.revisions || self.list.is_none() || self.revision < revision;
        match has_lease {
            true if current && newer => Self { list: Some(List::at(revision)), revision, lease: 0, ..self },
            true => Self { lease: 0, ..self },
            false => self,
        }
    }
}
