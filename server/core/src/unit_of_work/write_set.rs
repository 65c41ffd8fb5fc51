//! What a batch has to write, as names of rows in the world.

use std::collections::{BTreeMap, BTreeSet};

use crate::change::ImportOrigin;
use crate::comment::Comment;
use crate::content::{ClientInfo, Content};
use crate::event::Changes;
use crate::ids::{CommentId, SubjectId};
use crate::member::MemberId;
use crate::request::{IdempotencyKey, RequestIdentity};
use crate::subject::{Subject, SubjectKey};
use crate::time::Millis;
use crate::unit_of_work::IdempotencyRecord;

/// What a comment said before an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentEdit {
    /// The comment.
    pub comment_id: CommentId,
    /// The comment's version when the former content was replaced.
    pub version: i64,
    /// The former content.
    pub content: Content,
    /// Since when it had stood.
    pub time: Millis,
}

/// The rows that changed. A row is in exactly one of the new and the changed lists.
#[derive(Debug, Default)]
pub struct WriteSet {
    /// Subjects to insert.
    pub new_subjects: BTreeSet<SubjectKey>,
    /// Subjects to update, as they were before.
    pub subjects: BTreeMap<SubjectKey, Subject>,
    /// Comments to insert with their content, and the requests that made them.
    pub new_comments: BTreeMap<CommentId, RequestIdentity>,
    /// Comments to update, as they were before.
    pub comments: BTreeMap<CommentId, Comment>,
    /// Contents to update (those of new comments are not among them).
    pub contents: BTreeSet<CommentId>,
    /// Former contents to keep.
    pub edits: Vec<ContentEdit>,
    /// Client facts to insert.
    pub clients: BTreeMap<CommentId, ClientInfo>,
    /// Origins to insert.
    pub origins: BTreeMap<CommentId, ImportOrigin>,
    /// Likes to upsert.
    pub likes: BTreeSet<(CommentId, MemberId)>,
    /// Request keys to insert, for every verb that does not carry its key on a new comment.
    pub requests: Vec<(SubjectId, IdempotencyKey, IdempotencyRecord)>,
    /// What to tell the world outside, one event for each subject.
    pub events: BTreeMap<SubjectKey, Changes>,
    /// Subjects whose revision this batch has moved: at most once each.
    pub(crate) revised: BTreeSet<SubjectKey>,
}
