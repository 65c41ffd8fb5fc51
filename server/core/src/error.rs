//! Everything that can go wrong, as a closed list. Each variant is tied to one [`Reason`], and `rpc/status.rs`
//! in the server turns it into a status in one exhaustive match.

mod reason;

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use crate::{CommentState, Millis};
pub use reason::{Reason, StatusKind};

/// The result of every fallible call of the domain and its ports.
pub type Result<T> = std::result::Result<T, Error>;

/// One field of a request that breaks a rule. A request is answered with all of its violations at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The path of the field in the request message, for example `content.text` or `comment_ids[3]`.
    pub field: String,
    /// The rule in words, for people.
    pub description: String,
    /// What kind of violation it is; a request whose violations agree on it is answered with that reason.
    pub reason: Reason,
}

impl Violation {
    /// A violation of the plain kind, [`Reason::FieldInvalid`].
    pub fn field(field: impl Into<String>, description: impl Into<String>) -> Self {
        Self { field: field.into(), description: description.into(), reason: Reason::FieldInvalid }
    }
}

/// Why a call was refused or failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The subject does not exist, or it was deleted.
    SubjectNotFound,
    /// The comment does not exist, was deleted before, or belongs to what the caller may not see.
    CommentNotFound,
    /// A subject stands under this key already (a deleted one too: undelete it instead).
    SubjectAlreadyExists,
    /// Undelete of a comment that is not deleted.
    CommentAlreadyExists,
    /// The subject takes no writes.
    SubjectReadOnly,
    /// The subject is hidden: neither writes nor lists.
    SubjectHidden,
    /// The parent of a reply is not ACTIVE.
    ParentUnavailable(CommentState),
    /// The comment to like, or whose history is asked for, is not ACTIVE.
    CommentUnavailable(CommentState),
    /// The policy of the object type takes no replies.
    ReplyForbidden,
    /// The comment's state does not allow this transition.
    StateConflict(CommentState),
    /// The author's time to edit has passed.
    EditWindowClosed {
        /// When it closed.
        until: Millis,
    },
    /// The subject has as many pinned comments as it may.
    PinLimitReached,
    /// The object type is well formed but not registered.
    ObjectTypeUnknown(String),
    /// The request breaks the rules of its fields: all of them are listed.
    Invalid(Vec<Violation>),
    /// The message is larger than this method takes.
    MessageTooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The page token was not made by this service, or was changed.
    PageTokenInvalid,
    /// The page token belongs to other arguments, another method or another caller.
    PageTokenMismatch,
    /// The page token is older than the walk it belongs to may be.
    PageTokenExpired,
    /// The same request id came before with another body.
    RequestIdReused,
    /// The caller is not known.
    CallerUnknown,
    /// The caller may not do this, or not on this object type.
    CallerNotAllowed,
    /// The member is neither the author nor the owner that this needs.
    MemberNotAllowed,
    /// More calls than the caller's or member's rate allows.
    RateLimited {
        /// When to try again.
        after: Duration,
    },
    /// The service has no room for this call; it was not executed.
    Overloaded {
        /// When to try again.
        after: Duration,
    },
    /// The etag of the request is not the current one.
    EtagMismatch {
        /// The current etag.
        current: String,
    },
    /// This instance has not seen the revision that the read asks for.
    RevisionNotReached {
        /// The newest revision it can answer.
        current: i64,
    },
    /// The data source of this subject cannot be reached; whether a write took effect is not known.
    ShardUnavailable,
    /// The data source of this subject was away a moment ago, and was not asked; nothing was executed.
    ShardAway {
        /// When it is tried again.
        after: Duration,
    },
    /// The method, or this value of an argument, is in the contract but not served.
    NotImplemented(Cow<'static, str>),
    /// The call's time ran out.
    DeadlineExceeded,
    /// A fault of the service. The text is for the log and never leaves the process.
    Internal(String),
    /// The reader of a stream fell too far behind what it watches; it may resume.
    WatchTooSlow,
    /// The process stops; its streams can be resumed at another one.
    ServerStopping,
}

impl Error {
    /// A request with one violation.
    pub fn invalid(field: impl Into<String>, description: impl Into<String>) -> Self {
        Self::Invalid(vec![Violation::field(field, description)])
    }

    /// A fault of the service, described for the log.
    pub fn internal(detail: impl fmt::Display) -> Self {
        Self::Internal(detail.to_string())
    }

    /// The reason that callers match on.
    #[must_use]
    pub fn reason(&self) -> Reason {
        match self {
            Self::SubjectNotFound => Reason::SubjectNotFound,
            Self::CommentNotFound => Reason::CommentNotFound,
            Self::SubjectAlreadyExists => Reason::SubjectAlreadyExists,
            Self::CommentAlreadyExists => Reason::CommentAlreadyExists,
            Self::SubjectReadOnly => Reason::SubjectReadOnly,
            Self::SubjectHidden => Reason::SubjectHidden,
            Self::ParentUnavailable(_) => Reason::ParentUnavailable,
            Self::CommentUnavailable(_) => Reason::CommentUnavailable,
            Self::ReplyForbidden => Reason::ReplyForbidden,
            Self::StateConflict(_) => Reason::StateConflict,
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
            Self::MemberNotAllowed => Reason::MemberNotAllowed,
            Self::RateLimited { .. } => Reason::RateLimited,
            Self::Overloaded { .. } => Reason::Overloaded,
            Self::EtagMismatch { .. } => Reason::EtagMismatch,
            Self::RevisionNotReached { .. } => Reason::RevisionNotReached,
            Self::ShardUnavailable | Self::ShardAway { .. } => Reason::ShardUnavailable,
            Self::NotImplemented(_) => Reason::NotImplemented,
            Self::DeadlineExceeded => Reason::DeadlineExceeded,
            Self::Internal(_) => Reason::Internal,
            Self::WatchTooSlow => Reason::WatchTooSlow,
            Self::ServerStopping => Reason::ServerStopping,
        }
    }

    /// How long a caller should wait before it tries again, where waiting helps.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        if let Self::RateLimited { after } | Self::Overloaded { after } | Self::ShardAway { after } = self {
            return Some(*after);
        }
        let soon = [Reason::RevisionNotReached, Reason::ShardUnavailable, Reason::WatchTooSlow, Reason::ServerStopping];
        soon.contains(&self.reason()).then_some(Duration::from_millis(100))
    }
}

/// Violations that agree on a reason give it to the whole answer; mixed ones are FIELD_INVALID.
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
        } else if let Self::ObjectTypeUnknown(name) = self {
            write!(f, "object type {name:?} is not registered")
        } else if let Self::Invalid(violations) = self {
            let told: Vec<_> = violations.iter().map(|v| format!("{}: {}", v.field, v.description)).collect();
            write!(f, "invalid request: {}", told.join("; "))
        } else if let Self::MessageTooLarge { limit } = self {
            write!(f, "the message is larger than {limit} bytes")
        } else if let Self::RevisionNotReached { current } = self {
            write!(f, "revision not reached yet; the newest is {current}")
        } else if let Self::NotImplemented(what) = self {
            write!(f, "{what} is not served")
        } else {
            f.write_str(self.reason().summary())
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests;
