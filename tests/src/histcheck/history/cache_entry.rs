//! The data in Redis at the end of a run, with one entry for each key and for each text.

use serde::{Deserialize, Serialize};

use super::table::{CommentRow, ContentRow};

/// A decoded key of Redis. Each key belongs to a partition; incarnations and generations are opaque
/// strings that are only compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum CacheEntry {
    /// The generation of a partition; entries of another generation are not served.
    Generation { part: i64, generation: String },
    /// The id of the subject with a key; 0 if the subject does not exist.
    SubjectId { subject: u32, id: i64 },
    /// A subject entry; lists and comments of its incarnation belong to it.
    Subject { part: i64, id: i64, incarnation: String, generation: String, row: Option<CachedSubject> },
    /// A comment and its content.
    Comment { incarnation: String, row: CommentRow, content: ContentRow },
    /// A list by floor: roots of a subject or replies of a root. It is complete between its two
    /// floors.
    List { owner: ListOwner, incarnation: String, low: i32, high: i32, members: Vec<(i32, i64)> },
    /// Candidates for the reply preview of a root.
    Candidates { root: i64, incarnation: String, members: Vec<(i32, i64)> },
    /// The like states of a member for comments of a subject; comments that are not listed have
    /// none.
    LikeStates { part: i64, subject: u32, member: u32, generation: String, values: Vec<(i64, i8)> },
    /// A text of the run that some key contains: the name of the first such key, the subject that
    /// the text was written for, and its number.
    Text { key: String, text_subject: u32, text: u64 },
    /// A key of unknown form, or a key of a known form with an unreadable value.
    Unknown { description: String },
}

/// The subject row in a served subject entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CachedSubject {
    pub(crate) subject: u32,
    pub(crate) roots: i32,
    pub(crate) comments: i32,
    pub(crate) revision: i64,
}

/// The owner of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ListOwner {
    Subject(i64),
    Root(i64),
}
