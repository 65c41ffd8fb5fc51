//! The errors of the domain, as a closed list. Each variant has one [`Reason`], which
//! `status.rs` of the gRPC crate maps to a status in one exhaustive match.

mod reason;

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use crate::domain::ids::DecisionId;
use crate::domain::state::CommentState;
use crate::domain::time::Millis;
pub use reason::{Reason, StatusKind};

/// The settings that decide if an object type is known.
const UNKNOWN_TYPE_CURE: &str = "add it to [object_types] of the server, or set open_object_types";

/// The result of every fallible call of the domain and its ports.
pub type Result<T> = std::result::Result<T, Error>;

/// One field of a request that breaks a rule. The response lists all violations of a request at
/// once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The path of the field in the request message, for example `content.text` or
    /// `comment_ids[3]`.
    pub field: String,
    /// The rule in words, for people.
    pub description: String,
    /// The kind of violation. If all violations of a request have the same reason, the response has
    /// that reason.
    pub reason: Reason,
}

impl Violation {
    /// Creates a violation with the general reason [`Reason::FieldInvalid`].
    pub fn field(field: impl Into<String>, description: impl Into<String>) -> Self {
        Self { field: field.into(), description: description.into(), reason: Reason::FieldInvalid }
    }
}

/// The reason for which a change conflicts, if it is not the state of the comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConflictCause {
    /// Three edits wait for a moderator, or have waited since the last one was found good.
    Edits,
    /// An appeal is open.
    Appeal,
    /// An appeal contests a decision of the acting moderator.
    OwnDecision,
    /// A moderator set the mode of the subject, or its object type does not have the mode.
    Mode,
}

/// The reason for which a decision cannot be appealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AppealObstacle {
    /// This decision was appealed, or the appeal of another one is open.
    Appealed,
    /// The time for appeals has passed.
    WindowOver,
    /// The decision neither refused nor hid the text.
    NotRestricted,
    /// The decision is no longer in force.
    Overturned,
    /// The comment is deleted.
    Gone,
}

impl AppealObstacle {
    /// The value in the metadata of the error. It never changes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Appealed => "appealed",
            Self::WindowOver => "window_over",
            Self::NotRestricted => "not_restricted",
            Self::Overturned => "overturned",
            Self::Gone => "gone",
        }
    }
}

impl ConflictCause {
    /// The value in the metadata of the error. It never changes.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Edits => "edits",
            Self::Appeal => "appeal",
            Self::OwnDecision => "own_decision",
            Self::Mode => "mode",
        }
    }
}

/// The reason for which a call was rejected or failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The subject does not exist, or it was deleted.
    SubjectNotFound,
    /// The subject does not exist, and comments of its object type, which is named, do not create
    /// their subjects. `SubjectKey::not_created` returns it.
    SubjectNotCreated(String),
    /// The comment does not exist, was deleted, or belongs to a type that the caller may not see.
    CommentNotFound,
    /// A subject with this key exists already. It may be a deleted one, which can be undeleted
    /// instead.
    SubjectAlreadyExists,
    /// An undelete of a comment that is not deleted.
    CommentAlreadyExists,
    /// The subject takes no writes.
    SubjectReadOnly,
    /// The subject is hidden: it takes no writes and has no lists.
    SubjectHidden,
    /// The parent of a reply is not ACTIVE.
    ParentUnavailable(CommentState),
    /// The comment to like, or whose history is requested, is not ACTIVE.
    CommentUnavailable(CommentState),
    /// The policy of the object type takes no replies.
    ReplyForbidden,
    /// The comment's state does not allow this transition.
    StateConflict(CommentState),
    /// Something beside the comment's state does not allow this now.
    StateConflictBecause(ConflictCause),
    /// The author's edit window has closed.
    EditWindowClosed {
        /// The time at which it closed.
        until: Millis,
    },
    /// The subject has the maximum number of pinned comments.
    PinLimitReached,
    /// The object type is well formed but not registered.
    ObjectTypeUnknown(String),
    /// The request has invalid fields; all violations are listed.
    Invalid(Vec<Violation>),
    /// The policy of the object type refuses the text.
    ContentBlocked {
        /// The rule that refuses it, in the words of the configuration.
        rule: String,
    },
    /// A service that judges texts cannot be asked, and the object type refuses texts meanwhile.
    /// The text names the service.
    PolicyUnavailable(&'static str),
    /// A line of a candidate word list is wrong.
    WordListInvalid {
        /// The line, from 1; 0 for the list as a whole.
        line: u32,
        /// The fault, without a word of the list.
        reason: String,
    },
    /// The message is larger than the method's limit.
    MessageTooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The page token was not made by this service, or was changed.
    PageTokenInvalid,
    /// The page token belongs to other arguments, another method or another caller.
    PageTokenMismatch,
    /// The page token is older than its walk may be.
    PageTokenExpired,
    /// The same request id was used before with another body.
    RequestIdReused,
    /// The caller is not known.
    CallerUnknown,
    /// The caller may not do this, or not on this object type.
    CallerNotAllowed,
    /// The member is not the author or the owner that the call requires.
    MemberNotAllowed,
    /// The account of the member has too low a level for this.
    LevelTooLow {
        /// The level; `None` for a member without an account.
        level: Option<u8>,
        /// The level that this needs.
        needed: u8,
    },
    /// The standing of the member does not allow this.
    MemberSuspended {
        /// The time at which the standing ends; `None` for no end.
        until: Option<Millis>,
    },
    /// The call exceeds the rate limit of the caller or the member.
    RateLimited {
        /// The time to wait before a retry.
        after: Duration,
    },
    /// The service has no capacity for this call; the call was not executed.
    Overloaded {
        /// The time to wait before a retry.
        after: Duration,
    },
    /// The etag of the request is not the current one.
    EtagMismatch {
        /// The current etag.
        current: String,
    },
    /// The comment changed, or a decision was taken on it, since the text was read that a verdict
    /// names.
    ReviewChanged {
        /// The current etag of the review.
        current: String,
        /// The last decision; `None` if no decision was taken.
        decision: Option<DecisionId>,
    },
    /// Another moderator has leased the review.
    ReviewLeaseLost,
    /// The decision does not exist, or it is about a comment of another member.
    DecisionNotFound,
    /// The decision cannot be appealed.
    AppealNotAllowed(AppealObstacle),
    /// This instance has not reached the revision that the read requires.
    RevisionNotReached {
        /// The newest revision that it can return.
        current: i64,
    },
    /// The data source of this subject cannot be reached. The outcome of a write is unknown.
    ShardUnavailable,
    /// The circuit breaker of this subject's data source is open. The data source was not called,
    /// and nothing was executed.
    ShardCircuitOpen {
        /// The time until the data source is tried again.
        after: Duration,
    },
    /// The method, or this value of an argument, is in the contract but not served.
    NotImplemented(Cow<'static, str>),
    /// Nothing is served at this path of the port or of the process.
    PathNotServed {
        /// The method with its service, or a path that names none.
        method: String,
        /// The rest of the subject of the message: the place, and an explanation of the path.
        place: String,
    },
    /// The call's deadline has passed.
    DeadlineExceeded,
    /// A fault of the service. The text is for the log and never leaves the process.
    Internal(String),
    /// The client of a watch stream reads too slowly; it may resume the stream.
    WatchTooSlow,
    /// The process is stopping; a client can resume its streams at another process.
    ServerStopping,
}

impl Error {
    /// Returns `true` if a data source or the process, and not the request, is the cause, so that
    /// the same work succeeds later.
    #[must_use]
    pub fn is_unavailability(&self) -> bool {
        matches!(
            self,
            Self::ShardUnavailable | Self::ShardCircuitOpen { .. } | Self::Overloaded { .. } | Self::DeadlineExceeded
        )
    }

    /// Returns the error of a call after one of its parts failed with this error. If another part
    /// had an effect, the error of the call does not say that nothing was executed.
    #[must_use]
    pub fn of_part(self, had_effect: bool) -> Self {
        let says_not_executed = matches!(self, Self::ShardCircuitOpen { .. } | Self::Overloaded { .. });
        if had_effect && says_not_executed { Self::ShardUnavailable } else { self }
    }

    /// An invalid request with one violation.
    pub fn invalid(field: impl Into<String>, description: impl Into<String>) -> Self {
        Self::Invalid(vec![Violation::field(field, description)])
    }

    /// A fault of the service, described for the log.
    pub fn internal(detail: impl fmt::Display) -> Self {
        Self::Internal(detail.to_string())
    }

    /// Returns the error as the log shows it: a fault of the service with its detail, which no
    /// caller receives.
    #[must_use]
    pub fn log_text(&self) -> String {
        if let Self::Internal(detail) = self { format!("{self}: {detail}") } else { self.to_string() }
    }

    /// The reason that callers match on.
    #[must_use]
    pub fn reason(&self) -> Reason {
        match self {
            Self::SubjectNotFound | Self::SubjectNotCreated(_) => Reason::SubjectNotFound,
            Self::CommentNotFound => Reason::CommentNotFound,
            Self::SubjectAlreadyExists => Reason::SubjectAlreadyExists,
            Self::CommentAlreadyExists => Reason::CommentAlreadyExists,
            Self::SubjectReadOnly => Reason::SubjectReadOnly,
            Self::SubjectHidden => Reason::SubjectHidden,
            Self::ParentUnavailable(_) => Reason::ParentUnavailable,
            Self::CommentUnavailable(_) => Reason::CommentUnavailable,
            Self::ReplyForbidden => Reason::ReplyForbidden,
            Self::StateConflict(_) | Self::StateConflictBecause(_) => Reason::StateConflict,
            Self::EditWindowClosed { .. } => Reason::EditWindowClosed,
            Self::PinLimitReached => Reason::PinLimitReached,
            Self::ObjectTypeUnknown(_) => Reason::ObjectTypeUnknown,
            Self::Invalid(violations) => shared_reason(violations),
            Self::MessageTooLarge { .. } => Reason::MessageTooLarge,
            Self::PageTokenInvalid => Reason::PageTokenInvalid,
            Self::PageTokenMismatch => Reason::PageTokenMismatch,
            Self::PageTokenExpired => Reason::PageTokenExpired,
            Self::RequestIdReused => Reason::RequestIdReused,
            Self::CallerUnknown => Reason::CallerUnknown,
            Self::CallerNotAllowed => Reason::CallerNotAllowed,
            Self::MemberNotAllowed | Self::LevelTooLow { .. } => Reason::MemberNotAllowed,
            Self::MemberSuspended { .. } => Reason::MemberSuspended,
            Self::RateLimited { .. } => Reason::RateLimited,
            Self::Overloaded { .. } => Reason::Overloaded,
            Self::EtagMismatch { .. } | Self::ReviewChanged { .. } => Reason::EtagMismatch,
            Self::ContentBlocked { .. } => Reason::ContentBlocked,
            Self::WordListInvalid { .. } => Reason::WordListInvalid,
            Self::PolicyUnavailable(_) => Reason::PolicyUnavailable,
            Self::ReviewLeaseLost => Reason::ReviewLeaseLost,
            Self::DecisionNotFound => Reason::DecisionNotFound,
            Self::AppealNotAllowed(_) => Reason::AppealNotAllowed,
            Self::RevisionNotReached { .. } => Reason::RevisionNotReached,
            Self::ShardUnavailable | Self::ShardCircuitOpen { .. } => Reason::ShardUnavailable,
            Self::NotImplemented(_) | Self::PathNotServed { .. } => Reason::NotImplemented,
            Self::DeadlineExceeded => Reason::DeadlineExceeded,
            Self::Internal(_) => Reason::Internal,
            Self::WatchTooSlow => Reason::WatchTooSlow,
            Self::ServerStopping => Reason::ServerStopping,
        }
    }

    /// The time that a caller should wait before a retry; `None` if waiting does not help.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        if let Self::RateLimited { after } | Self::Overloaded { after } | Self::ShardCircuitOpen { after } = self {
            return Some(*after);
        }
        if matches!(self, Self::PolicyUnavailable(_)) {
            return Some(Duration::from_secs(1));
        }
        let transient =
            [Reason::RevisionNotReached, Reason::ShardUnavailable, Reason::WatchTooSlow, Reason::ServerStopping];
        transient.contains(&self.reason()).then_some(Duration::from_millis(100))
    }
}

/// The reason that all violations share, or FIELD_INVALID if they differ.
fn shared_reason(violations: &[Violation]) -> Reason {
    let mut reasons = violations.iter().map(|v| v.reason);
    let first = reasons.next().unwrap_or(Reason::FieldInvalid);
    if reasons.all(|r| r == first) { first } else { Reason::FieldInvalid }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::ParentUnavailable(state) = self {
            write!(f, "the parent is {state}")
        } else if let Self::CommentUnavailable(state) | Self::StateConflict(state) = self {
            write!(f, "the comment is {state}")
        } else if let Self::StateConflictBecause(cause) = self {
            f.write_str(match cause {
                ConflictCause::Edits => "three edits of the comment have to be judged first",
                ConflictCause::Appeal => "an appeal has to be decided first",
                ConflictCause::OwnDecision => "another moderator has to judge the appeal",
                ConflictCause::Mode => "the subject cannot have this mode",
            })
        } else if let Self::AppealNotAllowed(obstacle) = self {
            f.write_str(match obstacle {
                AppealObstacle::Appealed => "an appeal was made already",
                AppealObstacle::WindowOver => "the time for an appeal has passed",
                AppealObstacle::NotRestricted => "only a decision that refused or hid the text can be appealed",
                AppealObstacle::Overturned => "the decision is no longer in force",
                AppealObstacle::Gone => "the comment is deleted",
            })
        } else if let Self::SubjectNotCreated(name) = self {
            write!(
                f,
                "the subject does not exist: CreateSubject creates it, or its first comment if \
                 object_types.{name}.auto_create is set"
            )
        } else if let Self::ObjectTypeUnknown(name) = self {
            write!(f, "object type {name:?} is not registered: {UNKNOWN_TYPE_CURE}")
        } else if let Self::Invalid(violations) = self {
            let descriptions: Vec<_> = violations.iter().map(|v| format!("{}: {}", v.field, v.description)).collect();
            write!(f, "invalid request: {}", descriptions.join("; "))
        } else if let Self::MessageTooLarge { limit } = self {
            write!(f, "the message is larger than {limit} bytes")
        } else if let Self::RevisionNotReached { current } = self {
            write!(f, "revision not reached yet; the newest is {current}")
        } else if let Self::LevelTooLow { level: Some(level), needed } = self {
            write!(f, "the account of the member has level {level}, and this needs {needed}")
        } else if let Self::LevelTooLow { level: None, .. } = self {
            f.write_str("the member has no account")
        } else if let Self::WordListInvalid { line, reason } = self {
            write!(f, "line {line} of the word list {reason}")
        } else if let Self::NotImplemented(name) = self {
            write!(f, "{name} is not served")
        } else if let Self::PathNotServed { method, place } = self {
            let path = if method.starts_with('/') { format!("the path \"{method}\"") } else { method.clone() };
            write!(f, "{path} at {place} is not served")
        } else {
            f.write_str(self.reason().summary())
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests;
