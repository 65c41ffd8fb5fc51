//! The smoke run of the history checker, with the programs of the build step.

use super::Run;
use super::summary::Report;
use crate::prove::{self, SmokeResult};
use anyhow::Result;

/// Performs the run, and reports the findings of the checker.
pub(super) fn check(at: &Run<'_>) -> Result<Report> {
    let SmokeResult { passed, figures, missing } = prove::smoke(at.repo, at.live)?;
    let report = if passed { Report::success(figures) } else { Report::failure(figures) };
    Ok(missing
        .into_iter()
        .fold(report, |report, name| report.but_skipped(format!("faults of {name}: unavailable here"))))
}
