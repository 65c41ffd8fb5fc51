//! What was asked and what was answered.

use std::fmt;
use std::time::Duration;

use riposte_sdk::v1::LikeValue;

/// The member whose likes every client sets, so that their order is contested.
pub(super) const EVERYBODY: &str = "everybody";

/// What one call asks for. Subjects go by their place in [`super::ground`], comments by their id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Act {
    /// A root comment.
    Root { subject: usize, member: String, text: String },
    /// A reply to a comment.
    Reply { parent: i64, member: String, text: String },
    /// A member's value of a comment.
    Like { comment: i64, member: String, value: LikeValue },
    /// The end of a comment, by its author.
    Delete { comment: i64, member: String },
    /// The return of a comment, by its author.
    Undelete { comment: i64, member: String },
    /// Another text of a comment, by its author.
    Edit { comment: i64, member: String, text: String },
}

/// What every answer of one request must say again. Zero where an answer does not tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Answer {
    /// The comment.
    pub(super) id: i64,
    /// Its root; 0 for a root.
    pub(super) root: i64,
    /// Its floor.
    pub(super) floor: i32,
    /// The revision of the subject that the request made.
    pub(super) revision: i64,
}

/// What is known of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Answered: it holds, whatever dies afterwards.
    Acknowledged(Answer),
    /// Refused at every attempt, with the word that nothing was done; by this reason.
    Refused(String),
    /// It may have happened, now or later, or not at all; the words of the last attempt that told nothing.
    Unknown(String),
}

/// One operation of the history. Times count from the start of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Op {
    /// Who asked. A client asks one thing at a time.
    pub(super) client: usize,
    pub(super) act: Act,
    pub(super) request_id: String,
    /// Before the first attempt was sent.
    pub(super) begun: Duration,
    /// After the last attempt ended.
    pub(super) ended: Duration,
    pub(super) attempts: u32,
    pub(super) outcome: Outcome,
}

impl Act {
    /// Author and text of what the act would make; `None` when it makes no comment.
    pub(super) fn makes(&self) -> Option<(&str, &str)> {
        match self {
            Self::Root { member, text, .. } | Self::Reply { member, text, .. } => Some((member, text)),
            Self::Like { .. } | Self::Delete { .. } | Self::Undelete { .. } | Self::Edit { .. } => None,
        }
    }
}

impl Op {
    /// The answer, if there was one.
    pub(super) fn answer(&self) -> Option<&Answer> {
        match &self.outcome {
            Outcome::Acknowledged(answer) => Some(answer),
            Outcome::Refused(_) | Outcome::Unknown(_) => None,
        }
    }

    /// Whether it surely did nothing.
    pub(super) fn was_refused(&self) -> bool {
        matches!(self.outcome, Outcome::Refused(_))
    }
}

/// The line that a report shows.
impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { client, act, request_id, begun, ended, attempts, outcome } = self;
        let (begun, ended) = (begun.as_secs_f64(), ended.as_secs_f64());
        write!(f, "{begun:.4}..{ended:.4} s client {client} {act:?} {request_id} attempts {attempts}: {outcome:?}")
    }
}
