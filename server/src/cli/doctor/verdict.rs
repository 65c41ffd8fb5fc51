//! One line of doctor's answer.

use std::fmt;

/// What doctor thinks of one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// As it should be.
    Ok,
    /// The server runs, but not as production should.
    Warn,
    /// The server cannot start, or does not become ready.
    Fail,
}

/// One thing, what doctor thinks of it, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) level: Level,
    pub(super) what: String,
    /// What was found and, where it is wrong, the cure.
    pub(super) finding: String,
}

impl Verdict {
    pub(super) fn ok(what: impl Into<String>, finding: impl Into<String>) -> Self {
        Verdict { level: Level::Ok, what: what.into(), finding: finding.into() }
    }

    pub(super) fn warn(what: impl Into<String>, finding: impl Into<String>) -> Self {
        Verdict { level: Level::Warn, what: what.into(), finding: finding.into() }
    }

    pub(super) fn fail(what: impl Into<String>, finding: impl Into<String>) -> Self {
        Verdict { level: Level::Fail, what: what.into(), finding: finding.into() }
    }

    pub(super) fn failed(&self) -> bool {
        self.level == Level::Fail
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Ok => "ok",
            Level::Warn => "WARN",
            Level::Fail => "FAIL",
        };
        write!(f, "{level:4}  {}: {}", self.what, self.finding)
    }
}
