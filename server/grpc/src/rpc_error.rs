//! An error of a handler, with metadata of the objects that the request named.

use std::collections::BTreeMap;

use riposte_core::Error;

/// Metadata of a request that an error may report, each entry under its name in
/// `error_reason.proto`. `status` selects the entries that a reason reports; the others do not
/// leave the process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorMetadata(BTreeMap<&'static str, String>);

impl ErrorMetadata {
    /// Adds an entry; it replaces one of the same name.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        self.0.insert(name, value.to_string());
        self
    }

    /// Adds the entries of `other` whose names are not set.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let mut entries = other.0;
        entries.extend(self.0);
        Self(entries)
    }

    /// Returns all entries with their names.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.0.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// Returns an entry by its name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

/// An error of the domain with the metadata of its call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpcError {
    /// The error.
    pub error: Error,
    /// The metadata of the request.
    pub metadata: ErrorMetadata,
}

impl RpcError {
    /// Creates an error about a certain part of the request, for example the first missing id of a
    /// batch.
    #[must_use]
    pub fn about(error: Error, metadata: ErrorMetadata) -> Self {
        Self { error, metadata }
    }

    /// Adds the metadata of the complete request where the error has none of its own.
    #[must_use]
    pub fn or_about(self, metadata: ErrorMetadata) -> Self {
        Self { error: self.error, metadata: self.metadata.or(metadata) }
    }
}

impl From<Error> for RpcError {
    fn from(error: Error) -> Self {
        Self { error, metadata: ErrorMetadata::default() }
    }
}
