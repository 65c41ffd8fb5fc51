//! The Helm chart on a Kubernetes API server.

use super::Run;
use super::summary::Report;
use crate::chart;
use anyhow::Result;

/// Installs and deletes every example there.
pub(super) fn check(at: &Run<'_>) -> Result<Report> {
    let (found, note) = chart::check_on_a_cluster(at.repo, at.live)?;
    found.show();
    let note = found.faults.first().cloned().unwrap_or(note);
    Ok(Report { passed: found.passed, failed: found.faults.len(), skipped: found.skipped, note })
}
