//! The requests and responses of a run.

use std::fmt;
use std::time::Duration;

use riposte_sdk::v1::LikeValue;

/// The member whose likes every client sets, so that their order is contested.
pub(super) const EVERYBODY: &str = "everybody";

/// The content of one call. Subjects are given by their index in [`super::ground`], comments by
/// their id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Act {
    /// Creates a root comment.
    Root { subject: usize, member: String, text: String },
    /// Creates a reply to a comment.
    Reply { parent: i64, member: String, text: String },
    /// Sets a member's value of a comment.
    Like { comment: i64, member: String, value: LikeValue },
    /// Deletes a comment, by its author.
    Delete { comment: i64, member: String },
    /// Undeletes a comment, by its author.
    Undelete { comment: i64, member: String },
    /// Replaces the text of a comment, by its author.
    Edit { comment: i64, member: String, text: String },
}

/// The values that every response to one request must repeat; zero where a response does not
/// contain them.
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

/// The known result of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Answered: it holds whatever process is killed afterwards.
    Acknowledged(Answer),
    /// Refused at every attempt as not executed, for this reason.
    Refused(String),
    /// It may have been executed, may be executed later, or never; with the words of the last
    /// inconclusive attempt.
    Unknown(String),
}

/// One operation of the history. Times count from the start of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Op {
    /// The client. A client sends one request at a time.
    pub(super) client: usize,
    pub(super) act: Act,
    pub(super) request_id: String,
    /// Time before the first attempt was sent.
    pub(super) begun: Duration,
    /// Time after the last attempt ended.
    pub(super) ended: Duration,
    pub(super) attempts: u32,
    pub(super) outcome: Outcome,
}

impl Act {
    /// Returns author and text of the comment that the act would create; `None` if it creates no
    /// comment.
    pub(super) fn makes(&self) -> Option<(&str, &str)> {
        match self {
            Self::Root { member, text, .. } | Self::Reply { member, text, .. } => Some((member, text)),
            Self::Like { .. } | Self::Delete { .. } | Self::Undelete { .. } | Self::Edit { .. } => None,
        }
    }
}

impl Op {
    /// Returns the response, if there was one.
    pub(super) fn answer(&self) -> Option<&Answer> {
        match &self.outcome {
            Outcome::Acknowledged(answer) => Some(answer),
            Outcome::Refused(_) | Outcome::Unknown(_) => None,
        }
    }

    /// Returns true if the operation certainly had no effect.
    pub(super) fn was_refused(&self) -> bool {
        matches!(self.outcome, Outcome::Refused(_))
    }
}

/// Formats the line that a report shows.
impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { client, act, request_id, begun, ended, attempts, outcome } = self;
        let (begun, ended) = (begun.as_secs_f64(), ended.as_secs_f64());
        write!(f, "{begun:.4}..{ended:.4} s client {client} {act:?} {request_id} attempts {attempts}: {outcome:?}")
    }
}
