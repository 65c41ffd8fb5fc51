//! What Redis holds for one subject, and the functions on it, each of them one step.

use super::protocol::{Gap, Protocol};

/// The number of a commit; 0 is before the first.
pub(super) type Revision = u8;
/// What a filler shows to be let in; 0 is none.
pub(super) type Token = u8;

/// A cached list: a bit for each member. At revision v it is {1, …, v}.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct List(u8);

impl List {
    /// The list as the database has it at this revision.
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
    /// The list, and the revision it was written at (0 without a list).
    pub(super) list: Option<List>,
    pub(super) revision: Revision,
    /// The header: the highest revision known committed, and the lease that is out.
    pub(super) watermark: Revision,
    pub(super) lease: Token,
    /// How far the relay has come; absent in a Redis that knows nothing.
    pub(super) cursor: Option<Revision>,
}

impl Redis {
    /// One that stands at the beginning.
    pub(super) fn fresh(protocol: &Protocol) -> Self {
        Self { cursor: protocol.cursor().then_some(0), ..Self::default() }
    }

    /// The list is gone, and with it its revision.
    pub(super) fn without_list(self) -> Self {
        Self { list: None, revision: 0, ..self }
    }

    /// The header is gone.
    pub(super) fn without_header(self) -> Self {
        Self { watermark: 0, lease: 0, ..self }
    }

    /// DEL: whoever fills from now on needs a new lease.
    pub(super) fn deleted(self) -> Self {
        Self { lease: 0, ..self.without_list() }
    }

    /// ZADD of one member to whatever is there.
    pub(super) fn added(self, revision: Revision) -> Self {
        Self { list: Some(self.list.unwrap_or(List::at(0)).with(revision)), revision, ..self }
    }

    /// `apply`: a list that stands just before the revision takes it; one that misses something in between is kept or
    /// deleted; one as new, or none, is left.
    pub(super) fn applied(self, revision: Revision, gap: Gap, protocol: &Protocol) -> Self {
        let watermark = if protocol.watermark { self.watermark.max(revision) } else { 0 };
        let told = Self { watermark, ..self };
        match self.list {
            None => told,
            Some(_) if self.revision >= revision => self,
            Some(_) if self.revision == revision - 1 => told.added(revision),
            Some(_) => match gap {
                Gap::Keep => told,
                Gap::Delete => told.without_list(),
            },
        }
    }

    /// `fill` with what a filler read at `revision`; a refused one only gives its lease back.
    pub(super) fn filled(self, revision: Revision, token: Token, protocol: &Protocol) -> Self {
        let holds = !protocol.lease || self.lease == token;
        let current = !protocol.watermark || revision >= self.watermark;
        let newer = !protocol.revisions || self.list.is_none() || self.revision < revision;
        match holds {
            true if current && newer => Self { list: Some(List::at(revision)), revision, lease: 0, ..self },
            true => Self { lease: 0, ..self },
            false => self,
        }
    }
}
