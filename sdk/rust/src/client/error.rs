use crate::v1::ErrorReason;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

const DOMAIN: &str = "riposte";

/// The error of a failed call.
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

/// One invalid field of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The path of the field from the request on, for example `content.text`.
    pub field: String,
    /// A description of the problem for people; its text is not stable.
    pub description: String,
}

impl Error {
    /// Returns the gRPC code.
    ///
    /// ```no_run
    /// # async fn demo(client: riposte_sdk::Client) -> Result<(), riposte_sdk::Error> {
    /// use riposte_sdk::Code;
    ///
    /// match client.comment(7).get().await {
    ///     Ok(response) => println!("{:?}", response.comment),
    ///     Err(error) if error.code() == Code::NotFound => println!("no comment 7"),
    ///     Err(error) => return Err(error),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn code(&self) -> Code {
        self.0.status.code()
    }

    /// Returns the message of the service, or of the client for a request that did not reach it. It
    /// is for people; its text is not stable.
    pub fn message(&self) -> &str {
        self.0.status.message()
    }

    /// Returns the reason, also of a field that the client refuses; UNSPECIFIED for a reason that
    /// this version does not know, and for any other error that the service did not send.
    pub fn reason(&self) -> ErrorReason {
        ErrorReason::from_str_name(&format!("ERROR_REASON_{}", self.0.reason)).unwrap_or_default()
    }

    /// Returns the reason as it was sent, without prefix; empty where
    /// [`reason`](Self::reason) is UNSPECIFIED for an error that the service did not send.
    pub fn reason_name(&self) -> &str {
        &self.0.reason
    }

    /// Returns the metadata of the reason; see [`ErrorReason`].
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.0.metadata
    }

    /// Returns all invalid fields of the request, if the error reports any.
    pub fn violations(&self) -> &[Violation] {
        &self.0.violations
    }

    /// Returns the wait before a repeat can succeed, where the service sent one.
    pub fn retry_after(&self) -> Option<Duration> {
        self.0.retry_after
    }

    /// Returns true if the same call may succeed later, with nothing changed. The client repeats
    /// UNAVAILABLE calls by itself, so an error with that code occurred at every attempt; for
    /// RESOURCE_EXHAUSTED the caller waits [`retry_after`](Self::retry_after).
    pub fn is_retryable(&self) -> bool {
        let exhausted = self.code() == Code::ResourceExhausted && self.retry_after().is_some();
        self.code() == Code::Unavailable || exhausted
    }

    /// Returns the id under which the service logged the call, for a problem report.
    pub fn request_id(&self) -> Option<&str> {
        self.0.status.metadata().get("riposte-request-id").and_then(|value| value.to_str().ok())
    }

    /// Creates an error of a request that did not leave this process.
    pub(crate) fn local(message: impl Into<String>) -> Self {
        Self::from(Status::invalid_argument(message))
    }

    /// Refuses a request that did not leave this process if one of these fields is wrong: whether
    /// it is, its path, its description and its reason, which is that of the error if no other
    /// field is wrong.
    pub(crate) fn refuse(fields: &[(bool, &str, &str, &str)]) -> Result<(), Self> {
        let mut details = ErrorDetails::new();
        let mut texts = Vec::new();
        for (_, field, description, reason) in fields.iter().filter(|(wrong, ..)| *wrong) {
            let shared = if texts.is_empty() { *reason } else { "FIELD_INVALID" };
            details.set_error_info(shared, DOMAIN, []).add_bad_request_violation(*field, *description);
            texts.push(format!("{field}: {description}"));
        }
        if texts.is_empty() {
            return Ok(());
        }
        Err(Status::with_error_details(Code::InvalidArgument, texts.join("; "), details).into())
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
        // All violations follow, so the message need not count them.
        let counted = format!(" (and {} more)", violations.len().saturating_sub(1));
        let text = status.message().strip_suffix(&counted).unwrap_or(status.message());
        write!(f, "{name}: {text}")?;
        // The service's own message names them already.
        for Violation { field, description } in violations {
            if !status.message().contains(description.as_str()) {
                write!(f, "; {field}: {description}")?;
            }
        }
        self.request_id().map_or(Ok(()), |id| write!(f, " (request {id})"))
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_an_error_can_be_read() {
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
    fn a_field_that_the_message_names_is_not_named_twice() {
        let mut details = ErrorDetails::with_error_info("FIELD_INVALID", DOMAIN, []);
        details.add_bad_request_violation("content.text", "must not contain NUL");
        let message = "content.text: must not contain NUL";
        let error = Error::from(Status::with_error_details(Code::InvalidArgument, message, details));
        assert_eq!(error.to_string(), "FIELD_INVALID: content.text: must not contain NUL");
        assert_eq!(error.message(), message);
    }

    #[test]
    fn an_error_of_another_service_has_no_reason() {
        let details = ErrorDetails::with_error_info("SUBJECT_NOT_FOUND", "elsewhere", []);
        let error = Error::from(Status::with_error_details(Code::NotFound, "no", details));
        assert_eq!((error.reason(), error.reason_name()), (ErrorReason::Unspecified, ""));
        assert_eq!(error.to_string(), "NotFound: no");
        assert_eq!(Error::from(Status::unavailable("gone")).reason(), ErrorReason::Unspecified);
    }
}
