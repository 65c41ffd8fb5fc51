//! Calls about subjects with an owner, which are closed, hidden, deleted and restored, and whose
//! roots are pinned.

use serde::{Deserialize, Serialize};

/// The state of a subject, by its number in the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum OwnedState {
    Active = 1,
    /// Its comments are read, and not written.
    Closed = 2,
    Hidden = 3,
}

impl OwnedState {
    /// All states, in the order of their numbers.
    pub(crate) const ALL: [Self; 3] = [Self::Active, Self::Closed, Self::Hidden];

    /// Returns the state of a number.
    pub(crate) fn of(number: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|state| *state as i32 == number)
    }
}

/// A call about a subject with an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum OwnedCall {
    /// Creates the subject with its owner.
    Make,
    /// Sets its state.
    SetState(OwnedState),
    /// Deletes it, with everything below it.
    DeleteSubject,
    /// Brings it back.
    UndeleteSubject,
    /// Creates a root.
    Root { member: u32, text: u64 },
    /// Deletes a root, by its author.
    Delete { comment: i64, member: u32 },
    /// Restores a root, by its author.
    Undelete { comment: i64, member: u32 },
    /// Hides a root, by a moderator.
    Hide { comment: i64 },
    /// Shows a hidden root again, by a moderator.
    Unhide { comment: i64 },
    /// Pins a root or takes its pin off, by the owner or by a moderator.
    Pin { comment: i64, pinned: bool, by_owner: bool },
    /// Reads the first page of roots, which has all of them.
    List { fresh: bool },
    /// Reads the subject.
    Subject { fresh: bool },
    /// Reads a root.
    Get { comment: i64, fresh: bool },
}

/// A root in a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct SeenRoot {
    pub(crate) id: i64,
    /// The number of its text; 0 if it has none.
    pub(crate) text: u64,
    pub(crate) pinned: bool,
}

/// A subject in a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SeenSubject {
    pub(crate) revision: i64,
    /// `None` for a state that no call sets.
    pub(crate) state: Option<OwnedState>,
    pub(crate) deleted: bool,
    /// The number of visible roots.
    pub(crate) roots: i32,
}

/// The response to a call about a subject with an owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum OwnedResponse {
    /// The comment that a write concerned, 0 for the subject, and the revision that the write made
    /// or, if it changed nothing, found.
    Written {
        comment: i64,
        revision: i64,
    },
    /// The roots of the first page and the pinned ones, in their order.
    Page {
        subject: SeenSubject,
        roots: Box<[SeenRoot]>,
        pinned: Box<[SeenRoot]>,
    },
    Subject(SeenSubject),
    Comment(SeenRoot),
}

impl OwnedCall {
    /// Returns the name of the kind of call.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Make => "create a subject",
            Self::SetState(_) => "set the state of a subject",
            Self::DeleteSubject => "delete a subject",
            Self::UndeleteSubject => "undelete a subject",
            Self::Root { .. } => "comment on an owned subject",
            Self::Delete { .. } | Self::Undelete { .. } => "delete or undelete below an owned subject",
            Self::Hide { .. } | Self::Unhide { .. } => "hide or unhide below an owned subject",
            Self::Pin { .. } => "pin or unpin",
            Self::List { .. } => "list an owned subject",
            Self::Subject { .. } => "read an owned subject",
            Self::Get { .. } => "read a comment of an owned subject",
        }
    }

    /// Returns `None` if the call writes, and otherwise true if it reads from the primary.
    pub(crate) fn reads(self) -> Option<bool> {
        if let Self::List { fresh } | Self::Subject { fresh } | Self::Get { fresh, .. } = self {
            return Some(fresh);
        }
        None
    }

    /// Returns the comment that the call names.
    pub(crate) fn comment(self) -> Option<i64> {
        match self {
            Self::Delete { comment, .. }
            | Self::Undelete { comment, .. }
            | Self::Hide { comment }
            | Self::Unhide { comment }
            | Self::Pin { comment, .. }
            | Self::Get { comment, .. } => Some(comment),
            Self::Make
            | Self::SetState(_)
            | Self::DeleteSubject
            | Self::UndeleteSubject
            | Self::Root { .. }
            | Self::List { .. }
            | Self::Subject { .. } => None,
        }
    }
}
