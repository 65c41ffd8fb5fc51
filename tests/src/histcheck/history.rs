//! What was asked of the service, what it answered, and which faults struck meanwhile: one append-only history.
//!
//! An operation is one attempt of one call. A repeat under the same request id is another operation, so that the
//! checker sees each answer. Everything is kept in small numbers: subjects and members go by their number, texts by
//! the number that marks them (see [`super::names`]), times in nanoseconds since the run began, by one clock.

mod copy;
mod file;
mod op;
mod say;
mod table;

pub(crate) use copy::{BlockRow, Copy, Owner};
pub(crate) use file::{Recorder, read};
pub(crate) use op::{
    Call, Counts, How, Item, Liked, Misuse, Nanos, Op, Outcome, PageOf, Place, RequestId, Shown, Sort, THREAD, TOLD,
    Told, USUAL, Value, View, Which, Written,
};
pub(crate) use table::{CommentRow, ContentRow, LikeRow, Rows, SubjectRow, Table};

/// A fault that was injected.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Fault {
    /// What was done.
    pub(crate) kind: String,
    /// To whom.
    pub(crate) target: String,
    pub(crate) begun: Nanos,
    /// When it was over: whoever was hurt runs again.
    pub(crate) ended: Nanos,
}

/// An error in the log of a server.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Alarm {
    /// When it was heard.
    pub(crate) at: Nanos,
    /// The line.
    pub(crate) said: String,
}

/// A whole run.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// What the run was made from.
    pub(crate) seed: u64,
    /// The command that runs the same again.
    pub(crate) again: String,
    /// In the order of their ends.
    pub(crate) ops: Vec<Op>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) alarms: Vec<Alarm>,
    /// The databases when all was over; none where the run did not come so far.
    pub(crate) tables: Vec<Table>,
    /// Redis, then.
    pub(crate) copies: Vec<Copy>,
}
