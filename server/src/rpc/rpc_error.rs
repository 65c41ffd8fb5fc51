//! Why a handler did not answer, and what it knew of the things it was asked about.

use std::collections::BTreeMap;

use riposte_core::Error;

/// Facts of a request that an error may tell as metadata: each under the name that `error_reason.proto` gives it.
/// Which of them a reason tells is decided in `status`; the others stay inside.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorMetadata(BTreeMap<&'static str, String>);

impl ErrorMetadata {
    /// One more fact; it replaces one of the same name.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.0.insert(name, value.to_string());
        self
    }

    /// These facts and, where they say nothing, those of `other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let mut facts = other.0;
        facts.extend(self.0);
        Self(facts)
    }

    /// All of them, by their names.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// A fact by its name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

/// An error of the domain with the facts of the call that met it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpcError {
    /// What went wrong.
    pub error: Error,
    /// What is known of the request.
    pub facts: ErrorMetadata,
}

impl RpcError {
    /// An error about a certain part of the request, for example the first missing id of a batch.
    #[must_use]
    pub fn about(error: Error, facts: ErrorMetadata) -> Self {
        Self { error, facts }
    }

    /// The same with the facts of the whole request where it has none of its own.
    #[must_use]
    pub fn or_about(self, facts: ErrorMetadata) -> Self {
        Self { error: self.error, facts: self.facts.or(facts) }
    }
}

impl From<Error> for RpcError {
    fn from(error: Error) -> Self {
        Self { error, facts: ErrorMetadata::default() }
    }
}
