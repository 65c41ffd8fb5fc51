//! The findings of the chart's checks.

use anyhow::Result;
use std::fmt::Display;

/// Faults, skipped checks and the number of passed ones.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// The number of checks without a fault.
    pub(crate) passed: usize,
    /// The description of each fault.
    pub(crate) faults: Vec<String>,
    /// Checks that could not run here, each with its reason.
    pub(crate) skipped: Vec<String>,
}

impl Findings {
    /// Records the outcome of one check.
    pub(super) fn judge(&mut self, what: impl Display, outcome: Result<()>) {
        match outcome {
            Ok(()) => self.passed += 1,
            Err(error) => self.fault(format!("{what}: {error:#}")),
        }
    }

    /// Records a fault.
    pub(super) fn fault(&mut self, what: impl Into<String>) {
        self.faults.push(what.into());
    }

    /// Records a check that could not run.
    pub(super) fn skip(&mut self, reason: impl Into<String>) {
        self.skipped.push(reason.into());
    }

    /// Writes everything to standard error.
    pub(crate) fn show(&self) {
        self.faults.iter().for_each(|fault| eprintln!("FAULT {fault}"));
        self.skipped.iter().for_each(|reason| eprintln!("SKIPPED {reason}"));
        println!("chart: {} checks passed, {} fault(s)", self.passed, self.faults.len());
    }
}
