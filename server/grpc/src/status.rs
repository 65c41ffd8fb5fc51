//! Converts errors to gRPC statuses. No other module creates a status.
//!
//! Code, details and trailers follow from the reason. Clients read details from response headers,
//! and some reject headers above 8 KiB. A long list of violations is therefore
//! truncated, and the status reports the number of omitted ones.

use std::collections::HashMap;
use std::time::Duration;

use riposte_core::error::StatusKind;
use riposte_core::subject::MAX_PINS;
use riposte_core::{Error, Reason, Violation};
use riposte_sdk::v1;
use tonic::metadata::{AsciiMetadataValue, MetadataMap};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, QuotaViolation, StatusExt};

use crate::rpc_error::{ErrorMetadata, RpcError};

/// `ErrorInfo.domain` of every error.
pub const DOMAIN: &str = "riposte";
/// The metadata key of a call's id, in requests and in trailers.
pub const REQUEST_ID: &str = "riposte-request-id";
/// The trailer of an error of a call that had no effect: the call may be sent again as a new one.
pub const NOT_EXECUTED: &str = "riposte-not-executed";
/// The metadata entry that names the exhausted quota: `caller:web` or `member:m7`, the subject of a
/// QuotaFailure.
pub(crate) const QUOTA: &str = "quota";
/// The trailer with the number of milliseconds that gRPC's own retries wait.
const PUSHBACK: &str = "grpc-retry-pushback-ms";
/// The maximum number of bytes of field violations in one status.
const MAX_VIOLATION_BYTES: usize = 3 * 1024;

/// Returns the status of an error; its details and trailers carry `request_id`. A fault of the
/// service is logged once, here; its text does not leave the process.
#[must_use]
pub fn status(rpc_error: impl Into<RpcError>, request_id: &str) -> Status {
    let mut rpc_error = rpc_error.into();
    if let Error::Internal(detail) = &rpc_error.error {
        tracing::error!(request_id, detail, "internal error");
        rpc_error.metadata = ErrorMetadata::default().with("request_id", request_id);
    }
    let error = &rpc_error.error;
    let reason = error.reason();
    let metadata = metadata(&rpc_error).collect::<HashMap<_, _>>();
    let mut details = ErrorDetails::with_error_info(reason.as_str(), DOMAIN, metadata);
    let violations = violations(error);
    if !violations.is_empty() {
        details.set_bad_request(violations);
    }
    if let Some(after) = error.retry_after() {
        details.set_retry_info(Some(after));
    }
    if let (Error::RateLimited { .. }, Some(scope)) = (error, rpc_error.metadata.get(QUOTA)) {
        details.set_quota_failure(vec![QuotaViolation::new(scope, Reason::RateLimited.summary())]);
    }
    Status::with_error_details_and_metadata(code(reason.kind()), message(error), details, trailers(error, request_id))
}

/// Returns the error of one stream item, with the same texts that a status has.
pub(crate) fn item_error(rpc_error: &RpcError) -> v1::ItemError {
    let violations = violations(&rpc_error.error).into_iter();
    let violations =
        violations.map(|FieldViolation { field, description, .. }| v1::FieldViolation { field, description });
    v1::ItemError {
        reason: rpc_error.error.reason().as_str().to_owned(),
        message: message(&rpc_error.error),
        metadata: metadata(rpc_error).collect(),
        violations: violations.collect(),
    }
}

/// Returns the error for a status code of the library that reports an unacceptable message; `None`
/// for a code that the library never returns by itself.
pub(crate) fn of_library(code: Code, max_request: usize) -> Option<Error> {
    match code {
        Code::OutOfRange | Code::ResourceExhausted => Some(Error::MessageTooLarge { limit: max_request }),
        Code::Unimplemented => Some(Error::NotImplemented("this compression".into())),
        Code::Cancelled | Code::DeadlineExceeded => Some(Error::DeadlineExceeded),
        Code::Internal | Code::InvalidArgument | Code::Unknown => {
            Some(Error::invalid("(message)", "is not a message of this method"))
        }
        Code::Ok
        | Code::NotFound
        | Code::AlreadyExists
        | Code::PermissionDenied
        | Code::FailedPrecondition
        | Code::Aborted
        | Code::Unavailable
        | Code::DataLoss
        | Code::Unauthenticated => None,
    }
}

/// Returns true if the service failed or had no capacity: the same call may succeed later.
pub(crate) fn is_fault(error: &Error) -> bool {
    match error.reason().kind() {
        StatusKind::Internal
        | StatusKind::Unavailable
        | StatusKind::DeadlineExceeded
        | StatusKind::ResourceExhausted => true,
        StatusKind::InvalidArgument
        | StatusKind::NotFound
        | StatusKind::AlreadyExists
        | StatusKind::PermissionDenied
        | StatusKind::Unauthenticated
        | StatusKind::FailedPrecondition
        | StatusKind::Aborted
        | StatusKind::Unimplemented => false,
    }
}

/// Returns the metadata that an error reports.
fn metadata(rpc_error: &RpcError) -> impl Iterator<Item = (String, String)> {
    let metadata = error_metadata(&rpc_error.error).or(rpc_error.metadata.clone());
    let reported = reported(rpc_error.error.reason()).iter();
    reported.filter_map(move |name| metadata.get(name).map(|value| ((*name).to_owned(), value.to_owned())))
}

/// Returns the gRPC code of a class of reasons.
const fn code(kind: StatusKind) -> Code {
    match kind {
        StatusKind::InvalidArgument => Code::InvalidArgument,
        StatusKind::NotFound => Code::NotFound,
        StatusKind::AlreadyExists => Code::AlreadyExists,
        StatusKind::PermissionDenied => Code::PermissionDenied,
        StatusKind::Unauthenticated => Code::Unauthenticated,
        StatusKind::FailedPrecondition => Code::FailedPrecondition,
        StatusKind::ResourceExhausted => Code::ResourceExhausted,
        StatusKind::Aborted => Code::Aborted,
        StatusKind::Unavailable => Code::Unavailable,
        StatusKind::Unimplemented => Code::Unimplemented,
        StatusKind::DeadlineExceeded => Code::DeadlineExceeded,
        StatusKind::Internal => Code::Internal,
    }
}

/// Returns the names of the metadata that a reason reports where it is known, as
/// `error_reason.proto` documents.
const fn reported(reason: Reason) -> &'static [&'static str] {
    match reason {
        Reason::SubjectNotFound | Reason::SubjectAlreadyExists | Reason::SubjectReadOnly | Reason::SubjectHidden => {
            &["object_type", "object_id"]
        }
        // An importer identifies an imported comment by its external id.
        Reason::CommentNotFound => &["comment_id", "external_id"],
        Reason::CommentAlreadyExists | Reason::DuplicateContent | Reason::ReplyForbidden => {
            &["comment_id", "external_id"]
        }
        Reason::MemberNotAllowed => &["comment_id", "external_id", "level", "needed"],
        Reason::ParentUnavailable | Reason::CommentUnavailable => &["comment_id", "state"],
        Reason::StateConflict => &["comment_id", "state", "why"],
        Reason::DecisionNotFound => &["decision_id"],
        Reason::AppealNotAllowed => &["why"],
        Reason::WordListInvalid => &["line", "why"],
        Reason::PolicyUnavailable => &["service"],
        Reason::EditWindowClosed | Reason::MemberSuspended => &["until"],
        Reason::PinLimitReached | Reason::MessageTooLarge => &["limit"],
        Reason::ChallengeRequired => &["kind"],
        Reason::ObjectTypeUnknown | Reason::CallerNotAllowed => &["object_type"],
        Reason::ContentBlocked => &["rule"],
        Reason::ContentTooLong => &["limit", "actual"],
        Reason::RequestIdReused | Reason::Internal => &["request_id"],
        Reason::EtagMismatch => &["etag", "decision_id"],
        Reason::RevisionNotReached => &["revision", "min_revision"],
        Reason::NotImplemented => &["method"],
        Reason::LikeInvalid
        | Reason::FieldInvalid
        | Reason::PageTokenInvalid
        | Reason::PageTokenMismatch
        | Reason::PageTokenExpired
        | Reason::CallerUnknown
        | Reason::MemberBlocked
        | Reason::ReviewLeaseLost
        | Reason::RateLimited
        | Reason::Overloaded
        | Reason::ShardUnavailable
        | Reason::DeadlineExceeded
        | Reason::WatchTooSlow
        | Reason::ServerStopping => &[],
    }
}

/// Returns the metadata that an error itself contains.
fn error_metadata(error: &Error) -> ErrorMetadata {
    let metadata = ErrorMetadata::default();
    if let Error::ParentUnavailable(state) | Error::CommentUnavailable(state) | Error::StateConflict(state) = error {
        metadata.with("state", state)
    } else if let Error::StateConflictBecause(cause) = error {
        metadata.with("why", cause.as_str())
    } else if let Error::AppealNotAllowed(obstacle) = error {
        metadata.with("why", obstacle.as_str())
    } else if let Error::EditWindowClosed { until } | Error::MemberSuspended { until: Some(until) } = error {
        match jiff::Timestamp::from_millisecond(until.0) {
            Ok(until) => metadata.with("until", until),
            Err(_) => metadata,
        }
    } else if let Error::ContentBlocked { rule } = error {
        metadata.with("rule", rule)
    } else if let Error::LevelTooLow { level, needed } = error {
        let metadata = metadata.with("needed", needed);
        match level {
            Some(level) => metadata.with("level", level),
            None => metadata,
        }
    } else if let Error::WordListInvalid { line, reason } = error {
        metadata.with("line", line).with("why", reason)
    } else if let Error::PolicyUnavailable(service) = error {
        metadata.with("service", service)
    } else if let Error::PinLimitReached = error {
        metadata.with("limit", MAX_PINS)
    } else if let Error::MessageTooLarge { limit } = error {
        metadata.with("limit", limit)
    } else if let Error::ObjectTypeUnknown(object_type) = error {
        metadata.with("object_type", object_type)
    } else if let Error::EtagMismatch { current } = error {
        metadata.with("etag", current)
    } else if let Error::ReviewChanged { current, decision } = error {
        let metadata = metadata.with("etag", current);
        match decision {
            Some(decision) => metadata.with("decision_id", decision),
            None => metadata,
        }
    } else if let Error::RevisionNotReached { current } = error {
        metadata.with("revision", current)
    } else if let Error::NotImplemented(method) = error {
        metadata.with("method", method)
    } else if let Error::PathNotServed { method, .. } = error {
        metadata.with("method", method)
    } else {
        metadata
    }
}

/// Returns the field violations of the request; empty for errors that are not about fields.
fn violations(error: &Error) -> Vec<FieldViolation> {
    if let Error::Invalid(violations) = error {
        return field_violations(violations);
    }
    let reason = error.reason();
    let field = if matches!(reason, Reason::PageTokenInvalid | Reason::PageTokenMismatch | Reason::PageTokenExpired) {
        "page_token"
    } else if reason == Reason::RequestIdReused {
        "request_id"
    } else if reason == Reason::WordListInvalid {
        "candidate_list"
    } else if reason == Reason::ContentBlocked {
        "content.text"
    } else if reason == Reason::ObjectTypeUnknown {
        "object_type"
    } else {
        return Vec::new();
    };
    vec![FieldViolation::new(field, reason.summary())]
}

fn field_violations(violations: &[Violation]) -> Vec<FieldViolation> {
    let mut bytes = 0;
    let fits = |violation: &&Violation| {
        bytes += violation.field.len() + violation.description.len();
        bytes <= MAX_VIOLATION_BYTES
    };
    let mut listed: Vec<_> = violations.iter().take_while(fits).map(field_violation).collect();
    let omitted = violations.len() - listed.len();
    if omitted > 0 {
        listed.push(FieldViolation::new("", format!("and {omitted} more violations")));
    }
    listed
}

fn field_violation(violation: &Violation) -> FieldViolation {
    let mut field = FieldViolation::new(&violation.field, &violation.description);
    // FIELD_INVALID is omitted here. Either ErrorInfo already has it, or the violations differ in
    // reason and each other one states its own.
    if violation.reason != Reason::FieldInvalid {
        field.reason = violation.reason.as_str().to_owned();
    }
    field
}

/// Returns the text for people: short enough for a header, and without any detail of a fault of the
/// service.
fn message(error: &Error) -> String {
    if let Error::Internal(_) = error {
        return Reason::Internal.summary().to_owned();
    }
    let Error::Invalid(violations) = error else { return error.to_string() };
    let Some(Violation { field, description, .. }) = violations.first() else { return error.to_string() };
    match violations.len() - 1 {
        0 => format!("{field}: {description}"),
        more => format!("{field}: {description} (and {more} more)"),
    }
}

fn trailers(error: &Error, request_id: &str) -> MetadataMap {
    let mut trailers = MetadataMap::new();
    if let Ok(id) = AsciiMetadataValue::try_from(request_id) {
        trailers.insert(REQUEST_ID, id);
    }
    // After a fault, a lost data source or an exceeded deadline, it is unknown if the call had an
    // effect; every other error is returned before the call has one.
    let is_unknown =
        matches!(error.reason().kind(), StatusKind::Internal | StatusKind::Unavailable | StatusKind::DeadlineExceeded);
    if !is_unknown || matches!(error, Error::ShardCircuitOpen { .. }) {
        trailers.insert(NOT_EXECUTED, AsciiMetadataValue::from_static("true"));
    }
    if let Error::Overloaded { after } | Error::RateLimited { after } | Error::ShardCircuitOpen { after } = error {
        trailers.insert(PUSHBACK, AsciiMetadataValue::from(millis(*after)));
    }
    trailers
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
