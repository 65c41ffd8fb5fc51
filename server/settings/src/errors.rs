//! Configuration errors, which are reported all at once.

use crate::ValueOrigin;
use std::fmt;
use std::path::PathBuf;

/// One configuration error with its key. The message never quotes the value, which may be a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The key, as in `store.sources.0.url`; empty if the error concerns a whole source.
    pub path: String,
    /// The problem, and how to solve it.
    pub message: String,
    /// The source of the value, once it is known.
    pub source: Option<ValueOrigin>,
}

/// All errors of a configuration; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors(pub Vec<ConfigError>);

/// Collects the errors of all keys.
#[derive(Debug, Default)]
pub struct ErrorReport(Vec<ConfigError>);

/// The part of an [`ErrorReport`] below one key.
#[derive(Debug)]
pub struct ErrorScope<'r> {
    report: &'r mut ErrorReport,
    prefix: &'r str,
}

impl ConfigError {
    /// Creates an error of the key at `path`. The source of the value is not known yet.
    pub fn at(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), source: None }
    }

    /// Returns true if the value is a default.
    fn is_unset(&self) -> bool {
        self.source == Some(ValueOrigin::Default) && !self.path.is_empty()
    }

    /// Adds the source of the value to the error.
    #[must_use]
    pub fn located(self, source: ValueOrigin) -> Self {
        Self { source: Some(source), ..self }
    }
}

impl From<ConfigError> for ConfigErrors {
    fn from(error: ConfigError) -> Self {
        Self(vec![error])
    }
}

impl ErrorReport {
    /// Adds an error of the key at `path`.
    pub fn fault(&mut self, path: &str, message: &str) {
        self.0.push(ConfigError::at(path, message));
    }

    /// Returns the part of this report below the key `prefix`.
    pub fn under<'r>(&'r mut self, prefix: &'r str) -> ErrorScope<'r> {
        ErrorScope { report: self, prefix }
    }

    /// Returns all errors, in the order in which they were added.
    pub fn into_faults(self) -> Vec<ConfigError> {
        self.0
    }
}

impl ErrorScope<'_> {
    /// Adds an error of the key `name`.
    pub fn fault(&mut self, name: &str, message: impl AsRef<str>) {
        self.report.fault(&format!("{}.{name}", self.prefix), message.as_ref());
    }

    /// Adds an error of the key `name` if its value is an empty path, for example from an empty
    /// environment variable.
    pub fn path(&mut self, name: &str, path: Option<&PathBuf>) {
        let is_absent_or_set = path.is_none_or(|path| !path.as_os_str().is_empty());
        self.require(is_absent_or_set, name, "is empty: set a path, or omit the key");
    }

    /// Adds an error of the key `name` unless `valid`.
    pub fn require(&mut self, valid: bool, name: &str, message: &str) {
        if !valid {
            self.fault(name, message);
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, message, source } = self;
        match source {
            // The error concerns the source itself.
            Some(source) if path.is_empty() => write!(f, "{source}: {message}"),
            // A default has no source that could be corrected.
            Some(ValueOrigin::Default) => write!(f, "{path}: {message}"),
            Some(source) => write!(f, "{path}: {message} ({source})"),
            None if path.is_empty() => f.write_str(message),
            None => write!(f, "{path}: {message}"),
        }
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            1 => f.write_str("the configuration has an error")?,
            count => write!(f, "the configuration has {count} errors")?,
        }
        let (unset, set): (Vec<_>, Vec<_>) = self.0.iter().partition(|fault| fault.is_unset());
        set.iter().try_for_each(|fault| write!(f, "\n  {fault}"))?;
        // Errors of values that were given stand apart from errors of defaults.
        if !set.is_empty() && !unset.is_empty() {
            f.write_str("\n  and of the settings that are not set:")?;
        }
        unset.iter().try_for_each(|fault| write!(f, "\n  {fault}"))
    }
}

impl std::error::Error for ConfigErrors {}
