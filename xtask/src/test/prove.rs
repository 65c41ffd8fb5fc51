//! A run of the history checker under many faults, on the programs of the build step.

use super::Run;
use super::summary::Report;
use crate::prove::{self, Verdict};
use anyhow::Result;

/// Runs it, and reports the findings of the checker.
pub(super) fn check(at: &Run<'_>) -> Result<Report> {
    let Verdict { kept, words, missing } = prove::smoke(at.repo, at.live)?;
    let report = if kept { Report::success(words) } else { Report::failure(words) };
    Ok(missing
        .into_iter()
        .fold(report, |report, name| report.but_skipped(format!("faults of {name}: not to be had here"))))
}
