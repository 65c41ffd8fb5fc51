//! The part of a comment that changes with its state and content.

use crate::domain::state::{Audience, CommentState};
use crate::domain::time::Millis;

/// The role in which a comment was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeletedBy {
    /// Its author.
    Author,
    /// The owner of the subject.
    SubjectOwner,
    /// A moderator.
    Moderator,
}

impl DeletedBy {
    /// The stored code. It never changes.
    #[must_use]
    pub const fn code(self) -> i8 {
        match self {
            Self::Author => 1,
            Self::SubjectOwner => 2,
            Self::Moderator => 3,
        }
    }

    /// Returns the value of a stored code; `None` for 0 and for unknown codes.
    #[must_use]
    pub fn from_code(code: i8) -> Option<Self> {
        [Self::Author, Self::SubjectOwner, Self::Moderator].into_iter().find(|d| d.code() == code)
    }
}

/// The state of a comment, with the versions and times that changes of state and content move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifecycle {
    /// The state.
    pub state: CommentState,
    /// The state that an undelete restores; equal to `state` unless the comment is deleted.
    pub prior_state: CommentState,
    /// The role of the deleter; `None` unless deleted.
    pub deleted_by: Option<DeletedBy>,
    /// `true` if lists show the comment: it is visible, or a tombstone above a visible comment.
    pub listed: bool,
    /// The revision of the comment itself; changes of content, state and counts move it.
    pub revision: i64,
    /// The version of its content and state, from which its etag is made; likes never move it.
    pub version: i64,
    /// The time of the last change of content or state.
    pub update_time: Millis,
    /// The time of the last edit; `None` if the content was never edited.
    pub edit_time: Option<Millis>,
    /// The time of deletion; `None` unless deleted.
    pub delete_time: Option<Millis>,
}

impl Lifecycle {
    /// The lifecycle of a visible comment at its creation.
    #[must_use]
    pub const fn new(create_time: Millis) -> Self {
        Self {
            state: CommentState::Active,
            prior_state: CommentState::Active,
            deleted_by: None,
            listed: true,
            revision: 1,
            version: 1,
            update_time: create_time,
            edit_time: None,
            delete_time: None,
        }
    }

    /// Returns `true` if readers of the comment see different things: its author sees the content,
    /// or would see it if the comment were not deleted. All readers see the same of any other.
    #[must_use]
    pub const fn depends_on_reader(&self) -> bool {
        // While the comment is not deleted, both states are the same.
        matches!(self.state.audience(), Audience::Author)
            || matches!(self.state, CommentState::Deleted) && matches!(self.prior_state.audience(), Audience::Author)
    }

    /// Sets the state of a new comment that was not deleted.
    pub(crate) fn start_in(&mut self, state: CommentState) {
        (self.state, self.prior_state) = (state, state);
        self.listed = state.is_visible();
    }
}

#[cfg(test)]
mod tests {
    use super::DeletedBy;

    #[test]
    fn codes_are_fixed_for_ever() {
        let known = [(1, DeletedBy::Author), (2, DeletedBy::SubjectOwner), (3, DeletedBy::Moderator)];
        assert_eq!(known.map(|(code, _)| DeletedBy::from_code(code)), known.map(|(_, by)| Some(by)));
        assert_eq!(known.map(|(_, by)| by.code()), known.map(|(code, _)| code));
        assert_eq!([-1, 0, 4].map(DeletedBy::from_code), [None; 3]);
    }
}
