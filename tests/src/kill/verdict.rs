//! What an error of one attempt says about what happened.

use riposte_sdk::Error;
use tonic::{Code, Status};

/// The trailer by which the service says that a call had no effect.
const NOT_EXECUTED: &str = "riposte-not-executed";

/// One attempt that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    /// Whether the service said that nothing was done.
    pub(crate) effectless: bool,
    /// Whether the same call may succeed later.
    pub(crate) passing: bool,
    /// The reason, or the code where nobody gave one.
    pub(crate) words: String,
}

impl Failure {
    /// Reads a status. Only the service's own word counts as "nothing was done": a connection that broke, a deadline
    /// that passed and a fault of the service all leave it open.
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
