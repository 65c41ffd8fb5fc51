//! What is wrong with a configuration, told all at once.

use super::origin::ValueOrigin;
use std::fmt;
use std::path::PathBuf;

/// One thing that is wrong, with the key it stands at. It never quotes a value: the value may be a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The key, as in `store.sources.0.url`; empty if the fault is that of a whole source.
    pub path: String,
    /// What is wrong with it and how to mend it.
    pub message: String,
    /// Where the value came from, once that is known.
    pub origin: Option<ValueOrigin>,
}

/// Everything that is wrong with a configuration; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors(pub Vec<ConfigError>);

/// Collects faults below one key after the other.
#[derive(Debug, Default)]
pub(super) struct ErrorReport(Vec<ConfigError>);

/// The part of a [`ErrorReport`] that stands below one key.
#[derive(Debug)]
pub(super) struct ErrorScope<'r> {
    report: &'r mut ErrorReport,
    prefix: &'r str,
}

impl ConfigError {
    /// A fault of the key at `path`, from wherever its value came.
    pub fn at(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), origin: None }
    }
}

impl From<ConfigError> for ConfigErrors {
    fn from(fault: ConfigError) -> Self {
        Self(vec![fault])
    }
}

impl ErrorReport {
    pub(super) fn fault(&mut self, path: &str, message: &str) {
        self.0.push(ConfigError::at(path, message));
    }

    pub(super) fn under<'r>(&'r mut self, prefix: &'r str) -> ErrorScope<'r> {
        ErrorScope { report: self, prefix }
    }

    pub(super) fn into_faults(self) -> Vec<ConfigError> {
        self.0
    }
}

impl ErrorScope<'_> {
    /// Notes a fault of the key `name`.
    pub(super) fn fault(&mut self, name: &str, message: impl AsRef<str>) {
        self.report.fault(&format!("{}.{name}", self.prefix), message.as_ref());
    }

    /// Notes a fault of the key `name` where its path is the empty text: a variable that was set to nothing, as a rule.
    pub(super) fn path(&mut self, name: &str, path: Option<&PathBuf>) {
        let named = path.is_none_or(|path| !path.as_os_str().is_empty());
        self.require(named, name, "is empty: name a path, or leave it out");
    }

    /// Notes a fault of the key `name` unless `holds`.
    pub(super) fn require(&mut self, holds: bool, name: &str, message: &str) {
        if !holds {
            self.fault(name, message);
        }
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        match &self.origin {
            Some(origin) => write!(f, " ({origin})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.len() {
            1 => f.write_str("the configuration has a fault")?,
            count => write!(f, "the configuration has {count} faults")?,
        }
        self.0.iter().try_for_each(|fault| write!(f, "\n  {fault}"))
    }
}

impl std::error::Error for ConfigErrors {}
