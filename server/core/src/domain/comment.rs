//! Comments, both roots and replies: the row, and the view that readers get.

use crate::domain::content::Content;
use crate::domain::ids::{CommentId, SubjectId};
use crate::domain::member::MemberId;
use crate::domain::path::Path;
use crate::domain::state::CommentState;
use crate::domain::subject::SubjectKey;
use crate::domain::time::Millis;

/// The role of the person who deleted a comment.
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

/// The index row of a comment, without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Its id.
    pub id: CommentId,
    /// The subject it belongs to.
    pub subject_id: SubjectId,
    /// The root of its thread; `None` on a root.
    pub root_id: Option<CommentId>,
    /// The comment that this one replies to. It is kept where a depth cap attached the row higher
    /// up. `None` if the comment replies to none.
    pub parent_id: Option<CommentId>,
    /// Its path, which is its position in the thread.
    pub path: Path,
    /// Dense, unique and in commit order among the roots of the subject, or among the replies of
    /// its root.
    pub floor: i32,
    /// On a root: the floor of the next reply. This is an allocator, never a count. 1 on replies.
    pub next_floor: i32,
    /// The author.
    pub member: MemberId,
    /// The state.
    pub state: CommentState,
    /// The state that an undelete restores; equal to `state` unless the comment is deleted.
    pub prior_state: CommentState,
    /// The role of the deleter; `None` unless deleted.
    pub deleted_by: Option<DeletedBy>,
    /// The number of members whose value is LIKE.
    pub like_count: i32,
    /// The number of members whose value is DISLIKE.
    pub dislike_count: i32,
    /// On a root: the number of visible replies at any depth. On a reply: the number of visible
    /// direct replies.
    pub reply_count: i32,
    /// The number of visible comments below it along the path.
    pub live_below: i32,
    /// `true` if lists show the comment: it is visible, or a tombstone above a visible comment.
    pub listed: bool,
    /// The revision of the comment itself; changes of content, state and likes move it.
    pub revision: i64,
    /// The version of its content and state, from which its etag is made; likes never move it.
    pub version: i64,
    /// The subject's revision in which the comment was created.
    pub born_revision: i64,
    /// The time of creation.
    pub create_time: Millis,
    /// The time of the last change of content or state.
    pub update_time: Millis,
    /// The time of the last edit; `None` if the content was never edited.
    pub edit_time: Option<Millis>,
    /// The time of deletion; `None` unless deleted.
    pub delete_time: Option<Millis>,
}

impl Comment {
    /// Returns `true` if the comment is a root.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.root_id.is_none()
    }

    /// The id of the thread's root; for a root its own id.
    #[must_use]
    pub fn thread_id(&self) -> CommentId {
        self.root_id.unwrap_or(self.id)
    }

    /// The etag: the opaque version of content and state.
    #[must_use]
    pub fn etag(&self) -> String {
        format!("{:x}.{:x}", self.id.get(), self.version)
    }

    /// Recomputes `listed`; called after every change of the state or of `live_below`.
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
    /// The content; `None` if the reader may not see it.
    pub content: Option<Content>,
    /// `true` if the comment is pinned in its subject.
    pub pinned: bool,
}

impl CommentView {
    /// The view for the reader `viewer`, or for an unidentified reader. The content of a comment
    /// that is not visible remains only for its author, and only in the states whose content an
    /// author may see.
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
