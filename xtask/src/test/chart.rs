//! The Helm chart, as far as its tools are available.

use super::Run;
use super::summary::Report;
use crate::{chart, tools};
use anyhow::Result;

/// Checks the chart. Helm is fetched only on request, because its build takes minutes.
pub(super) fn check(at: &Run<'_>) -> Result<Report> {
    let helm = if at.chart { Some(tools::helm(at.repo, at.live)?) } else { tools::helm_at_hand(at.repo) };
    let found = chart::check(at.repo, at.live, helm, false)?;
    found.show();
    let note = found.faults.first().cloned().unwrap_or_default();
    Ok(Report { passed: found.passed, failed: found.faults.len(), skipped: found.skipped, note })
}
