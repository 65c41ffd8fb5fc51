//! The rows of the databases at the end of a run, read directly by SQL.

use serde::{Deserialize, Serialize};

/// A table of one data source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Table {
    /// The data source, from 0 on.
    pub(crate) source: u8,
    /// The number at the end of its name; 0 if it is the only table of its kind.
    pub(crate) number: u16,
    pub(crate) rows: Rows,
}

/// The rows of a table, by their kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Rows {
    Subjects(Vec<SubjectRow>),
    Comments(Vec<CommentRow>),
    Contents(Vec<ContentRow>),
    Likes(Vec<LikeRow>),
    Reviews(Vec<ReviewRow>),
    Decisions(Vec<DecisionRow>),
    Proposals(Vec<ProposalRow>),
    Reports(Vec<ReportRow>),
}

/// A subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SubjectRow {
    pub(crate) id: i64,
    /// The partition stored in the row, as in all other rows.
    pub(crate) part: i64,
    /// The number of the subject, from its key; `u32::MAX` for a key that no run uses.
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
    /// 0 for a root, as is the parent.
    pub(crate) root: i64,
    pub(crate) parent: i64,
    pub(crate) floor: i32,
    pub(crate) next_floor: i32,
    pub(crate) member: u32,
    /// The code of its state.
    pub(crate) state: i8,
    /// 1 if lists contain it: it is visible, or has a visible descendant.
    pub(crate) listed: i8,
    pub(crate) likes: i32,
    pub(crate) dislikes: i32,
    pub(crate) replies: i32,
    pub(crate) revision: i64,
}

/// The content of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ContentRow {
    pub(crate) comment: i64,
    pub(crate) part: i64,
    /// The subject that its text was written for.
    pub(crate) text_subject: u32,
    /// The number of its text.
    pub(crate) text: u64,
}

/// A member's value of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LikeRow {
    pub(crate) subject_id: i64,
    pub(crate) comment: i64,
    pub(crate) part: i64,
    pub(crate) member: u32,
    /// The code of the value; 0 for none.
    pub(crate) value: i8,
}

/// The review of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReviewRow {
    pub(crate) comment: i64,
    /// 1 while it was never in sight.
    pub(crate) never_public: i8,
    /// 1 if a question is open.
    pub(crate) is_open: i8,
    /// The open questions; 1 is the text, 2 a proposed edit.
    pub(crate) questions: i8,
    /// The number of decisions.
    pub(crate) decisions: i32,
    /// The number of the last proposed edit.
    pub(crate) proposal: i32,
    /// The time in milliseconds at which it is due; 0 if nothing is open.
    pub(crate) due: i64,
}

/// A proposed edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProposalRow {
    pub(crate) comment: i64,
    pub(crate) number: i32,
    /// The number of its text.
    pub(crate) text: u64,
    pub(crate) state: i8,
}

/// The report of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReportRow {
    pub(crate) comment: i64,
    /// The reporter; `u8::MAX` for another name.
    pub(crate) reporter: u8,
    /// The number of decisions on the comment at that time.
    pub(crate) decisions: i32,
    /// 1 if a moderator had judged the version before.
    pub(crate) settled: i8,
}

/// A decision on a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DecisionRow {
    pub(crate) comment: i64,
    pub(crate) number: i32,
    pub(crate) act: i32,
    /// The number of the proposed edit that was judged; 0 is the text.
    pub(crate) proposal: i32,
    pub(crate) from: i8,
    pub(crate) to: i8,
    /// The revision of the subject that it made; 0 if it made none.
    pub(crate) revision: i64,
    /// The moderator, or the member that made an appeal; `u32::MAX` for another name.
    pub(crate) actor: u32,
    /// The number of the decision that an appeal contests, or whose appeal the decision settles; 0
    /// if neither.
    pub(crate) contested: i32,
}

impl CommentRow {
    /// The codes of the states in which a comment is visible, hidden, and deleted.
    pub(crate) const VISIBLE: i8 = 1;
    pub(crate) const HIDDEN: i8 = 4;
    pub(crate) const DELETED: i8 = 6;
}
