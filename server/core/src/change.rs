//! What a command changes, as facts that a world applies and a store commits.

use crate::comment::{Comment, DeletedBy};
use crate::content::{ClientInfo, Content};
use crate::ids::CommentId;
use crate::like::Like;
use crate::state::CommentState;
use crate::subject::Subject;

/// One fact. Counts are never part of one: they follow from it by [`CommentState::delta`] and
/// [`LikeValue::delta`](crate::LikeValue::delta).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A new subject.
    CreateSubject(Subject),
    /// Owner, state, metadata, pins or deletion of a subject are now as given; its counts stay.
    ReplaceSubject(Subject),
    /// A new comment, with counts of its own still zero.
    InsertComment(Box<NewComment>),
    /// A comment moved to another state.
    SetState(StateChange),
    /// A comment says something else; what it said goes to its history.
    SetContent(CommentId, Content),
    /// A member's value of a comment is now as given.
    SetLike(Like),
}

/// A comment with everything that is written with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewComment {
    /// The index row.
    pub comment: Comment,
    /// The content row.
    pub content: Content,
    /// Client facts, if any.
    pub client: ClientInfo,
    /// Where it was imported from; `None` for one written here.
    pub origin: Option<ImportOrigin>,
}

/// A transition of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateChange {
    /// Which comment.
    pub comment_id: CommentId,
    /// Where it goes.
    pub to: CommentState,
    /// By whom, where it is deleted.
    pub deleted_by: Option<DeletedBy>,
}

/// Where an imported comment came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOrigin {
    /// The name of the source: 1–64 bytes.
    pub source: String,
    /// The id there: 1–128 bytes.
    pub external_id: String,
}
