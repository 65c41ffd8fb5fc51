//! Classification of the error of an attempt by its possible effect.

use riposte_sdk::Error;
use tonic::{Code, Status};

/// The trailer by which the service reports that a call had no effect.
const NOT_EXECUTED: &str = "riposte-not-executed";

/// One failed attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// True if the service reported that the call had no effect.
    pub(crate) not_executed: bool,
    /// True if the same call may succeed later.
    pub(crate) retryable: bool,
    /// The reason, or the status code if the status has no reason.
    pub(crate) reason: String,
}

impl Failure {
    /// Classifies a status. Only the trailer of the service counts as "no effect": after a broken
    /// connection, an expired deadline or an internal error of the service the effect is unknown.
    pub(crate) fn of(status: Status) -> Self {
        let not_executed = status.metadata().contains_key(NOT_EXECUTED);
        let error = Error::from(status);
        let retryable = !not_executed || error.code() == Code::ResourceExhausted;
        let reason = match error.reason_name() {
            "" => format!("{:?}", error.code()),
            name => name.to_owned(),
        };
        Self { not_executed, retryable, reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_trailer_of_the_service_excludes_an_effect() {
        let lost = Failure::of(Status::unavailable("gone"));
        assert_eq!(lost, Failure { not_executed: false, retryable: true, reason: "Unavailable".into() });
        let mut full = Status::resource_exhausted("full");
        full.metadata_mut().insert(NOT_EXECUTED, "true".parse().unwrap());
        assert!(Failure::of(full.clone()).not_executed && Failure::of(full).retryable);
        let mut refused = Status::not_found("no");
        refused.metadata_mut().insert(NOT_EXECUTED, "true".parse().unwrap());
        assert!(!Failure::of(refused).retryable);
    }
}
