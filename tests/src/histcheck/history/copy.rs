//! What lies in Redis when all is over, a record for each key.

use serde::{Deserialize, Serialize};

use super::table::{CommentRow, ContentRow};

/// A key of Redis, decoded. All are of a partition; incarnations and generations are words that are only compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Copy {
    /// The generation of a partition: what is of another answers nobody.
    Generation { part: i64, generation: String },
    /// Which subject bears a key; 0: none does.
    Name { subject: u32, id: i64 },
    /// The block of a subject, to which lists and comments of its incarnation belong.
    Block { part: i64, id: i64, born: String, generation: String, row: Option<BlockRow> },
    /// A comment and what it says.
    Comment { born: String, row: CommentRow, says: ContentRow },
    /// Roots of a subject, or replies of a root, by floor: between two floors all of them.
    List { owner: Owner, born: String, low: i32, high: i32, members: Vec<(i32, i64)> },
    /// Replies that the preview of a root is chosen from.
    Choice { root: i64, born: String, members: Vec<(i32, i64)> },
    /// What a member says of comments of a subject; of none of the others anything.
    States { part: i64, subject: u32, member: u32, generation: String, values: Vec<(i64, i8)> },
    /// A key of a known form with what cannot be read, or of no known form.
    Odd { what: String },
}

/// What a block that answers tells of its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct BlockRow {
    pub(crate) subject: u32,
    pub(crate) roots: i32,
    pub(crate) comments: i32,
    pub(crate) revision: i64,
}

/// Whose list it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Owner {
    Subject(i64),
    Root(i64),
}
