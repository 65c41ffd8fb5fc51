//! What the checks of the chart found.

use anyhow::Result;
use std::fmt::Display;

/// Faults, and how much was looked at.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// Checks without a fault.
    pub(crate) passed: usize,
    /// Each in words.
    pub(crate) faults: Vec<String>,
    /// What could not be checked here, each with its reason.
    pub(crate) skipped: Vec<String>,
}

impl Findings {
    /// Notes the outcome of one check.
    pub(super) fn judge(&mut self, what: impl Display, outcome: Result<()>) {
        match outcome {
            Ok(()) => self.passed += 1,
            Err(error) => self.fault(format!("{what}: {error:#}")),
        }
    }

    /// Notes a fault.
    pub(super) fn fault(&mut self, what: impl Into<String>) {
        self.faults.push(what.into());
    }

    /// Notes what could not be checked.
    pub(super) fn skip(&mut self, why: impl Into<String>) {
        self.skipped.push(why.into());
    }

    /// Prints everything.
    pub(crate) fn print(&self) {
        self.faults.iter().for_each(|fault| eprintln!("FAULT {fault}"));
        self.skipped.iter().for_each(|reason| eprintln!("SKIPPED {reason}"));
        println!("chart: {} checks passed, {} fault(s)", self.passed, self.faults.len());
    }
}
