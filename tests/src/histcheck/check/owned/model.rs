//! A subject with an owner as the writes to it leave it.

use crate::histcheck::history::{OwnedCall, OwnedState, SeenSubject};

/// The most pins of a subject.
const PINS_MAX: usize = 3;

/// A subject with its roots and its pins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ModelSubject {
    state: OwnedState,
    is_deleted: bool,
    /// The roots in the order of their floors.
    roots: Vec<Root>,
    /// The pinned roots in the order in which they were pinned.
    pub(super) pins: Vec<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Root {
    id: i64,
    text: u64,
    state: RootState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RootState {
    Visible,
    Hidden,
    Deleted,
}

impl ModelSubject {
    /// Returns a subject as its creation leaves it.
    pub(super) fn new() -> Self {
        Self { state: OwnedState::Active, is_deleted: false, roots: Vec::new(), pins: Vec::new() }
    }

    fn root(&self, id: i64) -> Option<RootState> {
        self.roots.iter().find(|root| root.id == id).map(|root| root.state)
    }

    /// Returns true if lists may be shown.
    pub(super) fn is_listed(&self) -> bool {
        !self.is_deleted && self.state != OwnedState::Hidden
    }

    /// Returns the visible roots with their texts, in the order of their floors.
    pub(super) fn shown(&self) -> impl DoubleEndedIterator<Item = (i64, u64)> {
        self.roots.iter().filter(|root| root.state == RootState::Visible).map(|root| (root.id, root.text))
    }

    /// Returns the text with which a root is shown, 0 for none.
    pub(super) fn text(&self, id: i64) -> Option<u64> {
        let root = self.roots.iter().find(|root| root.id == id)?;
        Some(if root.state == RootState::Visible { root.text } else { 0 })
    }

    /// Returns true if a response shows the subject with its state and its count.
    pub(super) fn is_shown_as(&self, seen: SeenSubject) -> bool {
        (Some(self.state), self.is_deleted, self.shown().count() as i32) == (seen.state, seen.deleted, seen.roots)
    }

    /// Returns the reason for which the subject does not take writes.
    fn unwritable(&self) -> Option<&'static str> {
        match self.state {
            OwnedState::Active => None,
            OwnedState::Closed => Some("SUBJECT_READ_ONLY"),
            OwnedState::Hidden => Some("SUBJECT_HIDDEN"),
        }
    }

    /// Returns the reason for which a call is refused; `None` if it is executed.
    pub(super) fn rejection(&self, call: OwnedCall) -> Option<&'static str> {
        let root = call.comment().and_then(|id| self.root(id));
        if self.is_deleted {
            return match call {
                OwnedCall::UndeleteSubject | OwnedCall::Subject { .. } => None,
                OwnedCall::Make => Some("SUBJECT_ALREADY_EXISTS"),
                OwnedCall::Delete { .. }
                | OwnedCall::Undelete { .. }
                | OwnedCall::Hide { .. }
                | OwnedCall::Unhide { .. }
                | OwnedCall::Pin { .. }
                | OwnedCall::Get { .. } => Some("COMMENT_NOT_FOUND"),
                OwnedCall::SetState(_) | OwnedCall::DeleteSubject | OwnedCall::Root { .. } | OwnedCall::List { .. } => {
                    Some("SUBJECT_NOT_FOUND")
                }
            };
        }
        match call {
            OwnedCall::Make | OwnedCall::UndeleteSubject => Some("SUBJECT_ALREADY_EXISTS"),
            OwnedCall::SetState(_) | OwnedCall::DeleteSubject | OwnedCall::Subject { .. } => None,
            OwnedCall::List { .. } => self.unwritable().filter(|_| self.state == OwnedState::Hidden),
            OwnedCall::Root { .. } => self.unwritable(),
            OwnedCall::Get { .. } => root.is_none().then_some("COMMENT_NOT_FOUND"),
            OwnedCall::Undelete { .. } => match root {
                None => Some("COMMENT_NOT_FOUND"),
                Some(RootState::Visible | RootState::Hidden) => Some("COMMENT_ALREADY_EXISTS"),
                Some(RootState::Deleted) => self.unwritable(),
            },
            _below if matches!(root, None | Some(RootState::Deleted)) => Some("COMMENT_NOT_FOUND"),
            OwnedCall::Delete { .. } => self.unwritable(),
            OwnedCall::Hide { .. } => (root == Some(RootState::Hidden)).then_some("STATE_CONFLICT"),
            OwnedCall::Unhide { .. } => (root == Some(RootState::Visible)).then_some("STATE_CONFLICT"),
            OwnedCall::Pin { comment, pinned, by_owner } => {
                let unwritable = self.unwritable().filter(|_| by_owner);
                let conflict = || (pinned && root == Some(RootState::Hidden)).then_some("STATE_CONFLICT");
                let is_full = || pinned && self.pins.len() >= PINS_MAX && !self.pins.contains(&comment);
                unwritable.or_else(conflict).or_else(|| is_full().then_some("PIN_LIMIT_REACHED"))
            }
        }
    }

    /// Applies a write that is executed. `made` is the root that it created.
    pub(super) fn apply(&mut self, call: OwnedCall, made: i64) {
        match call {
            OwnedCall::SetState(state) => self.state = state,
            OwnedCall::DeleteSubject => self.is_deleted = true,
            OwnedCall::UndeleteSubject => self.is_deleted = false,
            OwnedCall::Root { text, .. } => self.roots.push(Root { id: made, text, state: RootState::Visible }),
            OwnedCall::Delete { comment, .. } => self.set(comment, RootState::Deleted),
            OwnedCall::Hide { comment } => self.set(comment, RootState::Hidden),
            OwnedCall::Undelete { comment, .. } | OwnedCall::Unhide { comment } => {
                self.set(comment, RootState::Visible);
            }
            OwnedCall::Pin { comment, pinned: true, .. } if !self.pins.contains(&comment) => self.pins.push(comment),
            OwnedCall::Pin { comment, pinned: false, .. } => self.pins.retain(|pin| *pin != comment),
            OwnedCall::Pin { .. }
            | OwnedCall::Make
            | OwnedCall::List { .. }
            | OwnedCall::Subject { .. }
            | OwnedCall::Get { .. } => {}
        }
    }

    fn set(&mut self, id: i64, state: RootState) {
        self.roots.iter_mut().filter(|root| root.id == id).for_each(|root| root.state = state);
        if state != RootState::Visible {
            self.pins.retain(|pin| *pin != id);
        }
    }
}
