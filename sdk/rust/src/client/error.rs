use crate::v1::ErrorReason;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;
use tonic::{Code, Status};
use tonic_types::StatusExt;

const DOMAIN: &str = "riposte";

/// Why a call failed.
#[derive(Debug, Clone)]
pub struct Error(Box<Details>);

#[derive(Debug, Clone)]
struct Details {
    status: Status,
    reason: String,
    metadata: BTreeMap<String, String>,
    violations: Vec<Violation>,
    retry_after: Option<Duration>,
}

/// One field at fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The path of the field from the request on, for example `content.text`.
    pub field: String,
    /// What is wrong with it, for a person to read; never stable.
    pub description: String,
}

impl Error {
    /// The gRPC code.
    pub fn code(&self) -> Code {
        self.0.status.code()
    }

    /// The reason; UNSPECIFIED for one that this version does not know, and for what is no answer of the service.
    pub fn reason(&self) -> ErrorReason {
        ErrorReason::from_str_name(&format!("ERROR_REASON_{}", self.0.reason)).unwrap_or_default()
    }

    /// The reason as it was sent, without prefix; empty for what is no answer of the service.
    pub fn reason_name(&self) -> &str {
        &self.0.reason
    }

    /// The facts of the reason; see [`ErrorReason`].
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.0.metadata
    }

    /// All fields at fault, for a request that is.
    pub fn violations(&self) -> &[Violation] {
        &self.0.violations
    }

    /// How long to wait before a repeat can succeed, where the service says so.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Whether the same call may succeed later, with nothing changed. The client repeats what is
    /// UNAVAILABLE by itself, so that an error that says so was met again and again; for RESOURCE_EXHAUSTED the caller
    /// waits [`retry_after`](Self::retry_after).
    pub fn is_retryable(&self) -> bool {
        let exhausted = self.code() == Code::ResourceExhausted && self.retry_after().is_some();
        self.code() == Code::Unavailable || exhausted
    }

    /// The id by which the service logged the call, to report with a fault.
    pub fn request_id(&self) -> Option<&str> {
        self.0.status.metadata().get("riposte-request-id").and_then(|value| value.to_str().ok())
    }

    /// An error that never left this process.
    pub(crate) fn local(message: impl Into<String>) -> Self {
        Self::from(Status::invalid_argument(message))
    }
}

impl From<Status> for Error {
    fn from(status: Status) -> Self {
        let info = status.get_details_error_info().filter(|info| info.domain == DOMAIN);
        let (reason, metadata) = info.map(|info| (info.reason, info.metadata)).unwrap_or_default();
        let fields = status.get_details_bad_request().map(|request| request.field_violations).unwrap_or_default();
        let violation =
            |field: tonic_types::FieldViolation| Violation { field: field.field, description: field.description };
        Self(Box::new(Details {
            reason,
            metadata: metadata.into_iter().collect(),
            violations: fields.into_iter().map(violation).collect(),
            retry_after: status.get_details_retry_info().and_then(|info| info.retry_delay),
            status,
        }))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details { status, reason, violations, .. } = &*self.0;
        let name = if reason.is_empty() { format!("{:?}", status.code()) } else { reason.clone() };
        write!(f, "{name}: {}", status.message())?;
        for Violation { field, description } in violations {
            write!(f, "; {field}: {description}")?;
        }
        self.request_id().map_or(Ok(()), |id| write!(f, " (request {id})"))
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;
    use tonic_types::ErrorDetails;

    #[test]
    fn everything_an_answer_tells_can_be_read() {
        let mut details = ErrorDetails::with_error_info("FIELD_INVALID", DOMAIN, [("limit".into(), "64".into())]);
        details.add_bad_request_violation("member_id", "is empty");
        details.add_bad_request_violation("content.text", "is empty");
        details.set_retry_info(Some(Duration::from_millis(200)));
        let mut status = Status::with_error_details(Code::InvalidArgument, "2 fields", details);
        status.metadata_mut().insert("riposte-request-id", "r-1".parse().unwrap());
        let error = Error::from(status);
        assert_eq!(error.reason(), ErrorReason::FieldInvalid);
        assert_eq!(error.metadata()["limit"], "64");
        assert_eq!(error.violations()[1].field, "content.text");
        assert_eq!(error.retry_after(), Some(Duration::from_millis(200)));
        assert!(!error.is_retryable());
        let text = "FIELD_INVALID: 2 fields; member_id: is empty; content.text: is empty (request r-1)";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn an_answer_of_somebody_else_has_no_reason() {
        let details = ErrorDetails::with_error_info("SUBJECT_NOT_FOUND", "elsewhere", []);
        let error = Error::from(Status::with_error_details(Code::NotFound, "no", details));
        assert_eq!((error.reason(), error.reason_name()), (ErrorReason::Unspecified, ""));
        assert_eq!(error.to_string(), "NotFound: no");
        assert_eq!(Error::from(Status::unavailable("gone")).reason(), ErrorReason::Unspecified);
    }
}
