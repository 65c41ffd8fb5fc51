//! Comments, both roots and replies: the row, and the view that readers get.

use crate::domain::content::Content;
use crate::domain::counts::CommentCounts;
use crate::domain::ids::{CommentId, SubjectId};
use crate::domain::lifecycle::Lifecycle;
use crate::domain::member::MemberId;
use crate::domain::path::Path;
use crate::domain::review::Review;
use crate::domain::state::{Audience, CommentState};
use crate::domain::subject::SubjectKey;
use crate::domain::time::Millis;

/// The index row of a comment, without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// The facts that never change.
    pub reference: CommentRef,
    /// On a root: the floor of the next reply. This is an allocator, never a count. 1 on replies.
    pub next_floor: i32,
    /// The counts.
    pub counts: CommentCounts,
    /// The state, with the versions and times that changes of state and content move.
    pub lifecycle: Lifecycle,
}

/// The facts about a comment that never change after its creation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommentRef {
    /// Its id.
    pub id: CommentId,
    /// The subject it belongs to.
    pub subject_id: SubjectId,
    /// The root of its thread; `None` on a root.
    pub root_id: Option<CommentId>,
    /// The comment that this one replies to, also if a depth cap has attached the row higher up.
    /// `None` if the comment replies to none.
    pub parent_id: Option<CommentId>,
    /// Its path, which is its position in the thread.
    pub path: Path,
    /// Dense, unique and in commit order among the roots of the subject, or among the replies of
    /// its root.
    pub floor: i32,
    /// The author.
    pub member: MemberId,
    /// The subject's revision in which the comment was created.
    pub born_revision: i64,
    /// The time of creation.
    pub create_time: Millis,
}

impl CommentRef {
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
}

impl Comment {
    /// Creates a visible comment without likes and replies.
    #[must_use]
    pub fn new(reference: CommentRef) -> Self {
        let lifecycle = Lifecycle::new(reference.create_time);
        Self { reference, next_floor: 1, counts: CommentCounts::ZERO, lifecycle }
    }

    /// Returns `true` if the comment is a root.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.reference.is_root()
    }

    /// The id of the thread's root; for a root its own id.
    #[must_use]
    pub fn thread_id(&self) -> CommentId {
        self.reference.thread_id()
    }

    /// The etag: the opaque version of content and state.
    #[must_use]
    pub fn etag(&self) -> String {
        format!("{:x}.{:x}", self.reference.id.get(), self.lifecycle.version)
    }

    /// Returns the version that an etag of the comment `id` names; `None` for any other text.
    #[must_use]
    pub fn version_of(id: CommentId, etag: &str) -> Option<i64> {
        let version = etag.strip_prefix(&format!("{:x}.", id.get()))?;
        let is_written = version.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        i64::from_str_radix(version, 16).ok().filter(|_| is_written)
    }

    /// Returns the state that answers and errors show `viewer`, or an unidentified reader.
    #[must_use]
    pub fn state_for(&self, viewer: Option<&MemberId>) -> CommentState {
        self.lifecycle.state.shown_to(viewer.is_some_and(|viewer| *viewer == self.reference.member))
    }

    /// Returns `true` if no list shows the comment and it may be one that was never visible. Its
    /// review says whether it was.
    #[must_use]
    pub fn may_be_unpublished(&self) -> bool {
        !self.lifecycle.listed && self.lifecycle.prior_state.may_be_unpublished()
    }

    /// Recomputes `listed`; called after every change of the state or of `live_below`.
    pub(crate) fn relist(&mut self) {
        self.lifecycle.listed = self.lifecycle.state.is_visible() || self.counts.live_below > 0;
    }
}

/// Returns the etag of the review of a comment: the opaque version of text, state and decisions. A
/// verdict names the etag of what was read.
#[must_use]
pub fn review_etag(comment: &Comment, review: Option<&Review>) -> String {
    format!("{}.{:x}", comment.etag(), review.map_or(0, |review| review.decisions))
}

/// Returns the etag of the proposed edit that waits: its opaque number, with that of the decisions;
/// empty if none waits.
#[must_use]
pub fn proposal_etag(comment: &Comment, review: Option<&Review>) -> String {
    let review = review.filter(|review| !review.is_closed);
    let waiting = review.and_then(|review| Some((review.waiting_proposal()?, review.decisions)));
    waiting.map_or_else(String::new, |(number, decisions)| {
        format!("{:x}.p{number:x}.{decisions:x}", comment.reference.id.get())
    })
}

/// Returns `true` if an etag names a proposed edit, and not the text of its comment.
#[must_use]
pub fn names_proposal(etag: &str) -> bool {
    etag.split('.').nth(1).is_some_and(|version| version.starts_with('p'))
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
    /// The view for the reader `viewer`, or for an unidentified reader. Content and state of a
    /// comment that is not visible remain only for its author, and only in the states whose content
    /// an author may see; for other readers such a comment is hidden.
    #[must_use]
    pub fn seen_by(mut self, viewer: Option<&MemberId>) -> Self {
        let state = self.comment.lifecycle.state;
        let is_author = viewer.is_some_and(|viewer| *viewer == self.comment.reference.member);
        let is_visible = match state.audience() {
            Audience::Everyone => true,
            Audience::Author => is_author,
            Audience::None => false,
        };
        self.comment.lifecycle.state = state.shown_to(is_author);
        if !is_visible {
            self.content = None;
        }
        self
    }
}
