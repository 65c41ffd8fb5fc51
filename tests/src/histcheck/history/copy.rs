//! The data in Redis at the end of a run, a record for each key.

use serde::{Deserialize, Serialize};

use super::table::{CommentRow, ContentRow};

/// A decoded key of Redis. Each key belongs to a partition; incarnations and generations are opaque
/// words that are only compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Copy {
    /// The generation of a partition; entries of another generation are not served.
    Generation { part: i64, generation: String },
    /// The id of the subject with a key; 0 if the subject does not exist.
    Name { subject: u32, id: i64 },
    /// A subject entry; lists and comments of its incarnation belong to it.
    Block { part: i64, id: i64, born: String, generation: String, row: Option<BlockRow> },
    /// A comment and its content.
    Comment { born: String, row: CommentRow, says: ContentRow },
    /// A list by floor: roots of a subject or replies of a root. It is complete between its two
    /// floors.
    List { owner: Owner, born: String, low: i32, high: i32, members: Vec<(i32, i64)> },
    /// Candidates for the reply preview of a root.
    Choice { root: i64, born: String, members: Vec<(i32, i64)> },
    /// The like states of a member for comments of a subject; comments that are not listed have
    /// none.
    States { part: i64, subject: u32, member: u32, generation: String, values: Vec<(i64, i8)> },
    /// A key of a known form with an unreadable value, or a key of no known form.
    Odd { what: String },
}

/// The subject row in a served subject entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BlockRow {
    pub(crate) subject: u32,
    pub(crate) roots: i32,
    pub(crate) comments: i32,
    pub(crate) revision: i64,
}

/// The owner of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Owner {
    Subject(i64),
    Root(i64),
}
