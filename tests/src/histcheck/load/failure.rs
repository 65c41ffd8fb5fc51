//! Classification of the error of an attempt by its possible effect.

use riposte_sdk::Error;
use tonic::{Code, Status};

/// The trailer by which the service reports that a call had no effect.
const NOT_EXECUTED: &str = "riposte-not-executed";

/// One failed attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// True if the service reported that the call had no effect.
    pub(crate) effectless: bool,
    /// True if the same call may succeed later.
    pub(crate) passing: bool,
    /// The reason, or the status code if the status has no reason.
    pub(crate) words: String,
}

impl Failure {
    /// Reads a status. Only the trailer of the service counts as "no effect": after a broken
    /// connection, an expired deadline or an internal error of the service the effect is unknown.
    pub(crate) fn of(status: Status) -> Self {
        let effectless = status.metadata().contains_key(NOT_EXECUTED);
        let error = Error::from(status);
        let passing = !effectless || error.code() == Code::ResourceExhausted;
        let words = match error.reason_name() {
            "" => format!("{:?}", error.code()),
            reason => reason.to_owned(),
        };
        Self { effectless, passing, words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_service_calls_not_executed_surely_did_nothing() {
        let lost = Failure::of(Status::unavailable("gone"));
        assert_eq!(lost, Failure { effectless: false, passing: true, words: "Unavailable".into() });
        let mut full = Status::resource_exhausted("full");
        full.metadata_mut().insert(NOT_EXECUTED, "true".parse().unwrap());
        assert!(Failure::of(full.clone()).effectless && Failure::of(full).passing);
        let mut refused = Status::not_found("no");
        refused.metadata_mut().insert(NOT_EXECUTED, "true".parse().unwrap());
        assert!(!Failure::of(refused).passing);
    }
}
