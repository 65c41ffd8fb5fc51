//! The SDKs of all languages, each with its own tools.

use super::Run;
use super::summary::Report;
use crate::sdk::{self, End, Language};
use anyhow::Result;

/// Builds, installs and tests all of them.
pub(super) fn check(at: &Run<'_>) -> Result<Report> {
    let mut report = Report::default();
    let mut notes = Vec::new();
    for outcome in sdk::test(at.repo, at.live, &Language::all())? {
        match &outcome.end {
            End::Passed => report.passed += 1,
            End::Failed(_) => report.failed += 1,
            End::Skipped(_) => {
                report.skipped.push(outcome.to_string());
                continue;
            }
        }
        notes.push(outcome.to_string());
    }
    // Failed SDKs come first, because the summary has one line for the step.
    notes.sort_by_key(|note| !note.contains("FAILED"));
    report.note = notes.join("; ");
    Ok(report)
}
