//! One line of doctor's output.

use std::fmt;

/// The severity of a check result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckLevel {
    /// As it should be.
    Ok,
    /// The server runs, but not as production should.
    Warn,
    /// The server cannot start, or does not become ready.
    Fail,
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CheckResult {
    pub(super) level: CheckLevel,
    pub(super) name: String,
    /// The finding, with its cure if something is wrong.
    pub(super) finding: String,
}

impl CheckResult {
    pub(super) fn ok(name: impl Into<String>, finding: impl Into<String>) -> Self {
        CheckResult { level: CheckLevel::Ok, name: name.into(), finding: finding.into() }
    }

    pub(super) fn warn(name: impl Into<String>, finding: impl Into<String>) -> Self {
        CheckResult { level: CheckLevel::Warn, name: name.into(), finding: finding.into() }
    }

    pub(super) fn fail(name: impl Into<String>, finding: impl Into<String>) -> Self {
        CheckResult { level: CheckLevel::Fail, name: name.into(), finding: finding.into() }
    }

    pub(super) fn failed(&self) -> bool {
        self.level == CheckLevel::Fail
    }
}

impl fmt::Display for CheckResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            CheckLevel::Ok => "ok",
            CheckLevel::Warn => "WARN",
            CheckLevel::Fail => "FAIL",
        };
        write!(f, "{level:4}  {}: {}", self.name, self.finding)
    }
}
