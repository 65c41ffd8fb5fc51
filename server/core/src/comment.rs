//! Comments, root or reply: the row, and the view that readers get.

use crate::content::Content;
use crate::ids::{CommentId, SubjectId};
use crate::member::MemberId;
use crate::path::Path;
use crate::state::CommentState;
use crate::subject::SubjectKey;
use crate::time::Millis;

/// Who deleted a comment.
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
    /// The stored code: fixed for ever.
    #[must_use]
    pub const fn code(self) -> i8 {
        match self {
            Self::Author => 1,
            Self::SubjectOwner => 2,
            Self::Moderator => 3,
        }
    }

    /// The value of a stored code; 0 and unknown codes are `None`.
    #[must_use]
    pub fn from_code(code: i8) -> Option<Self> {
        [Self::Author, Self::SubjectOwner, Self::Moderator].into_iter().find(|d| d.code() == code)
    }
}

/// The index row of a comment, without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Its id.
    pub id: CommentId,
    /// The subject it belongs to.
    pub subject_id: SubjectId,
    /// The root of its thread; `None` on a root.
    pub root_id: Option<CommentId>,
    /// The comment it answers; kept where a depth cap attached the row higher up. `None` where it answers none.
    pub parent_id: Option<CommentId>,
    /// Its place in the thread.
    pub path: Path,
    /// Dense, unique and in commit order among the roots of the subject, or among the replies of its root.
    pub floor: i32,
    /// On a root: the next reply's floor. An allocator, never a count. 1 on replies.
    pub next_floor: i32,
    /// The author.
    pub member: MemberId,
    /// Where it stands.
    pub state: CommentState,
    /// The state that an undelete returns to; equal to `state` unless deleted.
    pub prior_state: CommentState,
    /// Who deleted it; `None` unless deleted.
    pub deleted_by: Option<DeletedBy>,
    /// Members whose value is LIKE.
    pub like_count: i32,
    /// Members whose value is DISLIKE.
    pub dislike_count: i32,
    /// On a root: visible replies at any depth. On a reply: visible direct answers.
    pub reply_count: i32,
    /// Visible comments below it along the path.
    pub live_below: i32,
    /// Whether lists show it: visible, or a tombstone above something visible.
    pub listed: bool,
    /// Its own commit number: content, state and likes.
    pub revision: i64,
    /// The number of its content and state, the base of its etag; likes never move it.
    pub version: i64,
    /// The subject's revision that it was born with.
    pub born_revision: i64,
    /// When it was written.
    pub create_time: Millis,
    /// When content or state last changed.
    pub update_time: Millis,
    /// When its content was last edited; `None` if never.
    pub edit_time: Option<Millis>,
    /// When it was deleted; `None` unless deleted.
    pub delete_time: Option<Millis>,
}

impl Comment {
    /// Whether it stands at the top of a thread.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.root_id.is_none()
    }

    /// The id of the thread's root: its own on a root.
    #[must_use]
    pub fn thread_id(&self) -> CommentId {
        self.root_id.unwrap_or(self.id)
    }

    /// The opaque version of content and state.
    #[must_use]
    pub fn etag(&self) -> String {
        format!("{:x}.{:x}", self.id.get(), self.version)
    }

    /// The rule of listing, applied after every change of state or of `live_below`.
    pub(crate) fn relist(&mut self) {
        self.listed = self.state.is_visible() || self.live_below > 0;
    }
}

/// A comment as readers get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentView {
    /// The row.
    pub comment: Comment,
    /// The subject's key.
    pub subject: SubjectKey,
    /// The content; `None` where the reader may not see it.
    pub content: Option<Content>,
    /// Whether it is pinned in its subject.
    pub pinned: bool,
}

impl CommentView {
    /// The view of a reader who is `viewer`, or nobody in particular: content of a comment that is not visible stays
    /// only for its author, and only in the states that an author may see.
    #[must_use]
    pub fn seen_by(mut self, viewer: Option<&MemberId>) -> Self {
        let own = viewer.is_some_and(|v| *v == self.comment.member);
        let shows = match self.comment.state {
            CommentState::Active => true,
            CommentState::Pending | CommentState::Rejected | CommentState::Shadowed => own,
            CommentState::Hidden | CommentState::Deleted => false,
        };
        if !shows {
            self.content = None;
        }
        self
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
