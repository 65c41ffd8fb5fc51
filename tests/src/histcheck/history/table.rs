//! The rows of the databases as they lie there when all is over, read past the service.

use serde::{Deserialize, Serialize};

/// A table of one data source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Table {
    /// The data source, from 0 on.
    pub(crate) source: u8,
    /// The number that ends its name: 0 where there is one of its kind alone.
    pub(crate) number: u16,
    pub(crate) rows: Rows,
}

/// The rows of a table, by what they are of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Rows {
    Subjects(Vec<SubjectRow>),
    Comments(Vec<CommentRow>),
    Contents(Vec<ContentRow>),
    Likes(Vec<LikeRow>),
}

/// A subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SubjectRow {
    pub(crate) id: i64,
    /// The partition that the row carries, as all others do.
    pub(crate) part: i64,
    /// By its key; `u32::MAX` for one that no run uses.
    pub(crate) subject: u32,
    pub(crate) next_floor: i32,
    pub(crate) roots: i32,
    pub(crate) comments: i32,
    pub(crate) revision: i64,
}

/// A comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommentRow {
    pub(crate) id: i64,
    pub(crate) part: i64,
    pub(crate) subject_id: i64,
    /// 0 for a root, as the parent.
    pub(crate) root: i64,
    pub(crate) parent: i64,
    pub(crate) floor: i32,
    pub(crate) next_floor: i32,
    pub(crate) member: u32,
    /// The code of its state.
    pub(crate) state: i8,
    /// 1 where lists have it: it is visible, or stands above something visible.
    pub(crate) listed: i8,
    pub(crate) likes: i32,
    pub(crate) dislikes: i32,
    pub(crate) replies: i32,
    pub(crate) revision: i64,
}

/// What a comment says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ContentRow {
    pub(crate) comment: i64,
    pub(crate) part: i64,
    /// The subject that it was written for, and the number that marks it.
    pub(crate) marked: u32,
    pub(crate) text: u64,
}

/// What a member says of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LikeRow {
    pub(crate) subject_id: i64,
    pub(crate) comment: i64,
    pub(crate) part: i64,
    pub(crate) member: u32,
    /// The code of the value; 0 for none.
    pub(crate) value: i8,
}

impl CommentRow {
    /// The code of the state in which a comment is visible, and of that in which it is deleted.
    pub(crate) const VISIBLE: i8 = 1;
    pub(crate) const DELETED: i8 = 6;
}
